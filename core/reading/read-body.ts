/** What a reviewer plugin reads from one body: for bug reports, plugin authors and `reviewloop read-body`. */
import type { Author, Severity, Signal, SignalState } from "../model.js";
import type { Post, ReviewerFacts } from "../plugin.js";
import { normalisedLogin } from "../writing/marker.js";
import { ownsText } from "../reviewer/owning.js";

export interface BodyInput {
  /** `issue_comment`, `review`, `thread` (or `review_comment`), `pr_body`, `check`. */
  readonly source: string;
  /** As REST spells it; `null` for a deleted account. */
  readonly login_rest: string | null;
  /** `Bot`, `User`, `Organization`, `Mannequin`; `null` for a deleted account. */
  readonly author_type: string | null;
  readonly body: string;
  /** The commit that GitHub binds a review or a check to. */
  readonly head?: string | null;
}

export interface BodyOutput {
  /** Name of the plugin that claims the body; `null` = none does. */
  readonly reviewer: string | null;
  readonly signal: {
    /** `absent`: the body says nothing about a review. */
    readonly state: SignalState;
    readonly score: number | null;
    readonly scoreMax: number | null;
    readonly verdict: "approve" | "needs-attention" | null;
    readonly verdictRaw: string | null;
    /** `hidden` = all that the body counts or lists without a thread; `outsideDiff` and `suppressed` are parts of it. */
    readonly counts: NonNullable<Signal["counts"]>;
    readonly reason: string | null;
    readonly retryAfterMinutes: number | null;
    readonly reviewedCommit: string | null;
  };
  readonly findings: readonly {
    readonly severity: Severity;
    readonly severityRaw: string | null;
    readonly path: string | null;
    readonly line: number | null;
    readonly endLine: number | null;
    readonly title: string;
    readonly where: string | null;
    readonly stableId: string | null;
  }[];
  /** A person's words, a notice, an acknowledgement, or a bot that reviews nothing. */
  readonly notAReview: boolean;
}

const KINDS: Readonly<Record<string, Author["kind"]>> = { bot: "bot", user: "user", organization: "organization", mannequin: "mannequin" };
const SOURCES: Readonly<Record<string, Post["source"]>> = {
  issue_comment: "issue_comment",
  review: "review",
  thread: "review_comment",
  review_comment: "review_comment",
  pr_body: "pr_body",
  check: "check",
};

const authorOf = (input: BodyInput): Author => ({
  login: input.login_rest === null ? "ghost" : normalisedLogin(input.login_rest),
  kind: input.login_rest === null ? "ghost" : (KINDS[(input.author_type ?? "user").toLowerCase()] ?? "user"),
  // Whether an account may write is not in a body: for a reading it is taken as one that may.
  association: "MEMBER",
});

const NOTHING: BodyOutput["signal"] = {
  state: "absent",
  score: null,
  scoreMax: null,
  verdict: null,
  verdictRaw: null,
  counts: {},
  reason: null,
  retryAfterMinutes: null,
  reviewedCommit: null,
};

/**
 * Pure. `notReviewers`: normalised logins of bots that are known to review nothing. A source of no known name is read as a
 * conversation comment.
 */
export const readBody = (reviewers: readonly ReviewerFacts[], input: BodyInput, notReviewers: readonly string[] = []): BodyOutput => {
  const author = authorOf(input);
  const facts = reviewers.find((each) => each.read !== undefined && ownsText(each.identities, author, input.body));
  if (facts?.read === undefined) {
    return { reviewer: null, signal: NOTHING, findings: [], notAReview: author.kind !== "bot" || notReviewers.includes(author.login) };
  }
  const source = SOURCES[input.source] ?? "issue_comment";
  const commit = input.head === undefined || input.head === null || source === "issue_comment" ? {} : { commit: input.head };
  const reading = facts.read({
    source,
    body: input.body,
    login: author.login,
    bot: author.kind === "bot",
    at: 0,
    url: "",
    id: "",
    ...commit,
  });
  const said = reading.superseded === true ? undefined : reading.signal;
  return {
    reviewer: facts.name,
    signal:
      said === undefined
        ? NOTHING
        : {
            state: said.state,
            score: said.score?.value ?? null,
            scoreMax: said.score?.max ?? null,
            verdict: said.verdict ?? null,
            verdictRaw: said.verdictRaw ?? null,
            counts: said.counts ?? {},
            reason: said.reason ?? null,
            retryAfterMinutes: said.retryAfter === undefined ? null : Math.ceil(said.retryAfter / 60_000),
            reviewedCommit: said.reviewedCommit ?? null,
          },
    findings:
      reading.notAReview === true
        ? []
        : reading.findings.map((finding) => ({
            severity: finding.severity,
            severityRaw: finding.severityRaw ?? null,
            path: finding.path ?? null,
            line: finding.line ?? null,
            endLine: finding.endLine ?? null,
            title: finding.title,
            where: finding.where ?? null,
            stableId: finding.stableId ?? null,
          })),
    notAReview: reading.notAReview ?? false,
  };
};
