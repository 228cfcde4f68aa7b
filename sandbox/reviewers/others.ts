/**
 * Reviewers that post from texts alone: each looks at a head when it starts (a push, its trigger, or once when the pull request opens), raises
 * its remarks as threads, and says what it has to say. Some only refuse; some are no reviewers at all.
 */
import type { Sha } from "../../core/index.js";
import type { Issue, IssueKind } from "./inspect.js";
import { BODIES, fill, hashOf, plural, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, Notebook, rangeOf, reviewedHead, shortOf, threadsOf } from "./stage.js";
import type { ScriptedReviewer, Stage } from "./stage.js";

interface Text {
  /** A new review or comment each time, or one comment that is edited. */
  readonly as: string;
  readonly body: readonly string[];
}

export interface OtherWords {
  readonly name: string;
  readonly login: string;
  /** `push`: looks at each head. `open`: looked once, and comes back when it is called. */
  readonly starts: readonly string[];
  readonly trigger?: string;
  readonly check?: string;
  /** What it says with and without remarks of its own. */
  readonly found?: Text;
  readonly clean?: Text;
  /** All that it ever says. */
  readonly notice?: Text;
  readonly thread?: readonly string[];
}

/** Posts carry whole seconds, and some of these name no commit: nobody is done in the second of the push. */
const LEAST = 2000;

export const OTHERS: readonly OtherWords[] = BODIES.others;

export const otherReviewer = (stage: Stage, words: OtherWords, kinds: readonly IssueKind[] = []): ScriptedReviewer => {
  const { world, pullRequest } = stage;
  const { login, thread } = words;
  const notebook = new Notebook(stage, login, kinds);
  const agenda = new Agenda(world, login);
  let sticky: string | undefined;

  const raised = (issue: Issue) => {
    const { title, text } = wordingOf(issue);
    const id = hashOf(issue.key).toString(16).padStart(8, "0");
    return { path: issue.path, ...rangeOf(issue), body: fill(thread ?? [], { title, text, id, path: issue.path, line: issue.line }) };
  };
  const say = (text: Text, head: Sha, issues: readonly Issue[], count: number): void => {
    const body = fill(text.body, { head, short: shortOf(head), count, s: plural(count) });
    const inReview = text.as === "review";
    if (inReview || issues.length > 0) {
      const review = world.review(login, pullRequest, {
        state: "COMMENTED",
        commit: head,
        body: inReview ? body : "",
        comments: issues.map(raised),
      });
      for (const [index, made] of threadsOf(pullRequest, review).entries()) {
        const issue = issues[index];
        if (issue !== undefined) notebook.note(issue, made);
      }
    }
    if (inReview) return;
    if (text.as === "sticky" && sticky !== undefined) world.editComment(login, sticky, body);
    else sticky = world.comment(login, pullRequest, body).id;
  };

  const finish = (head: Sha, most?: number): void => {
    if (!isLive(pullRequest)) return;
    if (words.check !== undefined)
      world.setCheck(login, { repository: pullRequest.repository, head, name: words.check, conclusion: "SUCCESS" });
    if (words.notice !== undefined) {
      say(words.notice, head, [], 0);
      return;
    }
    const { fresh, left } = notebook.read(head);
    const inline = thread === undefined ? [] : fresh.filter((issue) => canAnchor(stage, head, issue)).slice(0, most ?? fresh.length);
    const count = inline.length + left.length;
    const text = count > 0 ? words.found : words.clean;
    if (text !== undefined) say(text, head, inline, count);
    else for (const issue of inline) notebook.note(issue, world.addThread(login, pullRequest, raised(issue)));
  };

  const begin = (head: Sha): void => {
    agenda.later(LEAST + stage.pace.start + stage.pace.work, () => {
      if (pullRequest.head.sha === head) finish(reviewedHead(stage, login, head));
    });
  };

  return {
    login,
    review: (most) => finish(pullRequest.head.sha, most),
    attach() {
      const ends = [
        world.on("pushed", (event) => {
          if (event.pullRequest?.id === pullRequest.id && words.starts.includes("push")) begin(event.after);
        }),
        world.on("commented", (event) => {
          if (event.pullRequest.id !== pullRequest.id || event.actor === login || words.trigger === undefined) return;
          if (event.body.split("\n").some((line) => line.trim().toLowerCase() === words.trigger)) begin(pullRequest.head.sha);
        }),
      ];
      return () => {
        for (const end of ends) end();
        agenda.end();
      };
    },
  };
};
