/** One state and one next action, as a table; and what must hold whatever is read. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { lifecycleOf, NO_PULL_REQUEST } from "../../core/lifecycle.js";
import type { Standing } from "../../core/lifecycle.js";
import { checkBlockers, mergeBlockers } from "../../core/reading/merge-state.js";
import type { Blocker, Check, CheckState, Inbox, MergeState, PullRequest } from "../../core/model.js";
import { foldRun } from "../../core/run.js";
import { settingsFrom } from "../loop/settings.js";

const HEAD = "9a8b7c6d5e4f30211203456789abcdef76543210";
const BASE = "1f2e3d4c5b6a79880123456789abcdef01234567";
const NOON = Date.UTC(2026, 10, 3, 12);
const minutes = (count: number): number => count * 60_000;

const check = (name: string, state: CheckState, more: Partial<Check> = {}): Check => ({
  name,
  kind: "check-run",
  state,
  raw: state.toUpperCase(),
  required: false,
  head: HEAD,
  ...more,
});

const inbox = (pullRequest: Partial<PullRequest> = {}, more: Partial<Inbox> = {}): Inbox => ({
  readAt: NOON,
  viewer: { login: "ada", kind: "user" },
  pullRequest: {
    ref: { host: "github.test", owner: "ada", name: "shop", number: 7 },
    id: "PR_7",
    url: "https://github.test/ada/shop/pull/7",
    title: "Count",
    body: "",
    author: { login: "ada", kind: "user", association: "OWNER" },
    state: "open",
    draft: false,
    locked: false,
    archived: false,
    inMergeQueue: false,
    head: { sha: HEAD, branch: "topic" },
    base: { sha: BASE, branch: "main", cloneUrl: "https://github.test/ada/shop.git" },
    fork: false,
    maintainerCanModify: true,
    viewerPermission: "write",
    mergeable: "MERGEABLE",
    mergeState: "CLEAN",
    requiresConversationResolution: false,
    requiredChecks: [],
    createdAt: NOON,
    updatedAt: NOON,
    ...pullRequest,
  },
  reviewThreads: [],
  reviews: [],
  comments: [],
  reactions: [],
  checks: [check("test", "success")],
  requests: [],
  timeline: [],
  threads: [],
  signals: [],
  parties: [],
  unknownBots: [],
  notes: [],
  ...more,
});

const blocker = (code: string, who: Blocker["lift"]["who"], more: Partial<Blocker> = {}): Blocker => ({
  code,
  by: "test",
  detail: code,
  lift: { who },
  ...more,
});
const reviewer = (name: string): Blocker => blocker("review-requested", "reviewer", { lift: { who: "reviewer", name } });
const wait = (name: string) => ({ for: "reviewer", name, head: HEAD, since: NOON, until: NOON + 1, then: "stop", poll: 1 }) as const;

const run = foldRun([{ at: NOON - minutes(60), type: "head", head: HEAD }]);
const standing = (of: Inbox, blockers: readonly Blocker[] = [], more: Partial<Standing> = {}): Standing => ({
  inbox: of,
  blockers,
  waits: [],
  run,
  settings: settingsFrom({ hasAgent: false }),
  now: NOON,
  ...more,
});
const thread = blocker("undecided", "person", { thread: "T" });
const red = { checks: [check("test", "failure")] };

test.each<[string, Standing, string, RegExp, RegExp]>([
  ["met", standing(inbox()), "READY", /is met/, /a person reads it and merges/],
  [
    "met, a draft",
    standing(inbox({ draft: true, mergeState: "DRAFT" }), [blocker("draft", "person")]),
    "READY",
    /is met/,
    /^reviewloop ready 7$/,
  ],
  [
    "met, a draft that the loop hands over",
    standing(inbox({ draft: true }), [], { flips: true }),
    "READY",
    /is met/,
    /^reviewloop wait 7$/,
  ],
  ["closed before all", standing(inbox({ state: "closed", mergeState: "DIRTY" }), [thread]), "BLOCKED", /closed/, /over/],
  ["merge queue", standing(inbox({ inMergeQueue: true })), "BLOCKED", /merge queue/, /queue/],
  ["locked", standing(inbox({ locked: true }), [thread]), "BLOCKED", /locked/, /maintainer/],
  ["a conflict, although mergeable", standing(inbox({ mergeState: "DIRTY" }), [thread]), "BLOCKED", /conflicts with main/, /^git fetch/],
  [
    "a conflict that the loop may merge",
    standing(inbox({ mergeState: "DIRTY" }), [], { settings: settingsFrom({ sync: "merge" }) }),
    "BLOCKED",
    /conflicts/,
    /^reviewloop run 7$/,
  ],
  ["behind, although mergeable", standing(inbox({ mergeState: "BEHIND" })), "BLOCKED", /behind main/, /^git fetch/],
  ["a draft that conflicts", standing(inbox({ draft: true, mergeState: "DIRTY" })), "BLOCKED", /conflicts/, /^git fetch/],
  ["threads, without an agent", standing(inbox({}, red), [thread]), "ADDRESSING", /1 thread/, /^reviewloop threads 7$/],
  [
    "threads, with an agent",
    standing(inbox(), [blocker("undecided", "agent", { thread: "T" })], { settings: settingsFrom({}) }),
    "ADDRESSING",
    /1 thread/,
    /^reviewloop run 7$/,
  ],
  ["red before reviews", standing(inbox({}, red), [reviewer("copilot")]), "BLOCKED", /"test" ended as failure/, /fix the check/],
  ["cancelled is red", standing(inbox({}, { checks: [check("test", "cancelled")] })), "BLOCKED", /cancelled/, /fix/],
  ["not asked", standing(inbox(), [reviewer("copilot")]), "REVIEWS_PENDING", /to be asked: copilot/, /^reviewloop request 7$/],
  [
    "asked",
    standing(inbox(), [reviewer("copilot")], { waits: [wait("copilot")] }),
    "REVIEWS_PENDING",
    /waiting for: copilot/,
    /^reviewloop wait 7$/,
  ],
  [
    "asked and silent",
    standing(inbox(), [reviewer("copilot")], { waits: [wait("copilot")], now: NOON + 1 }),
    "REVIEWS_PENDING",
    /no answer in time: copilot/,
    /^reviewloop request 7 --reviewer copilot --cancel/,
  ],
  [
    "silent, and nobody can call it",
    standing(inbox(), [blocker("review-not-callable", "reviewer", { lift: { who: "reviewer", name: "seer" } })], {
      waits: [wait("seer")],
      now: NOON + 1,
    }),
    "REVIEWS_PENDING",
    /no answer in time: seer/,
    /^push, or leave it out: reviewers: \{ "seer": \{ required: false \} \}$/,
  ],
  [
    "two are awaited: both are named",
    standing(inbox(), [reviewer("copilot"), reviewer("devin")], { waits: [wait("copilot"), wait("devin")] }),
    "REVIEWS_PENDING",
    /waiting for: copilot, devin/,
    /^reviewloop wait 7$/,
  ],
  [
    "one was asked, one was not: that one is named",
    standing(inbox(), [reviewer("copilot"), reviewer("devin")], { waits: [wait("copilot")] }),
    "REVIEWS_PENDING",
    /to be asked: devin/,
    /^reviewloop request 7$/,
  ],
  [
    "people only",
    standing(inbox(), [blocker("person-thread", "person", { thread: "T", lift: { who: "person", name: "grace" } })]),
    "BLOCKED",
    /only people are left: grace/,
    /person-thread/,
  ],
  ["running", standing(inbox({}, { checks: [check("test", "pending")] })), "VALIDATING", /"test" is running/, /^reviewloop wait 7$/],
  [
    "red on the base too",
    standing(inbox({}, { ...red, baseChecks: [check("test", "failure", { head: BASE })] })),
    "BLOCKED",
    /red on main too/,
    /ask a maintainer/,
  ],
  ["merge state unknown", standing(inbox({ mergeState: "UNKNOWN" })), "REVIEWED", /working out/, /^reviewloop wait 7$/],
  [
    "a draft, mergeable unknown",
    standing(inbox({ draft: true, mergeable: "UNKNOWN", mergeState: "UNKNOWN" })),
    "REVIEWED",
    /working out/,
    /^reviewloop wait 7$/,
  ],
  [
    "blocked, a moment after a check ended: GitHub may not have caught up",
    standing(inbox({ mergeState: "BLOCKED" }, { checks: [check("test", "success", { completedAt: NOON - 5_000 })] })),
    "REVIEWED",
    /not caught up/,
    /^reviewloop wait 7$/,
  ],
  [
    "blocked, a moment after the last conversation was resolved by us",
    standing(inbox({ mergeState: "BLOCKED" }), [], { run: { ...run, lastWriteAt: NOON - 5_000 } }),
    "REVIEWED",
    /not caught up/,
    /^reviewloop wait 7$/,
  ],
  [
    "blocked, long after",
    standing(inbox({ mergeState: "BLOCKED" }, { checks: [check("test", "success", { completedAt: NOON - minutes(5) })] })),
    "BLOCKED",
    /a rule of main/,
    /person/,
  ],
  ["a rule nobody names", standing(inbox({ mergeState: "BLOCKED" })), "BLOCKED", /a rule of main/, /person/],
  ["approval", standing(inbox({ reviewDecision: "REVIEW_REQUIRED", mergeState: "BLOCKED" })), "BLOCKED", /approving review/, /person/],
  [
    "a draft needs no approval to be handed over",
    standing(inbox({ draft: true, reviewDecision: "REVIEW_REQUIRED" })),
    "READY",
    /is met/,
    /ready/,
  ],
  ["conflicting, although the merge state says clean", standing(inbox({ mergeable: "CONFLICTING" })), "BLOCKED", /conflicts/, /^git fetch/],
  ["hooks on the server are no obstacle", standing(inbox({ mergeState: "HAS_HOOKS" })), "READY", /is met/, /merges/],
  ["unstable: a check that is not required is red", standing(inbox({ mergeState: "UNSTABLE" }, red)), "BLOCKED", /ended as failure/, /fix/],
  [
    "unstable: a check that is not required runs",
    standing(inbox({ mergeState: "UNSTABLE" }, { checks: [check("test", "success"), check("slow", "pending")] })),
    "VALIDATING",
    /"slow" is running/,
    /^reviewloop wait 7$/,
  ],
  [
    "a check and a status of one name: both have to pass",
    standing(inbox({ requiredChecks: ["ci"] }, { checks: [check("ci", "success"), check("ci", "failure", { kind: "status" })] })),
    "BLOCKED",
    /"ci" ended as failure/,
    /fix/,
  ],
  [
    "a workflow of a first contributor waits for approval",
    standing(inbox({}, { checks: [check("ci", "failure", { raw: "ACTION_REQUIRED" })] })),
    "BLOCKED",
    /"ci" waits for somebody to act/,
    /person/,
  ],
  [
    "a required check that vanished",
    standing(inbox({ requiredChecks: ["gone"] }, { checks: [check("test", "success", { startedAt: NOON - minutes(20) })] })),
    "BLOCKED",
    /"gone" never started on this head/,
    /maintainer/,
  ],
  [
    "none yet is not green",
    standing(inbox({ mergeState: "BLOCKED" }, { checks: null }), [], { run: foldRun([{ at: NOON, type: "head", head: HEAD }]) }),
    "VALIDATING",
    /no check has registered/,
    /^reviewloop wait 7$/,
  ],
  ["changes were requested", standing(inbox({ reviewDecision: "CHANGES_REQUESTED" })), "BLOCKED", /requested changes/, /person/],
  [
    "queued and reading clean",
    standing(inbox({ inMergeQueue: true, mergeState: "CLEAN", mergeable: "MERGEABLE" })),
    "BLOCKED",
    /merge queue/,
    /take it out/,
  ],
  ["no permission", standing(inbox({ viewerPermission: "none" })), "BLOCKED", /ada may not write here/, /sign in/],
  ["archived", standing(inbox({ archived: true })), "BLOCKED", /archived/, /maintainer/],
  [
    "an issue for what is left over does not hold READY: it follows it",
    standing(inbox(), [
      blocker("follow-up", "loop", {
        lift: { who: "loop", act: { kind: "open-issue", key: "k", preconditions: {}, title: "t", body: "b", why: "w" } },
      }),
    ]),
    "READY",
    /is met/,
    /^reviewloop ready 7$/,
  ],
  [
    "a reviewer that is late",
    standing(inbox(), [reviewer("copilot")], { waits: [{ ...wait("copilot"), until: NOON - 1 }] }),
    "REVIEWS_PENDING",
    /no answer in time: copilot/,
    /^reviewloop request 7 --reviewer copilot --cancel {3}# /,
  ],
  [
    "called with a URL and a preset: the next call says them too",
    standing(inbox(), [reviewer("copilot")], { spoken: "https://github.test/ada/shop/pull/7 --preset draft-to-ready" }),
    "REVIEWS_PENDING",
    /copilot/,
    /^reviewloop request https:\/\/github\.test\/ada\/shop\/pull\/7 --preset draft-to-ready$/,
  ],
  ["unstable with nothing red is fine", standing(inbox({ mergeState: "UNSTABLE" })), "READY", /is met/, /merges/],
  [
    "the stopping rule is named",
    standing(inbox(), [], { stopping: { rule: "round-cap", detail: "6 of 6 rounds", leftovers: ["T"] } }),
    "READY",
    /6 of 6 rounds/,
    /merges/,
  ],
])("%s", (_name, given, state, why, next) => {
  const found = lifecycleOf(given);
  expect(found.state).toBe(state);
  expect(found.why).toMatch(why);
  expect(found.next).toMatch(next);
});

const openThread = { id: "T", open: true, home: "inline" } as Inbox["threads"][number];

test.each<[string, Partial<PullRequest>, boolean, string, RegExp]>([
  [
    "an open one holds a pull request that is no draft",
    { mergeState: "BLOCKED" },
    true,
    "BLOCKED",
    /requires every conversation resolved; 1 open/,
  ],
  ["none is open: it is another rule", { mergeState: "BLOCKED" }, false, "BLOCKED", /a rule of main/],
  ["GitHub's word lags behind the last one that was resolved", { mergeState: "CLEAN" }, false, "READY", /is met/],
  ["a draft is handed over first", { mergeState: "BLOCKED", draft: true }, true, "READY", /is met/],
])("conversations that the base wants resolved: %s", (_name, pullRequest, open, state, why) => {
  const of = inbox({ ...pullRequest, requiresConversationResolution: true }, { threads: open ? [openThread] : [] });
  const found = lifecycleOf(standing(of));
  expect(found.state).toBe(state);
  expect(found.why).toMatch(why);
});

test("no pull request: arm the guard, open a draft", () => {
  expect(NO_PULL_REQUEST).toMatchObject({ state: "NO_PR", next: expect.stringMatching(/guard arm.*gh pr create --draft/) });
});

test.each<[string, Partial<Inbox>, Partial<PullRequest>, number, readonly string[]]>([
  ["nothing yet, young", { checks: null }, { mergeState: "BLOCKED" }, 1, ["checks-starting"]],
  ["nothing yet, clean, and checks are unknown here", { checks: null, baseChecks: null }, {}, 1, []],
  ["nothing yet, clean, but the base has checks", { checks: null, baseChecks: [check("test", "success")] }, {}, 1, ["checks-starting"]],
  ["nothing, old: there are none", { checks: null }, { mergeState: "BLOCKED" }, 4, []],
  ["required, none yet", { checks: null }, { requiredChecks: ["test"] }, 4, ["checks-missing"]],
  ["required, none yet, young", { checks: null }, { requiredChecks: ["test"] }, 1, ["checks-missing"]],
  [
    "nothing runs, but what is required may still come",
    { checks: [check("a", "success")] },
    { requiredChecks: ["b"] },
    14,
    ["checks-missing"],
  ],
  ["pending is not never, however old", { checks: [check("test", "pending")] }, { requiredChecks: ["test"] }, 600, ["check-pending"]],
  ["an empty list is as good as none", { checks: [] }, { requiredChecks: ["test"] }, 16, ["checks-never"]],
  ["required, never", { checks: null }, { requiredChecks: ["test"] }, 16, ["checks-never"]],
  [
    "a summary job comes when others end",
    { checks: [check("a", "pending")] },
    { requiredChecks: ["all"] },
    16,
    ["checks-missing", "check-pending"],
  ],
  ["a required name that vanished", { checks: [check("a", "success")] }, { requiredChecks: ["b"] }, 16, ["checks-never"]],
  [
    "red on the base under another app is ours",
    { checks: [check("a", "failure", { app: "one" })], baseChecks: [check("a", "failure", { app: "two" })] },
    {},
    16,
    ["check-failed"],
  ],
  ["red on the base too", { checks: [check("a", "failure")], baseChecks: [check("a", "failure")] }, {}, 16, ["check-red-on-base"]],
  ["running on the base says nothing", { checks: [check("a", "failure")], baseChecks: [check("a", "pending")] }, {}, 16, ["check-failed"]],
  ["the base was not read", { checks: [check("a", "failure")] }, {}, 16, ["check-failed"]],
  ["somebody has to approve", { checks: [check("a", "failure", { raw: "ACTION_REQUIRED" })] }, {}, 16, ["check-action-required"]],
  ["skipped and neutral pass", { checks: [check("a", "skipped"), check("b", "neutral")] }, {}, 16, []],
  ["stale is not green", { checks: [check("a", "stale")] }, {}, 16, ["check-failed"]],
])("checks: %s", (_name, more, pullRequest, age, codes) => {
  expect(checkBlockers(inbox(pullRequest, more), NOON - minutes(age), NOON).map((each) => each.code)).toEqual(codes);
});

test("a check that began on the head tells its age, where no journal does", () => {
  const of = inbox({ requiredChecks: ["b"] }, { checks: [check("a", "success", { startedAt: NOON - minutes(30) })] });
  expect(checkBlockers(of, NOON, NOON).map((each) => each.code)).toEqual(["checks-never"]);
});

const anyPullRequest = fc.record({
  draft: fc.boolean(),
  mergeable: fc.constantFrom<PullRequest["mergeable"]>("MERGEABLE", "CONFLICTING", "UNKNOWN"),
  mergeState: fc.constantFrom<MergeState>("BEHIND", "BLOCKED", "CLEAN", "DIRTY", "DRAFT", "HAS_HOOKS", "UNKNOWN", "UNSTABLE"),
  state: fc.constantFrom<PullRequest["state"]>("open", "closed", "merged"),
  inMergeQueue: fc.boolean(),
  requiredChecks: fc.subarray(["test", "lint"]),
});
const anyChecks = fc.option(
  fc.array(fc.constantFrom<CheckState>("pending", "success", "neutral", "skipped", "failure", "cancelled", "stale"), { maxLength: 2 }),
);
const anyBlockers = fc.array(
  fc.record({
    who: fc.constantFrom<Blocker["lift"]["who"]>("loop", "agent", "reviewer", "ci", "person", "environment"),
    thread: fc.boolean(),
  }),
  { maxLength: 3 },
);

test("READY is never said over a conflict, a red or running check, a blocker, an unknown merge state or a closed pull request", () => {
  let ready = 0;
  fc.assert(
    fc.property(anyPullRequest, anyChecks, anyBlockers, (pullRequest, states, given) => {
      const checks = states === null ? null : states.map((state, index) => check(["test", "lint"][index] ?? "", state));
      const blockers = given.map(({ who, thread: on }) => blocker("x", who, on ? { thread: "T" } : {}));
      const found = lifecycleOf(standing(inbox(pullRequest, { checks }), blockers));
      expect(found.next).not.toBe("");
      if (found.state !== "READY") return;
      ready += 1;
      expect(blockers).toEqual([]);
      expect(pullRequest.state).toBe("open");
      expect(pullRequest.inMergeQueue).toBe(false);
      expect(pullRequest.mergeable).toBe("MERGEABLE");
      expect(["DIRTY", "BEHIND"]).not.toContain(pullRequest.mergeState);
      if (!pullRequest.draft) expect(["UNKNOWN", "BLOCKED"]).not.toContain(pullRequest.mergeState);
      for (const each of checks ?? []) expect(["success", "neutral", "skipped"]).toContain(each.state);
    }),
    { numRuns: 2000 },
  );
  expect(ready).toBeGreaterThan(0);
});

test("what is missing at READY would be a merge blocker", () => {
  fc.assert(
    fc.property(anyPullRequest, (pullRequest) => {
      const of = inbox({ ...pullRequest, state: "open", inMergeQueue: false });
      const left = mergeBlockers(of, NOON - minutes(60), NOON, "none");
      expect(lifecycleOf(standing(of)).state === "READY").toBe(left.length === 0);
    }),
  );
});
