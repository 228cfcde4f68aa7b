/** From a gated tree to draft commits, and to the push that carries them. */
import type { Engine } from "../engine.js";
import type { CommitPlan, DoneItem, Fixed, Inbox, PlannedCommit, Sha, Tree, Work, Write } from "../model.js";
import type { Git } from "../ports.js";
import { harmlessLine } from "../writing/outgoing.js";
import type { Fixing } from "./fixing.js";
import { linesWritten } from "../reading/own-lines.js";
import { treeWith, unitsOf } from "./units.js";
import type { Prepared } from "./worktree.js";

const fixedOf = (item: DoneItem): Fixed => ({
  thread: item.thread.id,
  contentHash: item.thread.contentHash,
  title: item.thread.title,
  summary: item.summary,
  ...(item.thread.reviewer === undefined ? {} : { reviewer: item.thread.reviewer }),
});

/** A message is posted like any text: what an agent says about its change may close an issue by a keyword, too. */
const harmlessPlan = ({ subject, body }: CommitPlan, folders: readonly string[]): CommitPlan => {
  const line = (text: string): string => harmlessLine(text, folders);
  return { subject: line(subject), ...(body === undefined ? {} : { body: body.split("\n").map(line).join("\n") }) };
};

/** What one commit is to hold. */
interface Step {
  readonly tree: Tree;
  readonly work: Work;
}
const worked = (done: readonly DoneItem[]): Work => ({ todo: [], done, reasons: {} });

/** One commit for everything, or, where they are kept, one for each unit; the last one always holds the gated tree. */
const stepsOf = async (engine: Engine, git: Git, fixing: Fixing, from: Tree, start: Tree): Promise<readonly Step[]> => {
  const whole: readonly Step[] = [{ tree: fixing.tree, work: fixing.work }];
  if (engine.settings.commit.style !== "kept") return whole;
  const steps: Step[] = start === from ? [] : [{ tree: start, work: worked([]) }];
  if (start === fixing.tree) return steps;
  const changes = await git.changes(start, fixing.tree);
  const units = unitsOf([...fixing.work.done, ...fixing.repairs], changes);
  for (const [index, unit] of units.entries()) {
    const tree = index === units.length - 1 ? fixing.tree : await treeWith(git, start, fixing.tree, units.slice(0, index + 1), changes);
    if (tree === undefined) {
      engine.note("The fixes are one commit: a file of theirs is no plain text and can't be told apart.");
      return whole;
    }
    // Where only claims overlap, a unit may have nothing of its own; its points are then in the commit before.
    if (tree === (steps.at(-1)?.tree ?? from) && steps.length > 0) {
      const last = steps.pop();
      steps.push({ tree, work: worked([...(last?.work.done ?? []), ...unit.items]) });
    } else steps.push({ tree, work: worked(unit.items) });
  }
  await git.checkout(fixing.tree);
  return steps;
};

/** The draft commits and the push that carries them; undefined where the tree is the remote's. */
export const commitAndPush = async (
  engine: Engine,
  prepared: Prepared,
  inbox: Inbox,
  fixing: Fixing,
): Promise<Extract<Write, { kind: "push" }> | undefined> => {
  const { git, synced } = prepared;
  const { head } = inbox.pullRequest;
  const commits: Sha[] = synced === undefined || synced.head === head.sha ? [] : [synced.head];
  const made: PlannedCommit[] = [];
  let parent = commits.at(-1) ?? head.sha;
  let from = await git.treeOf(parent);
  if (fixing.tree !== from) {
    const planned: { readonly step: Step; readonly plan: CommitPlan }[] = [];
    for (const step of await stepsOf(engine, git, fixing, from, prepared.tree)) {
      const plan = await engine.hooks.call("push", engine.ctxFor(inbox), step.work, inbox);
      if (plan === undefined) {
        engine.note("There is a change, but no plugin that commits it (git-push).");
        return undefined;
      }
      planned.push({ step, plan: harmlessPlan(plan, engine.options.outgoing.folders) });
    }
    for (const { step, plan } of planned) {
      const commit = await git.commit(step.tree, parent, plan);
      const patch = await git.patch(from, step.tree);
      const fixed = step.work.done.filter((item) => item.thread.source !== "gate").map(fixedOf);
      await engine.append({ at: engine.now(), type: "work", commit, tree: step.tree, fixed, lines: linesWritten(patch) });
      commits.push(commit);
      if (engine.options.dryRun ?? false) made.push({ ...plan, commit, parent, tree: step.tree, patch, fixed });
      parent = commit;
      from = step.tree;
    }
  }
  const to = commits.at(-1);
  if (to === undefined) return undefined;
  return {
    kind: "push",
    key: `push:${to}`,
    commits,
    to,
    tree: fixing.tree,
    expected: head.sha,
    branch: head.branch,
    force: synced?.policy === "rebase",
    preconditions: { head: head.sha },
    why: `${fixing.work.done.length} fixed`,
    ...(made.length === 0 ? {} : { made }),
  };
};
