/**
 * A reviewer of one's own that posts as `github-actions` or as a person: the config says which login and which marker. Without a marker nothing
 * is claimed: several workflows share the account, and people quote bots. Reads the plain forms that such reviewers use.
 */
import { defineReviewer, firstSentence, joined, ownComments, ownLines, parseBody, placeIn, plain, shortened } from "../../core/index.js";
import type { Body, BodyReading, Finding, Identity, Post, Severity } from "../../core/index.js";

export interface WorkflowReviewerOptions {
  /** Who posts for it. */
  readonly login: string;
  /** Pattern (no flags) that a body's own text or hidden comment has to match; empty = nothing is claimed. */
  readonly marker: string;
}

const SEVERITY: Readonly<Record<string, Severity>> = {
  critical: "critical",
  blocker: "critical",
  high: "high",
  major: "high",
  error: "high",
  medium: "medium",
  moderate: "medium",
  minor: "medium",
  warning: "medium",
  low: "low",
  trivial: "low",
  info: "suggestion",
  suggestion: "suggestion",
  nit: "suggestion",
  nitpick: "suggestion",
  p0: "critical",
  p1: "high",
  p2: "medium",
  p3: "low",
};

/** `[high] path:12 — text`, `- **[high]** \`path:12\` — text`; any dash. */
const ITEM = /^\s*(?:[-*]\s+|\d{1,3}[.)]\s+)?(?:\*\*)?\[([a-z0-9]{2,12})\](?:\*\*)?:?\s+(?:`([^`]+)`|(\S+?))\s*(?:—|–|-|:)\s+(\S.*)$/i;

const itemsIn = (body: Body): readonly Finding[] => {
  let where: string | undefined;
  const found: { finding: Finding; lines: string[] }[] = [];
  for (const line of ownLines(body)) {
    if (/\bcould not be (?:anchored|posted)\b/i.test(line.text)) where = "unanchored";
    const item = ITEM.exec(line.text);
    const raw = item?.[1];
    const place = item === null ? undefined : placeIn(item[2] ?? item[3] ?? "");
    const severity = raw === undefined ? undefined : SEVERITY[raw.toLowerCase()];
    if (item === null || raw === undefined || place === undefined || severity === undefined) {
      if (/^\s+\S/.test(line.text)) found.at(-1)?.lines.push(line.text.trim());
      continue;
    }
    const text = item[4] ?? "";
    found.push({
      finding: {
        title: shortened(firstSentence(plain(text))),
        body: "",
        severity,
        severityRaw: raw,
        ...place,
        ...(where === undefined ? {} : { where }),
      },
      lines: [text],
    });
  }
  return found.map(({ finding, lines }) => ({ ...finding, body: joined(lines) }));
};

const commitIn = (body: Body, text: string): { readonly reviewedCommit?: string } => {
  const hidden = ownComments(body)
    .map((comment) => /\bhead=([0-9a-f]{7,40})\b/.exec(comment.content)?.[1])
    .find((each) => each !== undefined);
  const found = hidden ?? /\b(?:reviewed commit|reviewed|commit):?\**\s*`?([0-9a-f]{7,40})\b/i.exec(text)?.[1];
  return found === undefined ? {} : { reviewedCommit: found };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  const lines = ownLines(body).map((line) => line.text);
  const text = lines.map((line) => plain(line)).join("\n");
  if (post.source === "review_comment") {
    const finding = itemsIn(body)[0];
    return { findings: finding === undefined ? [] : [finding] };
  }
  const findings = itemsIn(body);
  const posted = /\bposted (\d{1,5}) inline (?:finding|comment)/i.exec(text)?.[1];
  const lost = /\b(\d{1,5}) (?:finding|comment)(?:\(s\)|s)? could not be (?:anchored|posted)/i.exec(text)?.[1];
  const unanchored = findings.filter((finding) => finding.where === "unanchored").length;
  const hidden = Math.max(Number(lost ?? 0), posted === undefined && lost === undefined ? findings.length : unanchored);
  const stated = /^verdict:\s*([a-z][a-z -]{1,30}[a-z])\s*$/im.exec(text)?.[1];
  const counts = { ...(posted === undefined ? {} : { posted: Number(posted) }), ...(hidden === 0 ? {} : { hidden }) };
  const said = { counts, ...commitIn(body, text) };
  const some = findings.length > 0 || Number(posted ?? 0) > 0 || hidden > 0;
  const approves =
    stated === undefined
      ? /^(?:no (?:issues|findings|problems)(?: were)? found\b|posted 0 inline)/im.test(text) || posted === "0"
      : /^(?:approved?|pass(?:ed)?|clean|lgtm)$/i.test(stated);
  const raw = stated === undefined ? {} : { verdictRaw: stated };
  if (some || (stated !== undefined && !approves))
    return { signal: { state: "reviewed", verdict: "needs-attention", ...raw, ...said }, findings, covers: "full" };
  if (approves) return { signal: { state: "reviewed", verdict: "approve", ...raw, ...said }, findings, covers: "full" };
  // No verdict is no approval; what it says is read as one point.
  const title = text.split("\n").find((line) => line !== "");
  const point: Finding | undefined =
    title === undefined ? undefined : { title: shortened(firstSentence(title)), body: joined(lines), severity: "unknown" };
  return {
    signal: { state: "unknown", reason: "no verdict", ...commitIn(body, text) },
    findings,
    ...(point === undefined ? {} : { point }),
  };
};

/** A pattern that can't be compiled claims nothing. */
const pattern = (text: string): RegExp | undefined => {
  try {
    return new RegExp(text, "m");
  } catch {
    return undefined;
  }
};

const identity = ({ login = "", marker = "" }: Partial<WorkflowReviewerOptions>): readonly Identity[] => {
  const compiled = marker === "" ? undefined : pattern(marker);
  const name = login.toLowerCase().replace(/\[bot\]$/, "");
  if (compiled === undefined || name === "") return [];
  const bot = name === "github-actions" || /\[bot\]$/i.test(login);
  return [{ logins: [name], bot, marker: compiled }];
};

export const workflowReviewer = defineReviewer<WorkflowReviewerOptions>({
  name: "workflow-reviewer",
  schema: {
    type: "object",
    properties: {
      login: { type: "string", minLength: 1, default: "github-actions[bot]", description: "Who posts for it." },
      marker: {
        type: "string",
        default: "^<!-- [a-z0-9-]+-review: head=[0-9a-f]{7,40} -->$",
        description: "Pattern that its bodies match; empty = nothing is claimed.",
      },
    },
  },
  defaults: { login: "github-actions[bot]", marker: "^<!-- [a-z0-9-]+-review: head=[0-9a-f]{7,40} -->$" },
  owns: identity,
  request: { by: "push" },
  missing: "go-on",
  reviewsDrafts: true,
  rerun: true,
  wait: { poll: "15s", timeout: "20m", start: "3m" },
  body: read,
});
