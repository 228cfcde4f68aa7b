/**
 * Copilot code review, as it behaves: it works when its review is requested, leaves an overview with severities and plain inline comments, and
 * resolves those of its own threads that were repaired. It reads no answers, and forgets what was answered.
 */
import type { Sha } from "../../core/index.js";
import type { Issue, IssueKind } from "./inspect.js";
import { BODIES, fill, suggestionOf, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, isSpent, Notebook, rangeOf, reviewedHead } from "./stage.js";
import type { Reported, ScriptedReviewer, Stage } from "./stage.js";
import type { ThreadRecord } from "../world/index.js";

export interface CopilotOptions {
  readonly kinds: readonly IssueKind[];
  readonly suggests?: readonly IssueKind[];
  readonly perRun?: number;
  /** Reviews left; a further request is answered with the notice that they are used up. */
  readonly quota?: number;
}

const words = BODIES.copilot;

export const copilot = (stage: Stage, options: CopilotOptions): ScriptedReviewer => {
  const { world, pullRequest } = stage;
  const { login } = words;
  const notebook = new Notebook(stage, login, options.kinds);
  const agenda = new Agenda(world, login);
  let runs = 0;

  const picture = (issue: Issue): string => {
    const severity = words.severity[wordingOf(issue).severity];
    return fill(words.picture, { severity, file: severity.toLowerCase() });
  };
  const item = ({ issue, thread }: Reported, fresh: boolean): string =>
    fill(words.item, {
      picture: picture(issue),
      title: wordingOf(issue).title,
      id: thread?.comments[0]?.databaseId ?? 0,
      fresh: fresh ? words.fresh : "",
    });
  const list = (template: readonly string[], items: readonly string[]): string =>
    items.length === 0 ? "" : fill(template, { count: items.length, items: items.join("\n") });

  const overview = (head: Sha, open: readonly Reported[], isNew: ReadonlySet<string>, resolved: readonly Reported[]): string => {
    const counts = new Map<string, number>();
    for (const { issue } of open) counts.set(picture(issue), (counts.get(picture(issue)) ?? 0) + 1);
    const state = open.length === 0 ? "clean" : "found";
    return fill(words.overview, {
      verdict: words.verdicts[state],
      lead: words.leads[state],
      findings: open.length === 0 ? "None" : [...counts].map(([shown, count]) => `${count} ${shown}`).join(" · "),
      open: list(
        words.openList,
        open.map((entry) => item(entry, isNew.has(entry.issue.key))),
      ),
      resolved: list(
        words.resolvedList,
        resolved.map((entry) => item(entry, false)),
      ),
      title: `${pullRequest.title}.`,
      table: world.git
        .changedFiles(pullRequest.repository, pullRequest.base.sha, head)
        .filter((file) => file.path.startsWith("src/"))
        .map((file) => `| \`${file.path}\` | ${words.fileDescription} |`)
        .join("\n"),
    });
  };

  const threadText = (issue: Issue): string =>
    fill(words.thread, {
      nit: issue.kind === "short-name" ? words.nit : "",
      text: wordingOf(issue).text,
      suggestion: suggestionOf(issue, options.suggests ?? []),
    });

  const finish = (head: Sha, most = options.perRun): void => {
    if (!isLive(pullRequest)) return;
    if (isSpent(stage, login, runs, options.quota)) {
      world.review(login, pullRequest, { state: "COMMENTED", commit: head, body: words.quota });
      return;
    }
    runs += 1;
    const { fresh, left, gone } = notebook.read(head);
    const resolved = gone.filter((entry) => !entry.settled && entry.thread !== undefined);
    for (const entry of resolved) {
      entry.settled = true;
      if (entry.thread?.resolved === false) world.resolve(login, entry.thread);
    }
    const anchored = fresh.filter((issue) => canAnchor(stage, head, issue)).slice(0, most ?? fresh.length);
    // The overview names its threads by number, so they are there first, in a review that nobody sees yet.
    const review = world.review(login, pullRequest, {
      state: "PENDING",
      commit: head,
      comments: anchored.map((issue) => ({ path: issue.path, ...rangeOf(issue), body: threadText(issue) })),
    });
    const threads: readonly ThreadRecord[] = pullRequest.threads.filter((thread) => thread.comments[0]?.review === review.id);
    const made = anchored.map((issue, index) => notebook.note(issue, threads[index]));
    world.submitReview(login, review, {
      state: "COMMENTED",
      body: overview(head, [...left, ...made], new Set(anchored.map((issue) => issue.key)), resolved),
    });
  };

  return {
    login,
    review: (most) => finish(pullRequest.head.sha, most),
    attach() {
      const end = world.on("review-requested", (event) => {
        if (event.pullRequest.id !== pullRequest.id || event.login !== login) return;
        agenda.later(stage.pace.start + stage.pace.work, () => finish(reviewedHead(stage, login, pullRequest.head.sha)));
      });
      return () => {
        end();
        agenda.end();
      };
    },
  };
};
