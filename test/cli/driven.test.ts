/** The loop driven by hand through the built command line: one state, one next action, do it, read again. */
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BIN, place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

const COPILOT = "copilot-pull-request-reviewer";
/** Its overview of a review with so many comments. */
const overview = (comments: number): string =>
  `## Pull request overview\n\nCounts.\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated ${comments === 0 ? "no" : comments} comments.\n\n---\n\nMore about it in the docs.`;

let at: Place;
let clone: string;
let config: string;
beforeEach(async () => {
  at = await place();
  const { world } = at.sandbox;
  world.addBot(COPILOT, { requestable: true });
  world.addBot("ci-app");
  world.markDraft("ada", at.pullRequest);
  clone = await at.clone();
  config = await at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "review-clean",
      reviewers: { copilot: { rerun: false } },
      gate: "node check.mjs",
      wait: { poll: "20ms", settle: "1ms", pace: "1ms" },
    }),
  );
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const cli = async (
  command: string,
  args: readonly string[],
  input?: string,
): Promise<{ code: number; json: Record<string, unknown>; err: string }> => {
  const ran = await at.cli([command, ...args, "--config", config, "--json"], { cwd: clone, ...(input === undefined ? {} : { input }) });
  return { code: ran.code, json: JSON.parse(ran.out === "" ? "{}" : ran.out) as Record<string, unknown>, err: ran.err };
};
const number = (): string => String(at.pullRequest.number);
/** The command to paste: it says the config that was said. */
const next = (verb: string): string => `reviewloop ${verb} ${number()} --config ${config}`;
const review = (): string => {
  const { world } = at.sandbox;
  world.review(COPILOT, at.pullRequest, {
    state: "COMMENTED",
    body: overview(1),
    comments: [{ path: "src/a.js", line: 2, body: "This compares with `<=`, one too far." }],
  });
  return at.pullRequest.threads[0]?.comments[0]?.databaseId.toString() ?? "";
};

test("request, wait, threads, reply, resolve, ready, undo: each step is the one that status names", { timeout: 90_000 }, async () => {
  const { world } = at.sandbox;
  expect((await cli("status", [number()])).json).toMatchObject({ state: "REVIEWS_PENDING", next: next("request") });
  expect(await cli("ready", [number()])).toMatchObject({
    code: 1,
    json: { done: false, detail: expect.stringContaining("REVIEWS_PENDING") },
  });
  expect(at.pullRequest.draft).toBe(true);

  const asked = await cli("request", [number()]);
  expect(asked).toMatchObject({
    code: 0,
    json: {
      done: true,
      results: [{ what: "request copilot", state: "done" }],
      standing: { state: "REVIEWS_PENDING", next: next("wait") },
    },
  });
  expect(at.pullRequest.requests.map((request) => request.login)).toEqual([COPILOT]);
  expect((await cli("request", [number(), "--reviewer", "copilot"])).json).toMatchObject({
    done: false,
    detail: expect.stringContaining("has not answered"),
  });
  expect((await cli("request", [number(), "--show"])).json).toMatchObject({
    reviewers: [{ reviewer: "copilot", state: "requested", asked: { outcome: "done" } }],
  });

  const waiting = cli("wait", [number(), "--timeout", "20s"]);
  const comment = review();
  expect(await waiting).toMatchObject({ code: 0, json: { state: "ADDRESSING", timedOut: false, next: next("threads") } });

  const threads = await cli("threads", [number()]);
  expect(threads.json).toMatchObject({
    total: 1,
    threads: [
      {
        reviewer: "copilot",
        trust: "trusted",
        place: { path: "src/a.js", line: 2 },
        code: expect.stringMatching(/^> 2 for \(i = 0; i <= n; i\+\+\)$/m),
        suggestion: null,
        history: [{ author: COPILOT, bot: true, ours: false, body: "This compares with `<=`, one too far." }],
        since: { head: at.pullRequest.head.sha },
      },
    ],
  });

  expect(await cli("resolve", [number(), comment])).toMatchObject({
    code: 1,
    json: { done: false, detail: expect.stringContaining("answer is visible") },
  });
  expect(await cli("reply", [number(), comment, "--decision", "actionable", "--body", "Fixed."])).toMatchObject({
    code: 1,
    json: { detail: expect.stringContaining("push first") },
  });
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(1);

  const head = world.commitAndPush("ada", {
    repository: "ada/shop",
    branch: "topic",
    files: { "src/a.js": "one\nfor (i = 0; i < n; i++)\n" },
    message: "Compare with <",
  });
  // A draft without any check yet is not green: nothing may have registered.
  expect((await cli("status", [number()])).json).toMatchObject({ state: "ADDRESSING" });
  world.setCheck("ci-app", { repository: "ada/shop", head, name: "unit", conclusion: "SUCCESS" });
  const url = `${at.url}#discussion_r${comment}`;
  expect(
    await cli("reply", [number(), url, "--decision", "actionable", "--file", "-"], `Fixed in ${head.slice(0, 10)}: compares with < now.\n`),
  ).toMatchObject({ code: 0, json: { done: true } });
  expect(at.pullRequest.threads[0]?.comments.at(-1)?.body).toContain(`Fixed in ${head.slice(0, 10)}`);
  expect(await cli("resolve", [number(), comment])).toMatchObject({
    code: 0,
    json: { done: true, standing: { state: "READY", next: next("ready") } },
  });
  expect(at.pullRequest.threads[0]?.resolved).toBe(true);
  expect(await cli("resolve", [number(), comment])).toMatchObject({ code: 0, json: { done: true, results: [] } });

  expect(await cli("request", [number()])).toMatchObject({
    code: 0,
    json: { done: true, results: [], detail: expect.stringContaining("copilot=reviewed") },
  });
  expect(at.pullRequest.requests).toEqual([]);
  expect(await cli("ready", [number()])).toMatchObject({ code: 0, json: { done: true } });
  expect(at.pullRequest.draft).toBe(false);
  expect(await cli("ready", [number(), "--undo"])).toMatchObject({ code: 0 });
  expect(at.pullRequest.draft).toBe(true);
  expect(await cli("ready", [number()])).toMatchObject({ code: 0, json: { done: true } });
  expect(at.pullRequest.draft).toBe(false);

  const journal = await at.cli(["journal", number(), "--config", config], { cwd: clone });
  expect(journal.out).toMatch(/intends request: copilot has not reviewed/);
  expect(journal.out).toMatch(/decided actionable: .*one too far/);
});

test("--reviewer asks again on the same head once the answer is there; --cancel takes a request back", async () => {
  const first = await cli("request", [number()]);
  expect(first.code).toBe(0);
  expect(await cli("request", [number(), "--cancel"])).toMatchObject({ code: 0, json: { act: "cancel", done: true } });
  expect(at.pullRequest.requests).toEqual([]);
  review();
  expect(await cli("request", [number(), "--reviewer", "copilot"])).toMatchObject({ code: 0, json: { results: [{ state: "done" }] } });
  expect(at.pullRequest.requests.map((request) => request.login)).toEqual([COPILOT]);
  const unknown = await cli("request", [number(), "--reviewer", "nobody"]);
  expect(unknown).toMatchObject({ code: 3, json: { error: { code: "USAGE" } } });
  expect(await cli("request", [number(), "--reviewer", "devin"])).toMatchObject({ code: 1, json: { done: false } });
});

test("a request that GitHub drops is not done: exit 1", async () => {
  at.sandbox.world.faults.set("review-request-dropped");
  expect(await cli("request", [number()])).toMatchObject({ code: 1, json: { done: false, results: [{ state: "dropped" }] } });
  expect((await cli("status", [number()])).json).toMatchObject({ state: "BLOCKED", next: expect.stringContaining("was not registered") });
});

test("a person's thread is answered and left to her; a judgment is recorded and nothing is posted", async () => {
  const { world } = at.sandbox;
  world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Should this count zero?" });
  const id = at.pullRequest.threads[0]?.comments[0]?.databaseId.toString() ?? "";
  expect(await cli("reply", [number(), id, "--decision", "judgment", "--body", "Does zero count?"])).toMatchObject({
    code: 0,
    json: { done: true, results: [] },
  });
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(1);
  expect((await cli("why", [id, number()])).json).toMatchObject({
    question: "thread",
    decision: { kind: "judgment" },
    why: expect.stringContaining("Does zero count?"),
    lift: { who: "person" },
  });
  expect(await cli("reply", [number(), id, "--body", "It does, by the specification."])).toMatchObject({ code: 0 });
  expect(await cli("resolve", [number(), id])).toMatchObject({ code: 1, json: { detail: expect.stringContaining("grace raised it") } });
  expect(at.pullRequest.threads[0]?.resolved).toBe(false);
});

test("why: the nearest blocker with evidence and who lifts it; nothing was run, so nothing stopped", async () => {
  at.sandbox.world.setCheck("ci-app", { repository: "ada/shop", head: at.pullRequest.head.sha, name: "unit", conclusion: "FAILURE" });
  expect((await cli("why", ["not-ready", number()])).json).toMatchObject({
    state: "BLOCKED",
    blocker: { code: "check-failed" },
    lift: { who: "agent" },
    evidence: expect.stringContaining("http"),
    readAt: expect.stringMatching(/^\d{4}-/),
  });
  expect((await cli("why", ["stopped", number()])).json).toMatchObject({ stop: null, detail: "there was no run here" });
});

test("a check that is red on the base too is shown to a person, not given to fix", async () => {
  const { world } = at.sandbox;
  for (const head of [at.pullRequest.base.sha, at.pullRequest.head.sha])
    world.setCheck("ci-app", { repository: "ada/shop", head, name: "unit", conclusion: "FAILURE" });
  review();
  world.resolve("ada", at.pullRequest.threads[0] ?? "");
  expect((await cli("status", [number()])).json).toMatchObject({ state: "BLOCKED", why: expect.stringContaining("red on main too") });
});

test("wait: nothing to do in time is exit 2; a branch without a pull request is NO_PR", async () => {
  await cli("request", [number()]);
  const before = at.sandbox.world.log.length;
  expect(await cli("wait", [number(), "--timeout", "150ms"])).toMatchObject({
    code: 2,
    json: { state: "REVIEWS_PENDING", timedOut: true },
  });
  expect(at.sandbox.world.log.length).toBe(before);
  for (const command of ["status", "wait"])
    expect(await cli(command, [])).toMatchObject({ code: 0, json: { state: "NO_PR", next: expect.stringContaining("guard arm") } });
});

test("next is a command to paste: with the config, the preset and the URL that were given, also where no clone is", async () => {
  await at.write("reviewloop", `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  const paste = (line: string) =>
    execa("sh", ["-c", line], {
      cwd: at.folder,
      env: { ...at.environment, PATH: `${at.folder}:${at.environment["PATH"]}` },
      extendEnv: false,
      reject: false,
      stdin: "ignore",
    });
  const said = async (...flags: readonly string[]): Promise<string> => {
    const ran = await at.cli(["status", at.url, ...flags, "--json"]);
    return String((JSON.parse(ran.out) as { next: unknown }).next);
  };
  const asking = await said("--config", config);
  expect(asking).toBe(`reviewloop request ${at.url} --config ${config}`);
  expect((await paste(asking)).exitCode).toBe(0);
  expect(at.pullRequest.requests.map((request) => request.login)).toEqual([COPILOT]);
  review();
  const reading = await said("--preset", "draft-to-ready");
  expect(reading).toBe(`reviewloop threads ${at.url} --preset draft-to-ready`);
  expect((await paste(reading)).stdout).toContain("one too far");
  // Neither a shell's special characters nor what is said behind the command break the line.
  const odd = await at.write("my config (1).json", JSON.stringify({ extends: "draft-to-ready" }));
  expect((await paste(await said("--config", odd))).exitCode).toBe(0);
  const none = await at.cli(["status", "--json"], { cwd: clone });
  const { next: arm } = JSON.parse(none.out) as { next: string };
  expect((await paste(`cd ${clone} && ${arm}`)).stdout).toContain("armed");
});
