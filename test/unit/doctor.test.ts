import { describe, expect, test } from "vitest";
import { DOCTOR_CHECKS, doctorLines, uncoveredBy } from "../../core/doctor.js";
import type { DoctorCheck, Examined } from "../../core/doctor.js";
import type { Inbox } from "../../core/model.js";
import { threadsOf } from "../../core/reading/threads.js";
import { DEFAULTS } from "../loop/settings.js";
import { alice, bot, HEAD, inline, message, ours, review, run, snapshot, viewer } from "./building.js";

const inboxOf = (parts: Parameters<typeof snapshot>[0] = {}, more: Partial<Inbox> = {}): Inbox => {
  const of = snapshot(parts);
  const threads = threadsOf(of, { run: run(), ours, trust: DEFAULTS.trust });
  return { ...of, threads, signals: [], parties: [], unknownBots: [], notes: [], ...more };
};

const fine: Examined = {
  host: "github.test",
  account: { login: "loop-user", kind: "user" },
  git: { version: "2.43.0", root: "/home/me/widgets", identity: true },
  remote: { wanted: "acme/widgets", here: ["acme/widgets"] },
  config: { file: "reviewloop.config.ts", target: "review-clean" },
  settings: DEFAULTS,
  gates: [{ name: "npm test", run: "npm test" }],
  hooks: [],
  agents: [{ state: "ready", line: "claude 2.1.0: ready.", lacks: [] }],
  inbox: inboxOf(),
  checkoutHead: HEAD,
  trustHead: false,
  jobToken: false,
};
const lineOf = (examined: Examined, check: DoctorCheck) => doctorLines(examined).find((line) => line.check === check);
const trouble = { problem: "It is not there", fix: "Put it there." };
const pr = (pullRequest: NonNullable<Parameters<typeof snapshot>[0]>["pullRequest"]) => ({
  ...fine,
  inbox: inboxOf({ pullRequest: { ...pullRequest } }),
});

test("a sound place has a line for each check, none of them red", () => {
  const lines = doctorLines(fine);
  expect(lines.map((line) => line.check)).toEqual([...DOCTOR_CHECKS]);
  expect(lines.filter((line) => line.state !== "ok")).toEqual([]);
});

describe("each line has something that makes it red, and says what to do", () => {
  const cases: readonly (readonly [DoctorCheck, string, Examined, string])[] = [
    ["sign-in", "nobody is signed in", { ...fine, account: trouble }, "It is not there"],
    ["git", "no git", { ...fine, git: trouble }, "It is not there"],
    ["git", "an old git", { ...fine, git: { version: "2.37.9", identity: true } }, "2.37.9 is too old"],
    ["git", "no identity", { ...fine, git: { version: "2.43.0", identity: false } }, "no name and address"],
    ["remote", "another repository's checkout", { ...fine, remote: { wanted: "acme/widgets", here: ["acme/gears"] } }, "acme/gears"],
    ["remote", "no remote of this host", { ...fine, remote: { here: [] } }, "no remote leads to github.test"],
    ["config", "a broken config", { ...fine, config: trouble }, "It is not there"],
    ["pull-request", "none of this number", { ...fine, inbox: trouble }, "It is not there"],
    ["pull-request", "a merged one", pr({ state: "merged" }), "#7 is merged"],
    ["pull-request", "one in the queue", pr({ inMergeQueue: true }), "merge queue"],
    ["pull-request", "a locked one", pr({ locked: true }), "locked"],
    ["head", "a fork that is gone", pr({ fork: true }), "the fork is gone"],
    ["head", "a conflict", pr({ mergeState: "DIRTY" }), "conflicts with main"],
    ["permissions", "somebody else's pull request", pr({ author: alice }), "alice opened this pull request"],
    ["permissions", "no write access", pr({ viewerPermission: "read" }), "no write permission"],
    [
      "permissions",
      "threads that can't be resolved",
      { ...fine, inbox: inboxOf({ reviewThreads: [inline([message(bot("acme"), "No.", 1)], { viewerCanResolve: false })] }) },
      "can't be resolved",
    ],
    [
      "permissions",
      "a review of ours that is not submitted",
      { ...fine, inbox: inboxOf({ reviews: [review(message(viewer, "", 1), { state: "PENDING" })] }) },
      "not submitted",
    ],
    ["gate", "none", { ...fine, settings: { ...DEFAULTS, gate: undefined } }, "nothing is pushed"],
    [
      "gate",
      "a missing program",
      { ...fine, gates: [{ name: "npm test", run: "npm test", problem: "npm was not found" }] },
      "npm was not found",
    ],
    [
      "hooks",
      "one that the gate lacks",
      { ...fine, hooks: [{ name: "pre-push", uncovered: ["npm run lint"] }] },
      "pre-push (npm run lint)",
    ],
    ["agent", "one that is not installed", { ...fine, agents: [{ state: "missing", line: "claude: not found.", lacks: [] }] }, "not found"],
    [
      "agent",
      "one that can't do its work",
      { ...fine, agents: [{ state: "ready", line: "x: can't do fix.", lacks: ["fix"] }] },
      "can't do fix",
    ],
    [
      "reviewers",
      "a required one that never came",
      { ...fine, inbox: inboxOf({}, { parties: [{ reviewer: "greptile", required: true, seen: false, awaited: true }] }) },
      "greptile",
    ],
    ["workflows", "the token of a job", { ...fine, jobToken: true }, "GITHUB_TOKEN start no workflow"],
  ];

  test("an agent that says that it is not signed in is a note: a provider of one's own needs no sign-in", () => {
    const agents = [{ state: "ready", line: "codex 0.1.0: ready; not signed in.", lacks: [], signedIn: false }] as const;
    const line = doctorLines({ ...fine, agents }).find((each) => each.check === "agent");
    expect(line).toMatchObject({ state: "note", says: agents[0].line, fix: expect.stringContaining("Sign in") as string });
  });

  test.each(cases)("%s: %s", (check, _what, examined, says) => {
    const line = lineOf(examined, check);
    expect(line).toMatchObject({ state: "red" });
    expect(line?.says).toContain(says);
    expect(line?.fix).toMatch(/\S/);
    expect(lineOf(fine, check)?.state).toBe("ok");
  });

  test("no check is without such a case", () => {
    expect(new Set(cases.map(([check]) => check))).toEqual(new Set(DOCTOR_CHECKS));
  });
});

test("what works and may be meant otherwise is a note", () => {
  const notes: Examined = {
    ...fine,
    git: { version: "2.43.0", identity: true },
    config: { target: "review-clean" },
    settings: { ...DEFAULTS, gate: false },
    agents: [],
    checkoutHead: "0".repeat(40),
  };
  expect(doctorLines(notes).flatMap((line) => (line.state === "note" ? [line.check] : []))).toEqual([
    "git",
    "config",
    "head",
    "gate",
    "agent",
  ]);
});

test("what can't be looked at has no line", () => {
  const { inbox: _inbox, settings: _settings, agents: _agents, gates: _gates, ...rest } = fine;
  expect(doctorLines({ ...rest, config: trouble }).map((line) => line.check)).toEqual([
    "sign-in",
    "git",
    "remote",
    "config",
    "hooks",
    "workflows",
  ]);
});

describe("hooks and the gate", () => {
  test.each([
    ["#!/bin/sh\nnpm run lint\n", ["npm run lint"], []],
    ["#!/bin/sh\nset -e\nnpm run lint || exit 1\nnpm test\n", ["npm test"], ["npm run lint"]],
    ['#!/bin/sh\nexec npm run lint "$@"\n', ["npm run lint && npm test"], []],
    ['#!/usr/bin/env bash\nif [ -z "$CI" ]; then\n  make check\nfi\n', ["npm test"], ["make check"]],
    ["#!/bin/sh\nexec pre-commit hook-impl --config .pre-commit-config.yaml\n", ["pre-commit run --all-files"], []],
    ["#!/bin/sh\n# nothing here\n", [], []],
  ])("%j with %j leaves %j", (hook, gates, left) => {
    expect(uncoveredBy(hook, gates)).toEqual(left);
  });
});
