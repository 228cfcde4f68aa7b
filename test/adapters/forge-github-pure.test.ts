import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checksOf, newestOf } from "../../core/adapters/forge-github/checks.js";
import { failureOfGraphqlErrors, failureOfResponse, failureOfThrown, GithubFailure } from "../../core/adapters/forge-github/failure.js";
import { delayAfter } from "../../core/adapters/forge-github/retry.js";
import { authorOf, normalised, viewerOf } from "../../core/adapters/forge-github/snapshot.js";
import type { WireCheckRun, WireContext, WireStatus } from "../../core/adapters/forge-github/wire.js";
import { checkRow, HEAD, iso, START } from "./forge-github-stub.js";

describe("what an HTTP answer means", () => {
  test.each([
    [401, {}, { message: "Bad credentials" }, "sign-in"],
    [403, {}, { message: "Resource not accessible by integration" }, "denied"],
    [403, {}, { message: "Unable to create comment because issue is locked." }, "locked"],
    [403, {}, { message: "Repository was archived so is read-only." }, "locked"],
    [403, { "x-ratelimit-remaining": "0" }, { message: "API rate limit exceeded" }, "limited"],
    [403, { "x-ratelimit-remaining": "4114" }, { message: "You have exceeded a secondary rate limit" }, "limited"],
    [403, { "retry-after": "5" }, { message: "slow down" }, "limited"],
    [429, {}, {}, "limited"],
    [404, {}, { message: "Not Found" }, "not-found"],
    [410, {}, { message: "Gone" }, "not-found"],
    [405, {}, {}, "unsupported"],
    [501, {}, {}, "unsupported"],
    [409, {}, {}, "invalid"],
    [422, {}, { message: "Validation Failed", errors: ["user_id can only have one pending review per pull request"] }, "pending-review"],
    [422, {}, { message: "Validation Failed", errors: [{ resource: "Issue", field: "title", code: "missing_field" }] }, "invalid"],
    [500, {}, "", "unavailable"],
    [502, {}, "<html>", "unavailable"],
    [504, {}, undefined, "unavailable"],
  ] as const)("%i %j %j is %s", (status, headers, body, kind) => {
    expect(failureOfResponse(status, headers, body).kind).toBe(kind);
  });

  test("the text carries GitHub's own words, whatever form its errors have, and the permission that is needed", () => {
    expect(
      failureOfResponse(422, {}, { message: "Invalid", errors: ["one", { message: "two" }, { field: "body", code: "missing" }] }).message,
    ).toBe("Invalid; one; two; body missing (HTTP 422)");
    expect(failureOfResponse(422, {}, { message: "No", failure_reason: "NO_QUOTA" }).message).toContain("NO_QUOTA");
    expect(failureOfResponse(403, { "x-accepted-github-permissions": "contents=write" }, { message: "No" }).message).toContain(
      "needs contents=write",
    );
    expect(failureOfResponse(502, {}, "<html><body>Bad Gateway</body></html>").message).toBe("HTTP 502");
  });

  test("no answer at all is unavailable; a failure of ours under Octokit's error stays what it is", () => {
    expect(failureOfThrown(Object.assign(new Error("ECONNRESET"), { status: 500 })).kind).toBe("unavailable");
    const inner = new GithubFailure("invalid", "redirected");
    expect(failureOfThrown(Object.assign(new Error("x"), { status: 500, cause: inner }))).toBe(inner);
  });
});

describe("what an errors entry means", () => {
  test.each([
    [{ type: "NOT_FOUND", message: "Could not resolve" }, "not-found"],
    [{ type: "FORBIDDEN", message: "Resource not accessible by integration" }, "denied"],
    [{ type: "INSUFFICIENT_SCOPES", message: "scopes" }, "denied"],
    [{ type: "UNPROCESSABLE", message: "no" }, "invalid"],
    [{ type: "VALIDATION", message: "Pending review exists" }, "pending-review"],
    [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }, "limited"],
    [{ type: "RATE_LIMIT", message: "x", extensions: { code: "graphql_rate_limit" } }, "limited"],
    [{ message: "You have exceeded a secondary rate limit" }, "limited"],
    [{ type: "MAX_NODE_LIMIT_EXCEEDED", message: "x" }, "too-large"],
    [{ message: "Resource limits for this query exceeded." }, "too-large"],
    [{ message: "`abc` does not appear to be a valid cursor." }, "stale-cursor"],
    [{ message: "Something went wrong while executing your query." }, "unavailable"],
    [{ message: "odd" }, "partial"],
    [
      { message: "Field 'mergeStateStatus' doesn't exist on type 'PullRequest'", extensions: { code: "undefinedField" } },
      "undefined-field",
    ],
  ] as const)("%j is %s", (error, kind) => {
    expect(failureOfGraphqlErrors([error], {}).kind).toBe(kind);
  });

  test("of several a limit decides, then fields that are missing; all missing fields are told", () => {
    const missing = (field: string) => ({ message: `Field '${field}' doesn't exist on type 'PullRequest'` });
    expect(failureOfGraphqlErrors([{ message: "odd" }, { type: "RATE_LIMITED", message: "x" }], {}).kind).toBe("limited");
    expect(failureOfGraphqlErrors([{ message: "odd" }, missing("a"), missing("b")], {}).facts.fields).toEqual([
      "PullRequest.a",
      "PullRequest.b",
    ]);
  });
});

describe("how long to wait", () => {
  const limited = (facts: object) => new GithubFailure("limited", "x", facts);
  test.each([
    [new GithubFailure("unavailable", "x"), 1, 1_000],
    [new GithubFailure("unavailable", "x"), 4, 8_000],
    [limited({}), 1, 60_000],
    [limited({}), 3, 240_000],
    [limited({ retryAfter: 7_000 }), 3, 7_000],
    [limited({ retryAfter: 7_000, resetAt: START + 90_000 }), 1, 7_000],
    [limited({ resetAt: START + 90_000 }), 1, 91_000],
    [limited({ resetAt: START - 90_000 }), 1, 1_000],
  ])("%o after attempt %i: %i ms", (failure, attempt, milliseconds) => {
    expect(delayAfter(failure, attempt, START)).toBe(milliseconds);
  });

  test("the reset counts only where nothing is left", () => {
    const reset = String((START + 90_000) / 1000);
    expect(failureOfResponse(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }, {}).facts.resetAt).toBe(START + 90_000);
    expect(failureOfResponse(429, { "x-ratelimit-remaining": "9", "x-ratelimit-reset": reset }, {}).facts.resetAt).toBeUndefined();
  });
});

const run = (id: string, more: object = {}): WireCheckRun => checkRow(id, more) as unknown as WireCheckRun;
const status = (id: string, more: object = {}): WireStatus => ({
  __typename: "StatusContext",
  id,
  context: id,
  state: "SUCCESS",
  createdAt: iso(START),
  targetUrl: null,
  description: null,
  isRequired: false,
  ...more,
});
const suite = (app: string, workflow?: readonly [string, string]) => ({
  createdAt: iso(START),
  app: { slug: app },
  workflowRun: workflow === undefined ? null : { event: workflow[1], workflow: { name: workflow[0] } },
});

describe("checks", () => {
  test.each([
    ["COMPLETED", "SUCCESS", "success"],
    ["COMPLETED", "NEUTRAL", "neutral"],
    ["COMPLETED", "SKIPPED", "skipped"],
    ["COMPLETED", "CANCELLED", "cancelled"],
    ["COMPLETED", "STALE", "stale"],
    ["COMPLETED", "FAILURE", "failure"],
    ["COMPLETED", "TIMED_OUT", "failure"],
    ["COMPLETED", "ACTION_REQUIRED", "failure"],
    ["COMPLETED", "STARTUP_FAILURE", "failure"],
    ["COMPLETED", "A_NEW_WORD", "failure"],
    ["COMPLETED", null, "pending"],
    ["QUEUED", null, "pending"],
    ["WAITING", null, "pending"],
    ["IN_PROGRESS", null, "pending"],
  ])("a run %s with %s is %s", (word, conclusion, state) => {
    expect(checksOf([run("a", { status: word, conclusion })], HEAD, [])[0]?.state).toBe(state);
  });
  test.each([
    ["SUCCESS", "success"],
    ["PENDING", "pending"],
    ["EXPECTED", "pending"],
    ["FAILURE", "failure"],
    ["ERROR", "failure"],
    ["A_NEW_WORD", "failure"],
  ])("a status %s is %s", (word, state) => {
    expect(checksOf([status("a", { state: word })], HEAD, [])[0]?.state).toBe(state);
  });

  const older = { startedAt: iso(START), completedAt: iso(START + 60_000) };
  const newer = { startedAt: iso(START + 120_000), completedAt: iso(START + 180_000) };
  test.each([
    ["a re-run", run("1", { name: "test", ...older, conclusion: "FAILURE" }), run("2", { name: "test", ...newer }), "2"],
    [
      "one still running",
      run("1", { name: "test", ...older }),
      run("2", { name: "test", startedAt: iso(START + 120_000), completedAt: null }),
      "2",
    ],
    [
      "one cancelled because its successor began",
      run("1", { name: "test", startedAt: iso(START), completedAt: iso(START + 125_000), conclusion: "CANCELLED" }),
      run("2", { name: "test", ...newer, completedAt: iso(START + 121_000) }),
      "2",
    ],
    [
      "undated ones are the oldest",
      run("2", { name: "test", ...newer, conclusion: "FAILURE" }),
      run("1", { name: "test", startedAt: null, completedAt: null }),
      "2",
    ],
    [
      "the same second: the one that is not green",
      run("1", { name: "test", ...older }),
      run("2", { name: "test", ...older, conclusion: "FAILURE" }),
      "2",
    ],
    ["two statuses", status("1", { context: "ci" }), status("2", { context: "ci", createdAt: iso(START + 1_000), state: "FAILURE" }), "2"],
  ] as const)("of two runs of one check the newest counts, in either order: %s", (_, one, other, wanted) => {
    expect(newestOf([one, other]).map(({ id }) => id)).toEqual([wanted]);
    expect(newestOf([other, one]).map(({ id }) => id)).toEqual([wanted]);
  });

  test("checks of two apps, two workflows or two events, and a status beside a run, are different checks of one name", () => {
    const all: WireContext[] = [
      run("1", { name: "test", checkSuite: suite("acme-ci") }),
      run("2", { name: "test", checkSuite: suite("other-ci") }),
      run("3", { name: "test", checkSuite: suite("github-actions", ["build", "push"]) }),
      run("4", { name: "test", checkSuite: suite("github-actions", ["build", "pull_request"]) }),
      run("5", { name: "test", checkSuite: suite("github-actions", ["lint", "push"]) }),
      status("6", { context: "test" }),
    ];
    expect(newestOf(all)).toHaveLength(6);
  });

  test("the order of the answer never matters", () => {
    const time = fc.constantFrom(null, iso(START), iso(START + 1_000), iso(START + 2_000));
    const some = fc.record({ startedAt: time, completedAt: time, conclusion: fc.constantFrom("SUCCESS", "FAILURE", "CANCELLED", null) });
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 6 }), (rows) => {
        const runs = rows.map((row, i) => run(String(i), { name: "test", ...row }));
        const ids = (list: readonly WireContext[]) => newestOf(list).map(({ id }) => id);
        for (let i = 1; i < runs.length; i += 1) expect(ids([...runs.slice(i), ...runs.slice(0, i)])).toEqual(ids(runs));
        expect(ids(runs.toReversed())).toEqual(ids(runs));
      }),
    );
  });

  test("where the server does not tell what is required, the base branch's list does", () => {
    const { isRequired: _, ...bare } = run("build");
    expect(checksOf([bare], HEAD, ["build"])[0]?.required).toBe(true);
    expect(checksOf([bare], HEAD, ["lint"])[0]?.required).toBe(false);
  });
});

describe("logins", () => {
  test.each([
    ["Copilot-Pull-Request-Reviewer[bot]", "copilot-pull-request-reviewer"],
    ["greptile-apps", "greptile-apps"],
    ["a[bot][bot]", "a[bot]"],
    ["bot", "bot"],
  ])("%s is %s", (login, plain) => {
    expect(normalised(login)).toBe(plain);
  });
  test("kind comes from the type, and a deleted account is a ghost", () => {
    expect(authorOf({ __typename: "Bot", login: "x" }, "NONE").kind).toBe("bot");
    expect(authorOf({ __typename: "User", login: "my-bot" }, "A_NEW_WORD")).toEqual({ login: "my-bot", kind: "user", association: "NONE" });
    expect(authorOf(null, "NONE")).toEqual({ login: "ghost", kind: "ghost", association: "NONE" });
  });
  test.each([
    [{ id: "U1", login: "ada" }, "test-token", "user"],
    [{ id: "U1", login: "github-actions[bot]" }, "test-token", "bot"],
    [{ id: "BOT_1", login: "acme" }, "test-token", "bot"],
    [{ id: "U1", login: "acme" }, "ghs_test", "bot"],
  ])("the viewer %j with %s is a %s", (viewer, token, kind) => {
    expect(viewerOf(viewer, token).kind).toBe(kind);
  });
});
