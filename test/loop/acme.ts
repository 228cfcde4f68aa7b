/** A reviewer for tests, as a plugin and as a bot in the world: asked by a comment, answers 30 s later, one summary edited in place. */
import { defineReviewer } from "../../core/index.js";
import type { ThreadInput } from "../../sandbox/world/reviews.js";
import type { IssueCommentRecord, PullRequestRecord } from "../../sandbox/world/records.js";
import type { World } from "../../sandbox/world/world.js";

export const acme = defineReviewer({
  name: "acme",
  owns: { logins: ["acme-review"], bot: true },
  request: { by: "comment", text: "@acme review", collapse: true },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "10s", timeout: "10m", start: "3m" },
  body: (post) => {
    const score = /^Acme score (\d)\/5 for ([0-9a-f]{40})$/m.exec(post.body);
    if (post.source === "issue_comment" && score !== null) {
      return { findings: [], signal: { state: "reviewed", score: { value: Number(score[1]), max: 5 }, reviewedCommit: score[2] ?? "" } };
    }
    return { findings: [], notAReview: post.source !== "review_comment" };
  },
  satisfied: (signal) =>
    signal.score?.value === 5
      ? []
      : [{ code: "score-low", by: "acme", detail: `acme gives ${signal.score?.value ?? "no score"}`, lift: { who: "agent" } }],
});

export interface Finding extends ThreadInput {
  /** Is it still wrong in this text of the file? */
  readonly stillIn: (text: string) => boolean;
}

/** Lets the bot live in a world: it reviews at once, and again 30 s after each new trigger. */
export const acmeBot = (
  world: World,
  pullRequest: PullRequestRecord,
  findings: readonly Finding[],
  options: { readonly delay?: number } = {},
): { readonly triggers: () => number } => {
  const seen = new Set<Finding>();
  let summary: IssueCommentRecord | undefined;
  let triggers = 0;
  const review = (): void => {
    const head = pullRequest.head.sha;
    const wrong = findings.filter((finding) =>
      finding.stillIn(world.git.fileAt(pullRequest.head.repository ?? pullRequest.repository, head, finding.path) ?? ""),
    );
    for (const finding of wrong) {
      if (seen.has(finding)) continue;
      seen.add(finding);
      world.addThread("acme-review", pullRequest, {
        path: finding.path,
        body: finding.body,
        ...(finding.line === undefined ? {} : { line: finding.line }),
      });
    }
    const body = `Acme score ${wrong.length === 0 ? 5 : 2}/5 for ${head}`;
    if (summary === undefined) summary = world.comment("acme-review", pullRequest, body);
    else world.editComment("acme-review", summary, body);
  };
  review();
  world.subscribe((event) => {
    if (event.type !== "commented" || !event.comment.body.startsWith("@acme review")) return;
    triggers += 1;
    world.after(options.delay ?? 30_000, review);
  });
  return { triggers: () => triggers };
};
