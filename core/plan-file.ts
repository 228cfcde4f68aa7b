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
import type { Blocker, Inbox, PlannedCommit, Report, Sha, StopDetail, Wait, Write, WriteOf } from "./model.js";
import type { Git } from "./ports.js";
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

/** Pure: why a plan can't be carried out on what stands here now; empty = it can. `head`: what the plan's head has become by its own push. */
export const planMismatches = (plan: PlanDocument, inbox: Inbox, landed?: Sha): readonly string[] => {
  const { head } = inbox.pullRequest;
  const moved =
    head.sha === plan.head || head.sha === landed
      ? []
      : [`the head is ${head.sha.slice(0, 10)}, the plan was made on ${plan.head.slice(0, 10)}`];
  const pushes = plan.writes.filter((write) => write.kind === "push");
  const unmade = pushes.some((push) => push.made?.length !== 1 || push.commits.length !== 1 || push.made[0]?.parent !== plan.head)
    ? ["it brings the branch up to date first, which a patch can't carry; plan it with --sync none"]
    : [];
  const many = pushes.length > 1 ? ["it pushes more than once"] : [];
  const threads = plan.writes.flatMap(threadsOf).flatMap(({ thread, contentHash }) => {
    const now = inbox.threads.find((each) => each.id === thread);
    if (now === undefined) return [`thread ${thread} is gone`];
    return contentHash === undefined || now.contentHash === contentHash ? [] : [`somebody wrote in "${now.title}" since`];
  });
  return [...new Set([...moved, ...many, ...unmade, ...threads])];
};

/** The commit made again has another time and so another id; where the plan names the old one, it means the new one. */
const renamed = (writes: readonly Write[], from: Sha, to: Sha): readonly Write[] =>
  JSON.parse(JSON.stringify(writes).replaceAll(from, to).replaceAll(from.slice(0, 10), to.slice(0, 10))) as readonly Write[];

/** The planned commit, made again from its patch; its id, or why not. */
const makeAgain = async (engine: Engine, git: Git, made: PlannedCommit): Promise<{ readonly commit: Sha } | { readonly why: string }> => {
  if (git.apply === undefined) return { why: "this worktree can't apply a patch" };
  const before = await git.treeOf(made.parent);
  const tree = await git.apply(made.parent, made.patch);
  if (tree !== made.tree) return { why: `its patch leads to the tree ${tree.slice(0, 10)}, not to ${made.tree.slice(0, 10)}` };
  const bad = await whyNot(git, before, tree, await git.changes(before, tree), {
    protected: engine.settings.trust.protected,
    findSecrets: engine.options.outgoing.findSecrets,
  });
  if (bad !== undefined) return { why: bad };
  const commit = await git.commit(tree, made.parent, { subject: made.subject, ...(made.body === undefined ? {} : { body: made.body }) });
  await engine.append({ at: engine.now(), type: "work", commit, tree, fixed: made.fixed });
  return { commit };
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
  const landedAt = landed?.kind === "push" ? landed.to : undefined;
  const mismatches = planMismatches(plan, inbox, landedAt);
  if (mismatches.length > 0) return refused(mismatches);
  if (plan.target !== engine.settings.target) return refused([`it is for the target ${plan.target}, not for ${engine.settings.target}`]);

  const made = push?.made?.[0];
  if (push !== undefined && made !== undefined) {
    if (landedAt !== undefined && landedAt === inbox.pullRequest.head.sha) writes = renamed(writes, made.commit, landedAt);
    else {
      const { git } = engine.ports;
      const cannot = engine.cannotPush(inbox);
      if (git === undefined || cannot !== undefined)
        return refused([`it pushes, and that can't be done here: ${cannot ?? "there is no worktree"}`]);
      await git.open(inbox.pullRequest, false, engine.options.signal);
      const again = await makeAgain(engine, git, made);
      if ("why" in again) return refused([again.why]);
      writes = renamed(writes, made.commit, again.commit);
      engine.phase("push", "1 commit");
      const { made: _made, ...bare } = push;
      const [result] = await engine.outbox.send(
        [{ ...bare, key: `push:${again.commit}`, commits: [again.commit], to: again.commit }],
        inbox,
      );
      if (result?.state !== "done")
        return ended({ stop: "superseded", detail: result !== undefined && "detail" in result ? result.detail : "the push was not done" });
      inbox = await engine.fetch();
      if (inbox.pullRequest.head.sha !== again.commit) return ended({ stop: "superseded", detail: "somebody else pushed right after us" });
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
