/** What servers, git, agents and files say, read by whoever has to believe it: any text, any value, and no error but one of our own. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorOf } from "../../core/adapters/forge-github/outcome.js";
import { failureOfGraphqlErrors, graphqlErrorsOf, failureOfResponse, failureOfThrown } from "../../core/adapters/forge-github/failure.js";
import { delayAfter } from "../../core/adapters/forge-github/retry.js";
import { fieldsOf, objectId, wordsOf } from "../../core/adapters/git/command.js";
import { parsePerson } from "../../core/adapters/git/commit.js";
import { repositoryOf } from "../../core/adapters/git/clone.js";
import { componentsOf, textOf } from "../../core/adapters/git/files.js";
import { parseChanges } from "../../core/adapters/git/objects.js";
import { readPush } from "../../core/adapters/git/push.js";
import { troubleOf } from "../../core/adapters/git/remote.js";
import { parseCommit } from "../../core/adapters/git/sync.js";
import { cleanText, withoutHtmlComments } from "../../core/agents/threads.js";
import { jsonLines } from "../../core/agents/answers.js";
import { milliseconds } from "../../core/config/define.js";
import { loadFile } from "../../core/config/load.js";
import { foldRun, ReviewloopError } from "../../core/index.js";
import type { Entry } from "../../core/index.js";
import { parsePlan } from "../../core/plan-file.js";
import { notReviewers } from "../../plugins/reviewers/not-reviewers.js";
import * as reviewers from "../../plugins/reviewers/index.js";
import { readBody } from "../../core/reading/read-body.js";
import { grows, ownError, PIECES, text } from "./texts.js";

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  "plan file": (given) => ownError(() => parsePlan(given)),
  "JSON lines of an agent": jsonLines,
  "what an agent is shown": (given) => cleanText(given) + withoutHtmlComments(given),
  duration: milliseconds,
  "changes of git": (given) => parseChanges(Buffer.from(given)),
  "commit of git": (given) => parseCommit(Buffer.from(given)),
  "fields of git": (given) => fieldsOf(Buffer.from(given)),
  "object id of git": (given) => ownError(() => objectId(given)),
  "person of git": parsePerson,
  "push of git": (given) => [readPush(1, given, given), readPush(1, `!\t${given}\t[rejected] (${given})`, given)],
  "words of git": (given) => wordsOf(given) + troubleOf(given),
  "remote of git": repositoryOf,
  "path and bytes": (given) => [componentsOf(given), textOf(Buffer.from(given))],
};

describe.each(Object.entries(PARSERS))("%s", (_name, parse) => {
  test("any text is read without a throw", () => {
    fc.assert(
      fc.property(text, (given) => void parse(given)),
      { numRuns: 300 },
    );
  });

  test("growth in line with the text, up to 64 KiB", { timeout: 60_000 }, () => {
    for (const piece of [...PIECES, "a", "1", "0", "1.", "remote: ", "!\t", ":100644 100644 a b M\0x\0", "a <b", "author "])
      expect({ piece, grows: grows(parse, piece, 65_536) }).toEqual({
        piece,
        grows: expect.toSatisfy((times: number) => times < 6) as unknown,
      });
  });
});

const numbers = fc.oneof(
  fc.constantFrom("0", "-1", "1e300", "9".repeat(30), "NaN", "Infinity", "0x10", "Wed, 21 Oct 2026 07:28:00 GMT", ""),
  text,
);

test("any headers and answer of a server end in a wait that is a number, and an error that can be told", () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), numbers, numbers, fc.jsonValue(), (status, after, reset, data) => {
      const headers = { "retry-after": after, "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
      const errors = graphqlErrorsOf(data);
      for (const failure of [failureOfResponse(status, headers, data), failureOfGraphqlErrors(errors, headers), failureOfThrown(data)]) {
        const wait = delayAfter(failure, 1, 0);
        expect(wait).toBeGreaterThanOrEqual(1000);
        failure.until = 1_700_000_000_000 + wait;
        expect(ReviewloopError.is(errorOf(failure, { host: "github.com", what: "the pull request" }))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("lines of a journal that somebody edited: each type without what it needs is told with its number", () => {
  const types = ["run", "head", "intent", "result", "decision", "work", "evidence", "waits", "note", "repair", "stop", "findings"] as const;
  fc.assert(
    fc.property(fc.array(fc.record({ at: fc.nat(), type: fc.constantFrom(...types) }), { minLength: 1, maxLength: 4 }), (entries) => {
      ownError(() => foldRun(entries as unknown as Parameters<typeof foldRun>[0]));
    }),
    { numRuns: 300 },
  );
  expect(() => foldRun([{ at: 1, type: "intent" } as unknown as Entry])).toThrow(/entry 1 \(intent\) lacks what its type needs/);
});

test.each(["reviewloop.config.json", "reviewloop.config.yaml", "package.json"])("any text as %s", async (file) => {
  const load = async (content: string): Promise<void> => {
    try {
      await loadFile({ file: `/nowhere/${file}`, content }, {} as Parameters<typeof loadFile>[1]);
    } catch (thrown) {
      if (!ReviewloopError.is(thrown)) throw thrown;
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        text,
        fc.json(),
        fc
          .array(fc.constantFrom("a: ", "- ", "&x ", "*x", "!!js/function ", "\n", "  ", "? ", "| ", "<<: ", "gate: "))
          .map((parts) => parts.join("")),
      ),
      load,
    ),
    { numRuns: 400 },
  );
  // A few lines that would unfold into more than a machine holds.
  const bomb = [
    "a0: &a0 [x, x, x, x, x, x, x, x, x]",
    ...Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(", ")}]`),
  ];
  await load(bomb.join("\n"));
});

describe("bodies", () => {
  const facts = Object.values(reviewers).flatMap((factory) => factory().reviewer ?? []);
  const logins = [...new Set(facts.flatMap((fact) => fact.identities.flatMap(({ logins: of }) => of)))].map((login) => ({ login }));
  const sources = ["issue_comment", "review", "thread", "pr_body", "check"];
  test.each(logins)("$login's are read, whatever is in them", { timeout: 60_000 }, ({ login }) => {
    const read = (source: string, body: string) =>
      readBody(facts, { source, login_rest: `${login}[bot]`, author_type: "Bot", body }, notReviewers);
    fc.assert(
      fc.property(fc.constantFrom(...sources), text, (source, body) => void read(source, body)),
      { numRuns: 60 },
    );
    for (const source of ["issue_comment", "review", "thread"])
      for (const piece of [
        "<details><summary>a</summary>\n",
        "</details>\n",
        "**a** ",
        "`a:1` ",
        "- [ ] ",
        "> ",
        " ",
        "\n",
        "<!-- ",
        "![a](b) ",
        "| a ",
        "a",
      ])
        expect({ source, piece, grows: grows((body) => read(source, body), piece, 65_536) }).toEqual({
          source,
          piece,
          grows: expect.toSatisfy((times: number) => times < 6) as unknown,
        });
  });
});
