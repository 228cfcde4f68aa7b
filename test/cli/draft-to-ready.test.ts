/** The preset draft-to-ready through the built command line: run whole, driven by wait, and what it leaves to read. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Report } from "../../core/index.js";
import { place } from "./sandboxed.js";
import type { Place } from "./sandboxed.js";

const COPILOT = "copilot-pull-request-reviewer";
const POINTS = ["The loop runs one too far.", "Pin the shared workflow to a commit for safety.", "This name could be a little longer."];

const AGENT = `
import { readFileSync, writeFileSync } from "node:fs";
const task = JSON.parse(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8"));
if (!task.pullRequest.body.includes("## Context") || (task.kind === "triage" && !task.rules.some((rule) => rule.includes("## Context")))) throw new Error("no context note");
const kind = (t) => t.title.startsWith("The loop") ? "actionable" : t.title.startsWith("Pin") ? "false-positive" : "nitpick";
const answer = task.kind === "triage"
  ? { decisions: task.threads.map((t) => ({ thread: t.id, kind: kind(t), why: "read it", reply: kind(t) === "false-positive" ? "The workflow is our own." : null, root: null, question: null })) }
  : (() => {
      const file = task.worktree + "/src/a.js";
      writeFileSync(file, readFileSync(file, "utf8").replace("<=", "<"));
      return { changed: task.threads.map((t) => ({ thread: t.id, summary: "compares with < now", files: ["src/a.js"] })), unfixed: [] };
    })();
writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(answer));
`;

let at: Place;
let clone: string;
let number: string;
/** Reviews once for each request; CI goes green on each head. */
const live = (points: readonly string[]): void => {
  const { world } = at.sandbox;
  const check = (head: string): void =>
    void world.setCheck("ci-app", { repository: "ada/shop", head, name: "unit", conclusion: "SUCCESS" });
  check(at.pullRequest.head.sha);
  world.subscribe((event) => {
    if (event.type === "pushed") check(event.after);
    if (event.type !== "review-requested") return;
    world.after(10, () => {
      const body = `## Pull request overview\n\nCounts.\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated ${points.length} comments.\n\n---\n\nDone.`;
      world.review(COPILOT, at.pullRequest, {
        state: "COMMENTED",
        body,
        comments: points.map((point) => ({ path: "src/a.js", line: 2, body: point })),
      });
    });
  });
};

beforeEach(async () => {
  at = await place();
  number = String(at.pullRequest.number);
  const { world } = at.sandbox;
  world.addBot(COPILOT, { requestable: true });
  world.addBot("ci-app");
  world.markDraft("ada", at.pullRequest);
  world.editDescription("ada", at.pullRequest, "Counts.\n\n## Context\n\nThe workflow is ours.");
  clone = await at.clone();
});
afterEach(async () => {
  expect(at.sandbox.unknownRequests).toEqual([]);
  await at.close();
});

const config = async (extra: object = {}): Promise<string> =>
  at.write(
    "reviewloop.json",
    JSON.stringify({
      extends: "draft-to-ready",
      gate: "node check.mjs",
      worktree: { setup: false },
      wait: { poll: "30ms", settle: "50ms", pace: "1ms" },
      ...extra,
    }),
  );

test(
  "run: asked, fixed, declined, the nitpick left, handed over; report in every shape; the ledger exported",
  { timeout: 90_000 },
  async () => {
    live(POINTS);
    const file = await config({ agent: ["command", { run: ["node", await at.write("agent.mjs", AGENT)] }] });
    const cli = (...args: readonly string[]) => at.cli([...args, "--config", file], { cwd: clone });
    const ran = await cli("run", number, "--yes", "--json", "--follow-up", "issue");
    const report = JSON.parse(ran.out) as Report;
    expect(report.error).toBeUndefined();
    expect({ code: ran.code, stop: report.stop, error: report.error }).toEqual({ code: 0, stop: "met", error: undefined });
    expect(at.pullRequest.draft).toBe(false);
    expect(at.pullRequest.threads.map((thread) => thread.resolved)).toEqual([true, true, false]);
    expect(report.remaining).toMatchObject([{ code: "left-over", what: POINTS[2] }]);
    expect([...at.sandbox.world.repository("ada/shop").issues.values()].map((issue) => issue.title)).toEqual([
      `Points left over from #${number}: Count to n`,
    ]);

    const handoff = (await cli("report", number, "--format", "handoff")).out;
    expect(handoff.split("\n")).toEqual([
      "## Report",
      `PR: ${at.url}`,
      `Head SHA: ${at.pullRequest.head.sha}`,
      "CI: unit=success",
      "Reviews: copilot=reviewed",
      "Mergeable: yes",
      "Next step: merge (a person decides)",
    ]);
    expect((await cli("report", number, "--format", "table")).out).toMatch(
      /\| copilot \| reviewed \| 3 \| 1 \| 2 \| 1 \| 2 \| 1 \| - \|[\s\S]*Remaining:\n- This name/,
    );
    expect((await cli("report", number, "--format", "markdown")).out).toMatch(/^## Count to n[\s\S]*Iteration 1 at/);
    expect(JSON.parse((await cli("report", number, "--format", "json")).out)).toMatchObject({ schemaVersion: 1, stop: "met" });
    expect((await cli("status", number)).out).toMatch(/READY {2}.*nothing but a nitpick is left/);
    expect(JSON.parse((await cli("why", "stopped", number, "--json")).out)).toMatchObject({ stop: "met", now: { state: "READY" } });
    expect((await cli("why", "stopped", number)).out).toMatch(/^met {2}.*\nstopped: .* UTC\nnow: {7}READY: /);

    expect(JSON.parse((await cli("declined", number, "--json")).out)).toMatchObject({
      declined: [{ title: POINTS[1], times: 1, reply: "The workflow is our own." }],
    });
    expect((await cli("declined", number, "--export")).code).toBe(0);
    const exported = await readFile(join(clone, ".reviewloop", "declined.jsonl"), "utf8");
    expect(JSON.parse(exported)).toMatchObject({ why: "read it", reply: "The workflow is our own.", times: 1 });
    // A report is read live: what came after the run is in it.
    at.sandbox.world.addThread("grace", at.pullRequest, { path: "src/a.js", line: 2, body: "Is n known here?" });
    const later = JSON.parse((await cli("report", number, "--json")).out) as Report;
    expect(later).toMatchObject({
      stop: "met",
      remaining: expect.arrayContaining([expect.objectContaining({ what: "Is n known here?" })]),
    });
    expect((await cli("report", number, "--format", "handoff")).out).toMatch(
      /^Mergeable: no — unresolved thread: Is n known here\?.*\nNext step: stop, handing back: 1 thread to address/m,
    );
    // Written for a person to commit: the loop pushed its fix and nothing else.
    expect(at.sandbox.world.git.fileAt("ada/shop", at.pullRequest.head.sha, ".reviewloop/declined.jsonl")).toBeUndefined();
  },
);

test("driven: wait blocks until there is something to do, and hands over at READY by itself", { timeout: 60_000 }, async () => {
  const file = await config();
  const cli = (...args: readonly string[]) => at.cli([...args, number, "--config", file, "--json"], { cwd: clone });
  live([POINTS[2] ?? ""]);
  expect(JSON.parse((await cli("status")).out)).toMatchObject({
    state: "REVIEWS_PENDING",
    next: `reviewloop request ${number} --config ${file}`,
  });
  const asked = await cli("request");
  expect({ code: asked.code, out: asked.out }).toMatchObject({ code: 0 });
  expect(JSON.parse((await cli("wait", "--timeout", "30s")).out)).toMatchObject({ state: "ADDRESSING", flipped: false });
  const nit = String(at.pullRequest.threads[0]?.comments[0]?.databaseId);
  const decided = await at.cli(["reply", number, nit, "--decision", "nitpick", "--body", "settled style", "--config", file, "--json"], {
    cwd: clone,
  });
  expect(JSON.parse(decided.out)).toMatchObject({
    done: true,
    detail: "decided; nothing is posted",
    standing: { state: "READY", next: `reviewloop wait ${number} --config ${file}` },
  });
  expect(at.pullRequest.threads[0]?.comments).toHaveLength(1);
  const handed = await cli("wait", "--timeout", "30s", "--follow-up", "issue");
  expect(handed.code).toBe(0);
  expect(JSON.parse(handed.out)).toMatchObject({ state: "READY", flipped: true, stopping: { rule: "all-nitpick" } });
  expect(at.pullRequest.draft).toBe(false);
  expect(at.sandbox.world.repository("ada/shop").issues.size).toBe(1);
});

test.each(["run", "wait", "ready"])(
  "--follow-up of %s is for a target with a stopping rule; elsewhere it is a usage error",
  async (command) => {
    const file = await config({ extends: "review-clean" });
    const before = at.sandbox.world.log.length;
    const ran = await at.cli([command, number, "--follow-up", "issue", "--config", file, "--json"], { cwd: clone });
    expect({ code: ran.code, json: JSON.parse(ran.out) as unknown }).toMatchObject({
      code: 3,
      json: { error: { code: "USAGE", message: "The target review-clean leaves nothing behind: --follow-up has no use." } },
    });
    const odd = await at.cli([command, number, "--follow-up", "letter", "--config", file], { cwd: clone });
    expect(odd).toMatchObject({ code: 3, err: expect.stringContaining("Allowed choices are issue") });
    expect(at.sandbox.world.log.length).toBe(before);
  },
);

test("the hand-off names what exactly is waited for", async () => {
  const file = await config();
  at.sandbox.world.requestBotReview("ada", at.pullRequest, COPILOT);
  const { out } = await at.cli(["report", number, "--config", file, "--format", "handoff"], { cwd: clone });
  expect(out).toContain(`Next step: wait for review on ${at.pullRequest.head.sha} by copilot`);
  expect(out).toContain("CI: none yet");
  expect(out).toMatch(/^Mergeable: no — copilot was asked/m);
});
