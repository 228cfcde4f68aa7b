/**
 * CodeRabbit, as it behaves: one comment that is edited through the whole life of the pull request, a commit status, a review with its count
 * (and nitpicks in its body alone), and threads that it marks and resolves itself once they are repaired.
 */
import type { Sha } from "../../core/index.js";
import type { Issue, IssueKind } from "./inspect.js";
import { BODIES, fill, hashOf, linesOf, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, isSpent, Notebook, rangeOf, REMARKS, reviewedHead, shortOf, threadsOf } from "./stage.js";
import type { ScriptedReviewer, Stage } from "./stage.js";

export interface CodeRabbitOptions {
  readonly kinds: readonly IssueKind[];
  readonly suggests?: readonly IssueKind[];
  /** Reviews left; then the comment says that the limit is reached. */
  readonly quota?: number;
}

const words = BODIES.coderabbit;

export const coderabbit = (stage: Stage, options: CodeRabbitOptions): ScriptedReviewer => {
  const { world, pullRequest } = stage;
  const { login } = words;
  const notebook = new Notebook(stage, login, options.kinds);
  const agenda = new Agenda(world, login);
  const walkthrough = fill(words.walkthrough);
  let sticky: string | undefined;
  let reviewed: Sha | undefined;
  let runs = 0;
  let running: Sha | undefined;

  const say = (body: string): void => {
    if (sticky === undefined) sticky = world.comment(login, pullRequest, body).id;
    else world.editComment(login, sticky, body);
  };
  const status = (head: Sha, state: "PENDING" | "SUCCESS", description: string): void => {
    world.setStatus(login, { repository: pullRequest.repository, head, context: words.context, state, description });
  };
  const range = (head: Sha): string => fill(words.range, { from: reviewed ?? pullRequest.base.sha, to: head });
  const values = (issue: Issue) => {
    const { title, text, severity } = wordingOf(issue);
    const given = issue.instead !== undefined && (options.suggests ?? []).includes(issue.kind);
    return {
      title,
      text,
      path: issue.path,
      lines: linesOf(issue),
      category: words.category,
      severity: words.severity[severity],
      suggestion: given ? fill(words.suggestion, { lines: (issue.instead ?? []).join("\n") }) : "",
      id: hashOf(issue.key).toString(16).padStart(8, "0").repeat(3),
    };
  };

  const nitpickText = (issues: readonly Issue[]): string => {
    if (issues.length === 0) return "";
    const paths = [...new Set(issues.map((issue) => issue.path))];
    const files = paths.map((path) => {
      const here = issues.filter((issue) => issue.path === path);
      const items = here.map((issue) => fill(words.nitpickItem, { ...values(issue), lines: `${issue.startLine}-${issue.line}` }));
      return fill(words.nitpickFile, { path, count: here.length, items: items.join("\n\n---\n\n") });
    });
    return fill(words.nitpicks, { count: issues.length, files: files.join("\n") });
  };

  const finish = (head: Sha): void => {
    if (!isLive(pullRequest)) return;
    runs += 1;
    const { fresh, gone } = notebook.read(head);
    for (const entry of gone) {
      const { thread } = entry;
      const root = thread?.comments[0];
      if (entry.settled || thread === undefined || root === undefined) continue;
      entry.settled = true;
      world.editComment(login, root, root.body + fill(words.addressed, { short: shortOf(head) }));
      if (!thread.resolved) world.resolve(login, thread);
    }
    const nitpicks = fresh.filter((issue) => REMARKS.has(issue.kind));
    const inline = fresh.filter((issue) => !nitpicks.includes(issue) && canAnchor(stage, head, issue));
    if (inline.length === 0 && nitpicks.length === 0) {
      say(fill(words.clean, { range: range(head), walkthrough }));
    } else {
      const review = world.review(login, pullRequest, {
        state: "COMMENTED",
        commit: head,
        body: fill(words.review, { count: inline.length, nitpicks: nitpickText(nitpicks), range: range(head) }),
        comments: inline.map((issue) => ({ path: issue.path, ...rangeOf(issue), body: fill(words.thread, values(issue)) })),
      });
      for (const [index, thread] of threadsOf(pullRequest, review).entries()) {
        const issue = inline[index];
        if (issue !== undefined) notebook.note(issue, thread);
      }
      for (const issue of nitpicks) notebook.note(issue);
      say(fill(words.summary, { walkthrough }));
    }
    reviewed = head;
    status(head, "SUCCESS", words.statusDone);
  };

  const begin = (): void => {
    const head = pullRequest.head.sha;
    if (!isLive(pullRequest) || running === head) return;
    if (pullRequest.draft) {
      agenda.later(stage.pace.start, () => say(fill(words.draft)));
      return;
    }
    running = head;
    agenda.later(stage.pace.start, () => {
      if (isSpent(stage, login, runs, options.quota)) {
        running = undefined;
        say(fill(words.limited));
        return;
      }
      say(fill(words.running, { range: range(head) }));
      status(head, "PENDING", words.statusRunning);
      agenda.later(stage.pace.work, () => {
        if (running === head) running = undefined;
        if (pullRequest.head.sha === head) finish(reviewedHead(stage, login, head));
      });
    });
  };

  const commanded = (body: string): boolean =>
    body.split("\n").some((line) => words.words.some((word) => line.trim().toLowerCase() === `${words.command} ${word}`));

  return {
    login,
    review: () => finish(pullRequest.head.sha),
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
          if (event.pullRequest.id !== pullRequest.id || event.actor === login || !commanded(event.body)) return;
          agenda.later(stage.pace.start, () => void world.comment(login, pullRequest, fill(words.ack)));
          begin();
        }),
      ];
      return () => {
        for (const end of ends) end();
        agenda.end();
      };
    },
  };
};
