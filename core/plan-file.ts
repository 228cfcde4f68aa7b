/**
 * A plan that a person or CI approves, and that is then carried out as it stands: `plan --out`, `apply`.
 * It carries each write with its preconditions and each commit as a patch; nothing else is done, and nothing of it where the
 * head or a thread has moved.
 */
import { Ajv } from "ajv";
import { whyNot } from "./changing/checked-change.js";
import type { Engine } from "./engine.js";
import { lawfulAsks } from "./iteration.js";
import { ReviewloopError } from "./errors.js";
import type { Blocker, Inbox, Lines, PlannedCommit, Report, Sha, StopDetail, Wait, Write, WriteOf } from "./model.js";
import type { Git } from "./ports.js";
import { linesWritten } from "./reading/own-lines.js";
import { stopOf } from "./stop.js";

export interface PlanDocument {
  readonly schemaVersion: 1;
  /** Of the pull request. */
  readonly url: string;
  readonly target: string;
  /** The head that it was made on. */
  readonly head: Sha;
  /** In the order in which they are carried out. */
  readonly writes: readonly Write[];
}

const sha = { type: "string", pattern: "^[0-9a-f]{40}$|^[0-9a-f]{64}$" } as const;
/** JSON Schema of a plan file. What a write's kind needs beyond this is held by the rules of each write. */
export const PLAN_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["schemaVersion", "url", "target", "head", "writes"],
  properties: {
    schemaVersion: { const: 1 },
    url: { type: "string", minLength: 1 },
    target: { type: "string", minLength: 1 },
    head: sha,
    writes: {
      type: "array",
      items: {
        type: "object",
        required: ["kind", "key", "preconditions", "why"],
        properties: {
          kind: {
            enum: [
              "push",
              "reply",
              "comment",
              "edit-comment",
              "resolve",
              "minimise",
              "request",
              "mark-ready",
              "mark-draft",
              "edit-description",
            ],
          },
          key: { type: "string", minLength: 1 },
          why: { type: "string" },
          preconditions: {
            type: "object",
            additionalProperties: false,
            properties: { head: sha, contentHash: { type: "string", minLength: 1 } },
          },
          made: {
            type: "array",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["commit", "parent", "tree", "subject", "patch", "fixed"],
              properties: {
                commit: sha,
                parent: sha,
                tree: sha,
                subject: { type: "string", minLength: 1 },
                body: { type: "string" },
                patch: { type: "string" },
                fixed: { type: "array", items: { type: "object", required: ["thread", "contentHash", "title", "summary"] } },
              },
            },
          },
        },
      },
    },
  },
} as const;

/** What a report's plan becomes in a file. */
export const planDocument = (report: Report): PlanDocument => ({
  schemaVersion: 1,
  url: report.pullRequest.url,
  target: report.target,
  head: report.head,
  writes: report.plan,
});

const ajv = new Ajv({ allErrors: true, strict: false });
const validate = ajv.compile<PlanDocument>(PLAN_SCHEMA);

/** Reads a plan file's text. Throws `PLAN_INVALID`. */
export const parsePlan = (text: string): PlanDocument => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReviewloopError("PLAN_INVALID", { problem: "it is no JSON" });
  }
  if (!validate(value)) throw new ReviewloopError("PLAN_INVALID", { problem: ajv.errorsText(validate.errors, { dataVar: "plan" }) });
  return value;
};

const threadsOf = (write: Write): readonly { readonly thread: string; readonly contentHash: string | undefined }[] => {
  if (write.kind === "reply" || write.kind === "resolve") return [{ thread: write.thread, contentHash: write.preconditions.contentHash }];
  return write.kind === "comment" ? write.answers.map(({ thread, contentHash }) => ({ thread, contentHash })) : [];
};

/** Does it carry every commit of the push, each on top of the one before, the first on the head, the last with the pushed tree? */
const isChain = ({ made = [], commits, to, tree }: WriteOf<"push">, head: Sha): boolean =>
  made.length > 0 &&
  made.length === commits.length &&
  made.every((each, index) => each.commit === commits[index] && each.parent === (made[index - 1]?.commit ?? head)) &&
  made.at(-1)?.commit === to &&
  made.at(-1)?.tree === tree;

/**
 * Pure: why a plan can't be carried out on what stands here now; empty = it can. `landed`: what the plan's head has become by its own push.
 * `done`: keys of writes that were carried out; a thread that one of them closed is as it should be.
 */
export const planMismatches = (plan: PlanDocument, inbox: Inbox, done: ReadonlySet<string>, landed?: Sha): readonly string[] => {
  const { head } = inbox.pullRequest;
  const moved =
    head.sha === plan.head || head.sha === landed
      ? []
      : [`the head is ${head.sha.slice(0, 10)}, the plan was made on ${plan.head.slice(0, 10)}`];
  const pushes = plan.writes.filter((write) => write.kind === "push");
  const unmade = pushes.some((push) => !isChain(push, plan.head))
    ? ["it brings the branch up to date first, which a patch can't carry; plan it with --sync none"]
    : [];
  const many = pushes.length > 1 ? ["it pushes more than once"] : [];
  const begun = new Set(
    plan.writes.filter((write) => done.has(write.key)).flatMap((write) => threadsOf(write).map(({ thread }) => thread)),
  );
  const threads = plan.writes.flatMap(threadsOf).flatMap(({ thread, contentHash }) => {
    const now = inbox.threads.find((each) => each.id === thread);
    if (now === undefined) return [`thread ${thread} is gone`];
    if (!now.open && !begun.has(thread)) return [`"${now.title}" was closed since`];
    return contentHash === undefined || now.contentHash === contentHash ? [] : [`somebody wrote in "${now.title}" since`];
  });
  return [...new Set([...moved, ...many, ...unmade, ...threads])];
};

/** A commit made again has another time and so another id; where the plan names the old one, it means the new one. */
const renamed = (writes: readonly Write[], made: readonly PlannedCommit[], now: readonly Sha[]): readonly Write[] => {
  let text = JSON.stringify(writes);
  for (const [index, { commit }] of made.entries()) {
    const to = now[index] ?? commit;
    text = text.replaceAll(commit, to).replaceAll(commit.slice(0, 10), to.slice(0, 10));
  }
  return JSON.parse(text) as readonly Write[];
};

/** The planned commits, made again from their patches; their ids, or why not. Nothing is journaled before all of them hold. */
const makeAgain = async (
  engine: Engine,
  git: Git,
  planned: readonly PlannedCommit[],
  head: Sha,
): Promise<{ readonly commits: readonly Sha[] } | { readonly why: string }> => {
  if (git.apply === undefined) return { why: "this worktree can't apply a patch" };
  const rules = { protected: engine.settings.trust.protected, findSecrets: engine.options.outgoing.findSecrets };
  const made: { readonly planned: PlannedCommit; readonly lines: Lines }[] = [];
  let before = await git.treeOf(head);
  for (const each of planned) {
    const tree = await git.apply(before, each.patch);
    if (tree !== each.tree) return { why: `its patch leads to the tree ${tree.slice(0, 10)}, not to ${each.tree.slice(0, 10)}` };
    const bad = await whyNot(git, before, tree, await git.changes(before, tree), rules);
    if (bad !== undefined) return { why: bad };
    made.push({ planned: each, lines: linesWritten(each.patch) });
    before = tree;
  }
  const commits: Sha[] = [];
  for (const { planned: each, lines } of made) {
    const { tree, subject, body, fixed } = each;
    const commit = await git.commit(tree, commits.at(-1) ?? head, { subject, ...(body === undefined ? {} : { body }) });
    await engine.append({ at: engine.now(), type: "work", commit, tree, fixed, lines });
    commits.push(commit);
  }
  return { commits };
};

export interface Applied {
  readonly stop: StopDetail | undefined;
  readonly waits: readonly Wait[];
  readonly blockers: readonly Blocker[];
  readonly plan: readonly Write[];
}

/** Carries a plan out: all that it says, through the one way out, and nothing else. Ends parked at the first wait. */
export const applyPlan = async (engine: Engine, plan: PlanDocument, first: Inbox): Promise<Applied> => {
  let inbox = first;
  let { writes } = plan;
  const ended = async (stop: StopDetail | undefined, waits: readonly Wait[] = []): Promise<Applied> => ({
    stop,
    waits,
    blockers: (await engine.check(inbox)).blockers,
    plan: stop?.stop === "refused" ? plan.writes : [],
  });
  const refused = (why: readonly string[]): Promise<Applied> =>
    ended({ stop: "refused", detail: `the plan does not fit any more: ${why.join("; ")}` });

  const push = writes.find((write): write is WriteOf<"push"> => write.kind === "push");
  // Killed after its push and started again: what landed is the planned tree under another id.
  const landed =
    push === undefined
      ? undefined
      : Object.values(engine.run.writes).find(
          ({ write, result }) =>
            write.kind === "push" && write.tree === push.tree && write.expected === plan.head && result?.state === "done",
        )?.write;
  const landedAs = landed?.kind === "push" ? landed : undefined;
  const landedAt = landedAs?.to;
  const done = new Set(Object.entries(engine.run.writes).flatMap(([key, { result }]) => (result?.state === "done" ? [key] : [])));
  const mismatches = planMismatches(plan, inbox, done, landedAt);
  if (mismatches.length > 0) return refused(mismatches);
  if (plan.target !== engine.settings.target) return refused([`it is for the target ${plan.target}, not for ${engine.settings.target}`]);

  const made = push?.made ?? [];
  if (push !== undefined && made.length > 0) {
    if (landedAs !== undefined && landedAt === inbox.pullRequest.head.sha) writes = renamed(writes, made, landedAs.commits);
    else {
      const { git } = engine.ports;
      const cannot = engine.cannotPush(inbox);
      if (git === undefined || cannot !== undefined)
        return refused([`it pushes, and that can't be done here: ${cannot ?? "there is no worktree"}`]);
      await git.open(inbox.pullRequest, false, engine.options.signal);
      const again = await makeAgain(engine, git, made, plan.head);
      if ("why" in again) return refused([again.why]);
      const { commits } = again;
      const to = commits.at(-1) ?? push.to;
      writes = renamed(writes, made, commits);
      engine.phase("push", `${commits.length} commit${commits.length === 1 ? "" : "s"}`);
      const { made: _made, ...bare } = push;
      const [result] = await engine.outbox.send([{ ...bare, key: `push:${to}`, commits, to }], inbox);
      if (result?.state !== "done")
        return ended({ stop: "superseded", detail: result !== undefined && "detail" in result ? result.detail : "the push was not done" });
      inbox = await engine.fetch();
      if (inbox.pullRequest.head.sha !== to) return ended({ stop: "superseded", detail: "somebody else pushed right after us" });
    }
  }

  const failed: string[] = [];
  let wrote = push !== undefined;
  let kind: Write["kind"] | undefined;
  for (const write of writes.filter((each) => each.kind !== "push")) {
    // Each kind is begun on a fresh read: a thread is resolved only once its reply is visible.
    if (kind !== undefined && kind !== write.kind) inbox = await engine.fetch();
    kind = write.kind;
    engine.phase(write.kind);
    if (write.kind === "request" && lawfulAsks(engine, { requests: [write], waits: [], tidy: [] }, inbox).length === 0) {
      engine.note(`${write.reviewer} was not asked: it was asked already, or is at it`);
      continue;
    }
    const [result] = await engine.outbox.send([write], inbox);
    if (result?.state === "done") wrote = true;
    else failed.push(`${write.kind}: ${result !== undefined && "detail" in result ? result.detail : "not done"}`);
  }
  if (kind !== undefined) inbox = await engine.fetch();
  if (failed.length > 0) return ended({ stop: "refused", detail: failed.join("; ") });
  const held = await engine.check(inbox);
  if (held.waits.length > 0) {
    await engine.append({ at: engine.now(), type: "waits", waits: held.waits });
    return ended(undefined, held.waits);
  }
  if (held.blockers.length === 0)
    return ended({ stop: "met", detail: `${plan.target} holds at ${inbox.pullRequest.head.sha.slice(0, 10)}` });
  const did = { wrote, pushed: push !== undefined, decided: false };
  const at = { inbox, blockers: held.blockers, waits: [], expired: held.expired, run: engine.run, settings: engine.settings, did };
  return ended(stopOf(at) ?? { stop: "no-progress", detail: "the plan was carried out; what is left is not in it" });
};
