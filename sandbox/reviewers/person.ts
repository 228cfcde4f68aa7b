/**
 * A person who reviews: she leaves threads and questions, reads the answers a little later, looks at the code again, and resolves her own threads
 * herself. She asks for nothing and starts nobody.
 */
import type { ThreadRecord } from "../world/index.js";
import type { IssueKind } from "./inspect.js";
import { BODIES, fill, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, Notebook, rangeOf, REMARKS, shortOf, threadsOf } from "./stage.js";
import type { ScriptedReviewer, Stage } from "./stage.js";

export interface PersonOptions {
  readonly login: string;
  readonly kinds: readonly IssueKind[];
  /** Of these she asks (the first one that she finds), and takes any answer. */
  readonly asks?: readonly IssueKind[];
  /** Never comes back to her threads. */
  readonly away?: boolean;
}

export interface ScriptedPerson extends ScriptedReviewer {
  /** Asks inline about the first thing of the kinds in `asks`; undefined where there is none. */
  ask(template: string): ThreadRecord | undefined;
}

const words = BODIES.people;

export const person = (stage: Stage, options: PersonOptions): ScriptedPerson => {
  const { world, pullRequest } = stage;
  const { login } = options;
  const notebook = new Notebook(stage, login, options.kinds);
  const questions = new Notebook(stage, login, options.asks ?? []);
  const agenda = new Agenda(world, login);

  const visit = (thread: ThreadRecord): void => {
    if (!isLive(pullRequest) || thread.resolved) return;
    const { left, gone } = notebook.read(pullRequest.head.sha);
    const still = left.find((entry) => entry.thread?.id === thread.id && !REMARKS.has(entry.issue.kind));
    if (still !== undefined) {
      const said = fill(words.stillThere, { function: still.issue.function, short: shortOf(pullRequest.head.sha) });
      if (!thread.comments.some((comment) => comment.author === login && comment.body === said)) world.replyToThread(login, thread, said);
      return;
    }
    const repaired = gone.some((entry) => entry.thread?.id === thread.id);
    world.replyToThread(login, thread, repaired ? words.thanks : words.clear);
    world.resolve(login, thread);
  };

  return {
    login,
    review() {
      const head = pullRequest.head.sha;
      const issues = notebook.read(head).fresh.filter((issue) => canAnchor(stage, head, issue));
      if (issues.length === 0) return;
      const review = world.review(login, pullRequest, {
        state: "COMMENTED",
        commit: head,
        comments: issues.map((issue) => ({ path: issue.path, ...rangeOf(issue), body: wordingOf(issue).text })),
      });
      for (const [index, thread] of threadsOf(pullRequest, review).entries()) {
        const issue = issues[index];
        if (issue !== undefined) notebook.note(issue, thread);
      }
    },
    ask(template) {
      const head = pullRequest.head.sha;
      const issue = questions.read(head).fresh.find((each) => canAnchor(stage, head, each));
      if (issue === undefined) return undefined;
      const values = { list: "list", ...issue.values };
      const thread = world.addThread(login, pullRequest, {
        path: issue.path,
        ...rangeOf(issue),
        body: fill(template, values),
        commit: head,
      });
      questions.note(issue, thread);
      return thread;
    },
    attach() {
      const end = world.on("replied", (event) => {
        if (event.pullRequest.id !== pullRequest.id || event.actor === login || options.away === true) return;
        if (event.thread.comments[0]?.author !== login || world.accounts.get(event.actor)?.kind === "bot") return;
        agenda.later(stage.pace.start + stage.pace.work, () => visit(event.thread));
      });
      return () => {
        end();
        agenda.end();
      };
    },
  };
};
