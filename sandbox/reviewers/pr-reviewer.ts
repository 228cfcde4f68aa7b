/** `pr-reviewer`, an agent that posts through a person's account: one report comment, rewritten each run, and a pointer review with its threads. */
import type { Sha } from "../../core/index.js";
import type { IssueKind } from "./inspect.js";
import { BODIES, fill, plural, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, Notebook, rangeOf, reviewedHead, shortOf, threadsOf } from "./stage.js";
import type { ScriptedReviewer, Stage } from "./stage.js";

export interface PrReviewerOptions {
  readonly kinds: readonly IssueKind[];
  /** The account that runs it. */
  readonly login?: string;
}

const words = BODIES["pr-reviewer"];

export const prReviewer = (stage: Stage, options: PrReviewerOptions): ScriptedReviewer => {
  const { world, pullRequest } = stage;
  const login = options.login ?? words.login;
  const notebook = new Notebook(stage, login, options.kinds);
  const agenda = new Agenda(world, login);
  let report: string | undefined;

  const finish = (head: Sha): void => {
    if (!isLive(pullRequest)) return;
    const { fresh, left } = notebook.read(head);
    const inline = fresh.filter((issue) => canAnchor(stage, head, issue));
    const count = left.length + inline.length;
    const body = fill(words.report, {
      headline: count === 0 ? words.pass : fill(words.fail, { count, s: plural(count) }),
      short: shortOf(head),
      gate: count === 0 ? words.gatePass : words.gateFail,
      details: count === 0 ? "" : fill(words.details, { count }),
    });
    if (report === undefined) report = world.comment(login, pullRequest, body).id;
    else world.editComment(login, report, body);
    if (inline.length === 0) return;
    const comment = pullRequest.comments.find((each) => each.id === report);
    const review = world.review(login, pullRequest, {
      state: "COMMENTED",
      commit: head,
      body: fill(words.pointer, {
        short: shortOf(head),
        count: inline.length,
        url: `https://${world.host}/${pullRequest.repository}/pull/${pullRequest.number}#issuecomment-${comment?.databaseId ?? 0}`,
      }),
      comments: inline.map((issue) => {
        const { title, text } = wordingOf(issue);
        return { path: issue.path, ...rangeOf(issue), body: fill(words.thread, { title, text }) };
      }),
    });
    for (const [index, thread] of threadsOf(pullRequest, review).entries()) {
      const issue = inline[index];
      if (issue !== undefined) notebook.note(issue, thread);
    }
  };

  return {
    login,
    review: () => finish(pullRequest.head.sha),
    attach() {
      const end = world.on("pushed", (event) => {
        if (event.pullRequest?.id !== pullRequest.id) return;
        const head = event.after;
        agenda.later(stage.pace.start + stage.pace.work, () => {
          if (pullRequest.head.sha === head) finish(reviewedHead(stage, login, head));
        });
      });
      return () => {
        end();
        agenda.end();
      };
    },
  };
};
