import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readBody } from "../../../core/index.js";
import type { BodyInput, BodyOutput } from "../../../core/index.js";
import * as reviewers from "../../../plugins/reviewers/index.js";
import { notReviewers } from "../../../plugins/reviewers/not-reviewers.js";

interface Meaning {
  readonly score?: number | null;
  readonly score_max?: number;
  readonly verdict?: string;
  readonly verdict_raw?: string;
  readonly findings: readonly {
    severity: string;
    severity_raw?: string;
    path?: string;
    line?: number;
    end_line?: number;
    title: string;
    where?: string;
  }[];
  readonly reported_count?: number;
  readonly hidden_count?: number;
  readonly clean?: boolean;
  readonly in_progress?: boolean;
  readonly skipped?: boolean;
  readonly skip_reason?: string;
  readonly rate_limited?: boolean;
  readonly retry_after_minutes?: number;
  readonly paused?: boolean;
  readonly error?: boolean;
  readonly superseded?: boolean;
  readonly not_a_review?: boolean;
  readonly reviewed_commit?: string;
}
interface Case extends BodyInput {
  readonly id: string;
  readonly bot: string;
  readonly meaning: Meaning;
}

const cases = readFileSync(new URL("../../fixtures/reviewer-bodies.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);
/** The account of the local source is a matter of the config: login and marker. */
const local = reviewers.workflowReviewer({ login: "agent-user", marker: "^verdict: " });
const plugins = [...Object.values(reviewers).map((factory) => factory()), local];
const facts = plugins.flatMap((plugin) => plugin.reviewer ?? []);
const read = (input: BodyInput): BodyOutput => readBody(facts, input, notReviewers);

const stateOf = (meaning: Meaning): string | undefined => {
  if (meaning.error === true) return "failed";
  if (meaning.paused === true) return "paused";
  if (meaning.rate_limited === true) return "limited";
  if (meaning.skipped === true) return "skipped";
  if (meaning.in_progress === true) return "running";
  if (meaning.clean !== undefined || meaning.verdict !== undefined) return "reviewed";
  return undefined;
};

describe("each body of the fixture", () => {
  test.each(cases.map((each) => [each.id, each] as const))("%s", (_id, each) => {
    const { meaning } = each;
    const out = read(each);
    const seen = {
      state: stateOf(meaning) === undefined ? undefined : out.signal.state,
      score: meaning.score === undefined ? undefined : out.signal.score,
      scoreMax: meaning.score_max === undefined ? undefined : out.signal.scoreMax,
      verdict: meaning.verdict === undefined ? undefined : out.signal.verdict,
      verdictRaw: meaning.verdict_raw === undefined ? undefined : out.signal.verdictRaw,
      posted: meaning.reported_count === undefined ? undefined : out.signal.counts.posted,
      hidden: meaning.hidden_count === undefined ? undefined : out.signal.counts.hidden,
      reason: meaning.skip_reason === undefined ? undefined : out.signal.reason,
      retry: meaning.retry_after_minutes === undefined ? undefined : out.signal.retryAfterMinutes,
      commit: meaning.reviewed_commit === undefined || each.source === "thread" ? undefined : out.signal.reviewedCommit,
      notAReview: meaning.not_a_review === undefined ? undefined : out.notAReview,
      findings: out.findings.map((finding, index) => ({
        severity: finding.severity,
        severity_raw: meaning.findings[index]?.severity_raw === undefined ? undefined : finding.severityRaw,
        path: meaning.findings[index]?.path === undefined ? undefined : finding.path,
        line: finding.line ?? undefined,
        end_line: finding.endLine ?? undefined,
        title: finding.title,
        where: meaning.findings[index]?.where === undefined ? undefined : finding.where,
      })),
    };
    expect(seen).toEqual({
      state: stateOf(meaning),
      score: meaning.score,
      scoreMax: meaning.score_max,
      verdict: meaning.verdict,
      verdictRaw: meaning.verdict_raw,
      posted: meaning.reported_count,
      hidden: meaning.hidden_count,
      reason: meaning.skip_reason,
      retry: meaning.retry_after_minutes,
      commit: each.source === "thread" ? undefined : meaning.reviewed_commit,
      notAReview: meaning.not_a_review,
      findings: meaning.findings.map(({ severity, severity_raw, path, line, end_line, title, where }) => ({
        severity,
        severity_raw,
        path,
        line,
        end_line,
        title,
        where,
      })),
    });
  });
});
