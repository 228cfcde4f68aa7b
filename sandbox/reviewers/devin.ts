/**
 * Devin Review, as it behaves: it starts by itself when a pull request becomes ready and on each push, says so in a comment, and leaves a review
 * with a count and its threads. It answers in the threads of its own that were repaired, and reads no answers.
 */
import type { Sha } from "../../core/index.js";
import type { Issue, IssueKind } from "./inspect.js";
import { BODIES, fill, hashOf, linesOf, plural, suggestionOf, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, Notebook, rangeOf, reviewedHead, threadsOf } from "./stage.js";
import type { ScriptedReviewer, Stage } from "./stage.js";

export interface DevinOptions {
  readonly kinds: readonly IssueKind[];
  readonly suggests?: readonly IssueKind[];
  /** At most so many new points per review; what is left over comes with the next one. */
  readonly perRun?: number;
  /** Says that it hides so many findings. */
  readonly hidden?: number;
  /** Whether it makes a check run. */
  readonly check?: boolean;
  /** Reviews drafts too. */
  readonly drafts?: boolean;
}

const words = BODIES.devin;

export const devin = (stage: Stage, options: DevinOptions): ScriptedReviewer => {
  const { world, pullRequest } = stage;
  const { login } = words;
  const notebook = new Notebook(stage, login, options.kinds);
  const agenda = new Agenda(world, login);
  const badge = fill(words.badge, { repository: pullRequest.repository, number: pullRequest.number });
  let runs = 0;
  let waiting: Sha | undefined;

  const threadText = (issue: Issue, index: number): string => {
    const { title, text, severity } = wordingOf(issue);
    const job = hashOf(issue.key).toString(16).padStart(8, "0").repeat(4);
    const data = {
      id: `${issue.kind === "fixed-number" ? "ANALYSIS" : "BUG"}_pr-review-job-${job}_${String(index + 1).padStart(4, "0")}`,
      file_path: issue.path,
      start_line: issue.startLine,
      end_line: issue.line,
      side: "RIGHT",
      ...(issue.kind === "fixed-number" ? { kind: "analysis" } : {}),
    };
    return fill(words.thread, {
      data: JSON.stringify(data).replaceAll(/":/g, '": ').replaceAll(',"', ', "'),
      mark: words.mark[severity],
      title,
      text,
      path: issue.path,
      lines: linesOf(issue),
      suggestion: suggestionOf(issue, options.suggests ?? []),
      badge,
    });
  };

  const finish = (head: Sha, most = options.perRun): void => {
    if (!isLive(pullRequest)) return;
    runs += 1;
    const { fresh, gone } = notebook.read(head);
    for (const entry of gone) {
      if (entry.settled || entry.thread === undefined) continue;
      entry.settled = true;
      const said = fill(words.resolved, { text: wordingOf(entry.issue).resolved });
      world.replyToThread(login, entry.thread, said);
    }
    const anchored = fresh.filter((issue) => canAnchor(stage, head, issue)).slice(0, most ?? fresh.length);
    const hidden = options.hidden ?? 0;
    const body =
      anchored.length === 0 && hidden === 0
        ? fill(words.clean, { badge })
        : fill(words.found, {
            count: anchored.length,
            fresh: runs > 1 ? "new " : "",
            s: plural(anchored.length),
            hidden: hidden === 0 ? "" : fill(words.hidden, { count: hidden, s: plural(hidden) }),
            badge,
          });
    const review = world.review(login, pullRequest, {
      state: "COMMENTED",
      commit: head,
      body,
      comments: anchored.map((issue, index) => ({ path: issue.path, ...rangeOf(issue), body: threadText(issue, index) })),
    });
    for (const [index, thread] of threadsOf(pullRequest, review).entries()) {
      const issue = anchored[index];
      if (issue !== undefined) notebook.note(issue, thread);
    }
  };

  const begin = (): void => {
    if (!isLive(pullRequest) || (pullRequest.draft && options.drafts !== true)) return;
    const head = pullRequest.head.sha;
    if (waiting === head) return;
    waiting = head;
    agenda.later(stage.pace.start, () => {
      // A newer push has started a review of its own.
      if (waiting !== head) return;
      world.comment(login, pullRequest, words.starting);
      const check =
        options.check === true
          ? world.setCheck(login, { repository: pullRequest.repository, head, name: words.check, status: "IN_PROGRESS" })
          : undefined;
      agenda.later(stage.pace.work, () => {
        if (waiting === head) waiting = undefined;
        if (pullRequest.head.sha !== head) {
          if (check !== undefined) world.updateCheck(login, check, { conclusion: "CANCELLED" });
          return;
        }
        finish(reviewedHead(stage, login, head));
        if (check !== undefined) world.updateCheck(login, check, { conclusion: "SUCCESS" });
      });
    });
  };

  return {
    login,
    review(most) {
      if (runs === 0) world.comment(login, pullRequest, words.starting);
      finish(pullRequest.head.sha, most);
    },
    attach() {
      const ends = [
        ...(["pull-request-opened", "ready"] as const).map((type) =>
          world.on(type, (event) => {
            if (event.pullRequest.id === pullRequest.id) begin();
          }),
        ),
        world.on("pushed", (event) => {
          if (event.pullRequest?.id === pullRequest.id) begin();
        }),
        world.on("commented", (event) => {
          if (event.pullRequest.id === pullRequest.id && event.body.trim().startsWith(words.command)) begin();
        }),
      ];
      return () => {
        for (const end of ends) end();
        agenda.end();
      };
    },
  };
};
