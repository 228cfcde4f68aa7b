/**
 * Greptile, as it behaves: one summary comment that is edited in place and names the commit it is about, inline threads in an empty review,
 * points outside the diff in the summary alone; after the first review it looks again only when a new comment mentions it.
 */
import type { Sha } from "../../core/index.js";
import type { CheckRecord } from "../world/index.js";
import type { Issue, IssueKind } from "./inspect.js";
import { BODIES, fill, linesOf, plural, suggestionOf, wordingOf } from "./render.js";
import { Agenda, canAnchor, isLive, isSpent, Notebook, rangeOf, reviewedHead, shortOf, threadsOf } from "./stage.js";
import type { Reported, ScriptedReviewer, Stage } from "./stage.js";

export interface GreptileOptions {
  readonly kinds: readonly IssueKind[];
  readonly suggests?: readonly IssueKind[];
  /** Layout of the summary: the older or the newer one. */
  readonly layout?: "v1" | "v2";
  /** At most so many new points per review. */
  readonly perRun?: number;
  /** Reviews left; a further one is answered with the notice that they are used up. */
  readonly quota?: number;
  /** Whether it makes a check run. */
  readonly check?: boolean;
}

const words = BODIES.greptile;

export const greptile = (stage: Stage, options: GreptileOptions): ScriptedReviewer => {
  const { world, pullRequest } = stage;
  const { login } = words;
  const layout = options.layout ?? "v1";
  const notebook = new Notebook(stage, login, options.kinds);
  const agenda = new Agenda(world, login);
  let runs = 0;
  let summary: string | undefined;
  let running: Sha | undefined;

  const address = `https://${world.host}/${pullRequest.repository}`;
  const badge = (issue: Issue) => words.badge[wordingOf(issue).severity];
  const values = (issue: Issue) => {
    const { title, text } = wordingOf(issue);
    return {
      title,
      text,
      path: issue.path,
      lines: linesOf(issue),
      badge: badge(issue),
      badgeFile: badge(issue).toLowerCase(),
      suggestion: suggestionOf(issue, options.suggests ?? []),
    };
  };

  const summaryText = (head: Sha, left: readonly Reported[], count: number): string => {
    const score = count === 0 ? 5 : count <= 2 ? 4 : count <= 5 ? 3 : 2;
    const outside = left.filter((entry) => entry.thread === undefined).map((entry) => entry.issue);
    const items = left.map(({ issue }, index) =>
      fill(words.promptItem, { position: index + 1, count: left.length, place: `${issue.path}:${linesOf(issue)}`, ...values(issue) }),
    );
    const files = [...new Set(left.map(({ issue }) => issue.path))];
    const changed = world.git.changedFiles(pullRequest.repository, pullRequest.base.sha, head).map((file) => file.path);
    const outsideText =
      outside.length === 0
        ? ""
        : `${fill(words.outside, {
            count: outside.length,
            items: outside
              .map((issue, index) =>
                fill(words.outsideItem, {
                  position: index + 1,
                  link: `${address}/blob/${head}/${issue.path}#L${issue.startLine}-L${issue.line}`,
                  ...values(issue),
                }),
              )
              .join("\n"),
          })}\n`;
    const findings = left
      .filter((entry) => entry.thread !== undefined)
      .map(({ issue, thread }, index) =>
        fill(words.v2.finding, {
          position: index + 1,
          url: `${address}/pull/${pullRequest.number}#discussion_r${thread?.comments[0]?.databaseId ?? 0}`,
          ...values(issue),
        }),
      );
    return fill(words[layout].summary, {
      lead: words.lead,
      score,
      verdict: words.verdicts[String(score) as keyof typeof words.verdicts],
      attention: files.length === 0 ? words.noAttention : fill(words.attention, { files: files.map((file) => `\`${file}\``).join(", ") }),
      table: changed
        .filter((path) => path.startsWith("src/"))
        .map((path) => `| \`${path}\` | ${files.includes(path) ? words.overview.found : words.overview.clean} |`)
        .join("\n"),
      outside: outsideText,
      prompt:
        items.length === 0
          ? ""
          : `${fill(words[layout].prompt, { count: items.length, s: plural(items.length), items: items.join("\n") })}\n`,
      findings:
        findings.length === 0
          ? ""
          : `${fill(words.v2.findings, { repository: encodeURIComponent(pullRequest.repository), items: findings.join("\n") })}\n`,
      risk: score >= 4 ? "Low" : score === 3 ? "Medium" : "High",
      run: runs,
      subject: (world.git.commit(pullRequest.repository, head)?.message ?? "").split("\n")[0] ?? "",
      short: shortOf(head),
      commitUrl: `${address}/commit/${head}`,
      id: pullRequest.databaseId,
    });
  };

  const finish = (head: Sha, check?: CheckRecord, most = options.perRun): void => {
    if (!isLive(pullRequest)) return;
    runs += 1;
    const { fresh, left, count } = notebook.read(head);
    const reported = fresh.slice(0, most ?? fresh.length);
    const inline = reported.filter((issue) => canAnchor(stage, head, issue));
    if (inline.length > 0) {
      const review = world.review(login, pullRequest, {
        state: "COMMENTED",
        commit: head,
        comments: inline.map((issue) => ({ path: issue.path, ...rangeOf(issue), body: fill(words.thread, values(issue)) })),
      });
      for (const [index, thread] of threadsOf(pullRequest, review).entries()) {
        const issue = inline[index];
        if (issue !== undefined) notebook.note(issue, thread);
      }
    }
    for (const issue of reported.filter((each) => !inline.includes(each))) notebook.note(issue);
    const now = [...left, ...reported.flatMap((issue) => notebook.reported.get(issue.key) ?? [])];
    const body = summaryText(head, now, count);
    if (summary === undefined) summary = world.comment(login, pullRequest, body).id;
    else world.editComment(login, summary, body);
    if (check !== undefined) {
      const files = world.git.changedFiles(pullRequest.repository, pullRequest.base.sha, head).length;
      world.updateCheck(login, check, { conclusion: "SUCCESS", summary: fill(words.checkDone, { files, comments: inline.length }) });
    }
  };

  /** Starts soon and is done later; a further call while it works on the same head changes nothing. */
  const begin = (trigger?: { readonly id: string }): void => {
    if (!isLive(pullRequest)) return;
    const head = pullRequest.head.sha;
    if (running === head) return;
    running = head;
    agenda.later(stage.pace.start, () => {
      if (isSpent(stage, login, runs, options.quota)) {
        running = undefined;
        world.review(login, pullRequest, { state: "COMMENTED", body: words.quota });
        return;
      }
      if (trigger !== undefined) world.react(login, trigger, "EYES");
      const check =
        options.check === false
          ? undefined
          : world.setCheck(login, {
              repository: pullRequest.repository,
              head,
              name: words.check,
              status: "IN_PROGRESS",
              summary: words.checkRunning,
            });
      agenda.later(stage.pace.work, () => {
        running = undefined;
        finish(reviewedHead(stage, login, head), check);
        if (trigger !== undefined) world.react(login, trigger, "THUMBS_UP");
      });
    });
  };

  const mentioned = (body: string): boolean =>
    body
      .split("\n")
      .filter((line) => !line.startsWith(">"))
      .some((line) => words.mentions.some((mention) => new RegExp(`(?:^|\\s)${mention}(?![\\w-])`, "i").test(line)));

  return {
    login,
    review: (most) => finish(pullRequest.head.sha, undefined, most),
    attach() {
      const ours = (event: { readonly pullRequest?: { readonly id: string }; readonly actor: string }): boolean =>
        event.pullRequest?.id === pullRequest.id && event.actor !== login;
      const ends = [
        world.on("pull-request-opened", (event) => {
          if (ours(event) && !pullRequest.draft) begin();
        }),
        world.on("ready", (event) => {
          if (ours(event)) begin();
        }),
        // Only a new comment starts it: an edited one does not.
        world.on("commented", (event) => {
          if (ours(event) && mentioned(event.body)) begin(event.comment);
        }),
      ];
      return () => {
        for (const end of ends) end();
        agenda.end();
      };
    },
  };
};
