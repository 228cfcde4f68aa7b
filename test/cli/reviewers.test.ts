/** Who reviews here, as a user asks it: the built command line over HTTP. */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BodyOutput, Report } from "../../core/index.js";
import type { ReviewersListing } from "../../index.js";
import { place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

let at: Place;
beforeEach(async () => {
  at = await place();
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

type Shown = Omit<ReviewersListing, "unknown"> & { readonly unknown: readonly string[]; readonly notReviewers: readonly string[] };

const config = (extra: object = {}): Promise<string> =>
  at.write("reviewloop.json", JSON.stringify({ extends: "review-clean", wait: { poll: "20ms", settle: "1ms", pace: "1ms" }, ...extra }));
const json = async <T>(...args: readonly string[]): Promise<T> => {
  const ran = await at.cli([...args, "--json"]);
  expect(ran.err).not.toContain("INTERNAL");
  return JSON.parse(ran.out) as T;
};
const schema = (name: string) =>
  new Ajv({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(new URL(`../../docs/schemas/${name}.json`, import.meta.url), "utf8")) as object,
  );
const [fitsReviewers, fitsReadBody] = [schema("reviewers"), schema("read-body")];
const reviewers = async (extra: object = {}): Promise<Shown> => {
  const shown = await json<Shown>("reviewers", at.url, "--config", await config(extra));
  expect([fitsReviewers(shown), fitsReviewers.errors]).toEqual([true, null]);
  return shown;
};
const run = async (extra: object = {}): Promise<Report> => json("run", at.url, "--config", await config(extra), "--yes");

const COPILOT = "copilot-pull-request-reviewer";
const OVERVIEW = "<!-- ccr-overview-v2 -->\n\n### 🟢 Looks good\n\nFine.\n\n**Findings:** None\n";
const summary = (score: number, head: string): string =>
  `<h3>Greptile Summary</h3>\n\nAdds a loop.\n\n<h3>Confidence Score: ${score}/5</h3>\n\n<sub>Reviews (1): Last reviewed commit: [x](https://example.test/commit/${head})</sub>\n`;

describe("reviewers", () => {
  test("what each said about this head, what was asked, what is missing, who is unknown; nobody is asked by looking", async () => {
    const { world } = at.sandbox;
    for (const login of ["greptile-apps", "coderabbitai", "robot-reader", "codecov"]) world.addBot(login);
    world.addBot(COPILOT, { requestable: true });
    const head = at.pullRequest.head.sha;
    world.comment("greptile-apps", at.pullRequest, summary(4, head));
    world.comment("robot-reader", at.pullRequest, "Two things to look at.");
    world.comment("codecov", at.pullRequest, "## [Codecov](https://codecov.example) Report\n\nPlease review.");
    world.requestReview("ada", at.pullRequest, "grace");
    world.requestReview("ada", at.pullRequest, COPILOT);
    const writes = world.log.length;
    const shown = await reviewers({ reviewers: { devin: {} } });
    expect(shown).toMatchObject({ schemaVersion: 1, head, pullRequest: { number: at.pullRequest.number } });
    expect(shown.reviewers.map((line) => [line.reviewer, line.signal.state, line.required, line.seenHere, line.pendingRequest])).toEqual([
      ["greptile", "reviewed", false, true, false],
      ["devin", "absent", true, false, false],
      ["copilot", "requested", false, true, true],
    ]);
    expect(shown.reviewers[0]).toMatchObject({
      reviewed: true,
      signal: { score: { value: 4, max: 5 }, head },
      trigger: expect.any(String),
    });
    expect(shown.reviewers[0]).not.toHaveProperty("missing");
    expect(shown.reviewers[1]?.missing).toMatchObject({ code: "review-missing" });
    expect(shown.missing).toEqual(["devin", "copilot"]);
    expect(shown.requests).toMatchObject([{ login: "grace", kind: "user" }]);
    expect([shown.unknown, shown.notReviewers]).toEqual([["robot-reader"], ["codecov"]]);
    expect(shown.absent).toContain("coderabbit");
    const text = await at.cli(["reviewers", at.url, "--config", await config()]);
    expect(text.out).toMatch(/^greptile {2}reviewed \(4\/5/m);
    expect(text.out).toMatch(/^robot-reader {2}unknown bot, never triggered$/m);
    expect(world.log.length).toBe(writes);
  });

  test("a score of the head before is told as such, and is missing", async () => {
    const { world } = at.sandbox;
    world.addBot("greptile-apps");
    const before = at.pullRequest.head.sha;
    world.comment("greptile-apps", at.pullRequest, summary(5, before));
    world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.js": "b\n" }, message: "More" });
    const shown = await reviewers();
    expect(shown.reviewers[0]).toMatchObject({
      reviewer: "greptile",
      reviewed: false,
      signal: { head: before },
      missing: { code: "review-stale" },
    });
  });
});

describe("asking", () => {
  test("Copilot by its own endpoint; its answer, which comes at once, is what the run ends with", async () => {
    const { world } = at.sandbox;
    world.addBot(COPILOT, { requestable: true });
    world.on("review-requested", (event) => {
      if (event.login === COPILOT)
        world.review(COPILOT, at.pullRequest, { state: "COMMENTED", commit: at.pullRequest.head.sha, body: OVERVIEW });
    });
    const report = await run({ reviewers: { copilot: { rerun: false } } });
    expect(report).toMatchObject({ stop: "met", reviewers: [{ reviewer: "copilot", state: "reviewed" }] });
    const sent = at.sandbox.requests.filter((request) => request.method === "POST" && !request.path.endsWith("/graphql"));
    expect(sent.map((request) => request.path)).toEqual([expect.stringMatching(/\/copilot-code-review$/)]);
    // Review once: a push stales nothing, and nobody is asked again.
    world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.js": "b\n" }, message: "More" });
    const again = await run({ reviewers: { copilot: { rerun: false } } });
    expect(again).toMatchObject({ stop: "met" });
    expect(world.log.filter((event) => event.type === "review-requested")).toHaveLength(1);
  });

  test("a server without that endpoint: by its login", async () => {
    const { world } = at.sandbox;
    world.addBot(COPILOT, { requestable: true });
    world.faults.set("no-review-endpoint", {});
    world.on("review-requested", () =>
      world.review(COPILOT, at.pullRequest, { state: "COMMENTED", commit: at.pullRequest.head.sha, body: OVERVIEW }),
    );
    expect(await run({ reviewers: { copilot: {} } })).toMatchObject({ stop: "met" });
    const sent = at.sandbox.requests.filter((request) => request.method === "POST" && !request.path.endsWith("/graphql"));
    expect(sent.map((request) => request.path)).toEqual([
      expect.stringMatching(/\/copilot-code-review$/),
      expect.stringMatching(/\/requested_reviewers$/),
    ]);
    expect(world.log.filter((event) => event.type === "review-requested")).toHaveLength(1);
  });

  test("a comment bot: asked once and silent; what that does to the run is the config's", async () => {
    const { world } = at.sandbox;
    world.addBot("greptile-apps");
    world.comment("greptile-apps", at.pullRequest, summary(5, at.pullRequest.head.sha));
    world.commitAndPush("ada", { repository: "ada/shop", branch: "topic", files: { "src/b.js": "b\n" }, message: "More" });
    const quick = { wait: { poll: "20ms", timeout: "100ms", start: "20ms" } };
    const stopped = await run({ reviewers: { greptile: quick } });
    expect(stopped).toMatchObject({ stop: "timed-out", remaining: [{ code: "review-requested", name: "greptile" }] });
    const went = await run({ reviewers: { greptile: { ...quick, required: false, missing: "go-on" } } });
    expect(went.stop).toBe("met");
    expect(went.notes).toContainEqual(expect.stringContaining("greptile gave no sign"));
    const triggers = at.pullRequest.comments.filter((comment) => comment.author === "ada");
    expect(triggers).toHaveLength(1);
  });

  test("a dropped request is a result: who must act, and what to do, are said; nothing is waited for", async () => {
    const { world } = at.sandbox;
    world.addBot(COPILOT, { requestable: true });
    world.faults.set("review-request-dropped", {});
    const report = await run({ reviewers: { copilot: {} } });
    expect(report.stop).toBe("waiting-for-people");
    expect(report.remaining).toMatchObject([{ code: "review-request-dropped", who: "person" }]);
    expect(report.remaining[0]?.what).toContain("ask by hand");
    const shown = await reviewers({ reviewers: { copilot: {} } });
    expect(shown.reviewers.find((line) => line.reviewer === "copilot")).toMatchObject({
      asked: { state: "dropped", by: "review-request" },
      missing: { code: "review-request-dropped" },
    });
  });
});

describe("the config's reviewers", () => {
  const problems = async (extra: object): Promise<string> => {
    const ran = await at.cli(["run", at.url, "--config", await config(extra), "--json"]);
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: "CONFIG_INVALID" } });
    return ran.err;
  };
  test("an unknown name fails loudly, with the nearest and all that are known", async () => {
    const said = await problems({ reviewers: { greptil: {} } });
    expect(said).toContain("greptil");
    expect(said).toContain('did you mean "greptile"?');
  });
  test.each([[{ reviewers: ["copilot", "coderabbit"] }], [{ required_reviewers: ["copilot", "coderabbit"] }]])(
    "the retired list %j says how it is written now",
    async (extra) => {
      expect(await problems(extra)).toContain('reviewers: { "copilot": {}, "coderabbit": {} }');
    },
  );
  test("one that can neither be asked nor starts by itself can't be required", async () => {
    const plugin = await at.write(
      "reviewloop.config.mjs",
      `import { defineReviewer } from "${new URL("../../dist/index.js", import.meta.url).href}";
const quiet = defineReviewer({
  name: "quiet", owns: { logins: ["quiet-bot"], bot: true }, request: { by: "none" }, reviewsDrafts: false, rerun: false,
  wait: { poll: "10s", timeout: "1m", start: "1m" }, body: () => ({ findings: [] }),
});
export default { extends: "review-clean", plugins: [quiet()], reviewers: { quiet: JSON.parse(process.env.QUIET ?? "{}") } };`,
    );
    const refused = await at.cli(["config", "--config", plugin, "--json"]);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain("quiet can't be asked for a review");
    const allowed = await at.cli(["config", "--config", plugin, "--json"], { environment: { QUIET: '{"required":false}' } });
    expect(allowed.code).toBe(0);
  });
  test("an empty map is the default set; names make the required set", async () => {
    const required = async (extra: object) =>
      (await reviewers(extra)).reviewers.filter((line) => line.required).map((line) => line.reviewer);
    expect(await required({ reviewers: {} })).toEqual([]);
    expect(await required({ reviewers: { copilot: { rerun: false }, coderabbit: {} } })).toEqual(["copilot", "coderabbit"]);
    expect(await required({ reviewers: { copilot: { required: false } } })).toEqual([]);
    const preset = { extends: "draft-to-ready" };
    expect(await required({ ...preset, reviewers: {} })).toEqual(["copilot"]);
    expect(await required({ ...preset, reviewers: { coderabbit: {} } })).toEqual(["coderabbit"]);
  });
});

describe("taking part", () => {
  test("where none is installed nobody is asked, awaited or missed", async () => {
    const writes = at.sandbox.world.log.length;
    const report = await run();
    expect(report).toMatchObject({ stop: "met", reviewers: [], waits: [], remaining: [] });
    expect(at.sandbox.world.log.length).toBe(writes);
    const shown = await reviewers();
    expect(shown).toMatchObject({ reviewers: [], missing: [], unknown: [], requests: [] });
    expect(shown.absent.length).toBeGreaterThan(9);
  });
});

describe("read-body --from", () => {
  const read = async (url: string): Promise<BodyOutput> => {
    const ran = await at.cli(["read-body", "--from", url]);
    expect(ran.err).toBe("");
    const read = JSON.parse(ran.out) as BodyOutput;
    expect([fitsReadBody(read), fitsReadBody.errors]).toEqual([true, null]);
    return read;
  };
  test("a comment, a review, a thread, the description: each as the loop reads it", async () => {
    const { world } = at.sandbox;
    for (const login of ["greptile-apps", "codecov"]) world.addBot(login);
    world.addBot(COPILOT, { requestable: true });
    const head = at.pullRequest.head.sha;
    const comment = world.comment("greptile-apps", at.pullRequest, summary(3, head));
    const quoted = world.comment("grace", at.pullRequest, summary(5, head));
    const coverage = world.comment("codecov", at.pullRequest, "## [Codecov](https://codecov.example) Report\n\nPlease review.");
    const review = world.review(COPILOT, at.pullRequest, { state: "COMMENTED", commit: head, body: OVERVIEW });
    const thread = world.addThread("greptile-apps", at.pullRequest, {
      path: "src/a.js",
      line: 2,
      body: '<a href="#"><img alt="P1" src="https://greptile-static-assets.example/badges/p1.svg"></a> **Off by one**\n\nIt counts too far.',
    });
    expect(await read(`${at.url}#issuecomment-${comment.databaseId}`)).toMatchObject({
      reviewer: "greptile",
      signal: { state: "reviewed", score: 3, scoreMax: 5, reviewedCommit: head },
    });
    expect(await read(`${at.url}#issuecomment-${quoted.databaseId}`)).toMatchObject({ reviewer: null, notAReview: true, findings: [] });
    expect(await read(`${at.url}#issuecomment-${coverage.databaseId}`)).toMatchObject({ reviewer: null, notAReview: true });
    expect(await read(`${at.url}#pullrequestreview-${review.databaseId}`)).toMatchObject({
      reviewer: "copilot",
      signal: { state: "reviewed", verdict: "approve" },
    });
    const id = thread.comments[0]?.databaseId ?? "";
    for (const url of [`${at.url}#discussion_r${id}`, `${at.url}/files#r${id}`])
      expect(await read(url)).toMatchObject({ reviewer: "greptile", findings: [{ severity: "high", title: "Off by one" }] });
    expect(await read(at.url)).toMatchObject({ reviewer: null, notAReview: true });
  });
  test("nothing there, and two sources at once, are told", async () => {
    const none = await at.cli(["read-body", "--from", `${at.url}#issuecomment-1`]);
    expect(none).toMatchObject({ code: 3, out: "" });
    expect(none.err).toContain("#issuecomment-1");
    expect(await at.cli(["read-body", "x.jsonl", "--from", at.url])).toMatchObject({ code: 3 });
  });
  const line = (body: string): string =>
    JSON.stringify({ source: "issue_comment", login_rest: "greptile-apps[bot]", author_type: "Bot", body });
  test("a file and a pipe: one object a line, in order, also of reviewers that no config lists", async () => {
    const sourcery = JSON.stringify({
      source: "review",
      login_rest: "sourcery-ai[bot]",
      author_type: "Bot",
      body: "Sorry, you have reached your weekly rate limit of 500000 diff characters.",
    });
    const lines = [line(summary(2, "1f2e3d4c5b6a79880123456789abcdef01234567")), "nonsense", sourcery, line("Thanks!")].join("\n");
    const file = await at.write("bodies.jsonl", lines);
    for (const ran of [await at.cli(["read-body", file]), await at.cli(["read-body"], { input: lines })]) {
      expect(ran.code).toBe(3);
      expect(ran.out.split("\n").map((each) => JSON.parse(each) as object)).toMatchObject([
        { reviewer: "greptile", signal: { score: 2 } },
        { error: "line 2 is not JSON" },
        { reviewer: "sourcery", signal: { state: "limited" } },
        { reviewer: "greptile", signal: { state: "absent", score: null } },
      ]);
    }
  });
});
