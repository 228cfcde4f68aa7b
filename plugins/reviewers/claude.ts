/**
 * Claude in three shapes: the action (one comment, edited, free text below a line), the code-review plugin (a numbered list with links), and
 * the managed review (threads with a mark, a neutral check). Where it posts as `github-actions` or as a person, only the shape tells it.
 */
import {
  blobPlace,
  boldIn,
  defineReviewer,
  findComment,
  firstSentence,
  joined,
  opening,
  ownLines,
  parseBody,
  plain,
  shortened,
  topLines,
} from "../../core/index.js";
import type { Body, BodyReading, Finding, Identity, Post, Severity } from "../../core/index.js";

export interface ClaudeOptions {
  /** Accounts of people that the plugin posts as; their texts count only in its shape. */
  readonly authors: readonly string[];
}

const SEVERITY: Readonly<Record<string, Severity>> = { important: "high", nit: "suggestion", "pre-existing": "low" };
const MARK = /^(?:🔴|🟡|🟣)\s*(?:\*\*)?(Important|Nit|Pre-existing)\b:?(?:\*\*)?:?\s*(.*)$/iu;
const BY_MARK: Readonly<Record<string, string>> = { "🔴": "Important", "🟡": "Nit", "🟣": "Pre-existing" };

const threadReading = (body: Body): BodyReading => {
  const lines = topLines(body).map((line) => line.text.trim());
  const at = lines.findIndex((line) => line !== "");
  const first = lines[at] ?? "";
  const marked = MARK.exec(first);
  const mark = Array.from(first)[0] ?? "";
  const raw = marked?.[1] ?? BY_MARK[mark];
  if (raw === undefined) return { findings: [] };
  const rest = marked?.[2] ?? first.slice(mark.length);
  const words = plain(rest) === "" ? (lines.slice(at + 1).find((line) => plain(line) !== "") ?? "") : rest;
  const bold = words.startsWith("**") ? boldIn(words) : undefined;
  return {
    findings: [
      {
        title: shortened(firstSentence(plain(bold ?? words))),
        body: joined(lines),
        severity: SEVERITY[raw.toLowerCase()] ?? "unknown",
        severityRaw: raw,
      },
    ],
  };
};

/** `1. text`, then a link into a file. */
const listed = (body: Body): { readonly findings: readonly Finding[]; readonly commit: string | undefined } => {
  const items: string[][] = [];
  for (const line of topLines(body)) {
    const item = /^\s{0,3}\d{1,3}[.)]\s+(.+)$/.exec(line.text)?.[1];
    if (item !== undefined) items.push([item]);
    else items.at(-1)?.push(line.text.trim());
  }
  let commit: string | undefined;
  const findings = items.map((lines): Finding => {
    const link = lines
      .flatMap((line) => /https?:\/\/[^\s<>()]+/.exec(line)?.[0] ?? [])
      .map((url) => blobPlace(url))
      .find((place) => place !== undefined);
    commit ??= link?.commit;
    const place =
      link === undefined
        ? {}
        : {
            path: link.path,
            ...(link.line === undefined ? {} : { line: link.line }),
            ...(link.endLine === undefined ? {} : { endLine: link.endLine }),
          };
    const text = lines.filter((line) => !/^\s*https?:\/\/\S+$/.test(line));
    return { title: shortened(firstSentence(plain(lines[0] ?? ""))), body: joined(text), severity: "unknown", ...place };
  });
  return { findings, commit };
};

const pluginReading = (body: Body): BodyReading | undefined => {
  const start = opening(body, 3);
  if (!/^#{2,4}\s+Code review\s*$/im.test(start)) return undefined;
  if (/^No issues found\. Checked for\b/im.test(start)) {
    return { signal: { state: "reviewed", verdict: "approve", counts: { posted: 0 } }, findings: [], covers: "full" };
  }
  const claimed = /^Found (\d{1,4}) issues?:?\s*$/im.exec(start)?.[1];
  const { findings, commit } = listed(body);
  if (claimed === undefined && findings.length === 0)
    return { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] };
  const count = Math.max(Number(claimed ?? 0), findings.length);
  return {
    signal: {
      state: "reviewed",
      verdict: count > 0 ? "needs-attention" : "approve",
      counts: { posted: 0, hidden: count },
      ...(commit === undefined ? {} : { reviewedCommit: commit }),
    },
    findings,
    covers: "full",
  };
};

/** No grammar stands below the line: the whole text is one point to be read. */
const wholeText = (lines: readonly string[]): { readonly point?: Finding } => {
  const words = lines.map((line) => plain(line)).filter((line) => line !== "" && !/^-{3,}$/.test(line));
  const title = words[0];
  return title === undefined ? {} : { point: { title: shortened(firstSentence(title)), body: joined(lines), severity: "unknown" } };
};

const actionReading = (body: Body): BodyReading | undefined => {
  const start = opening(body, 2);
  if (/^\*{0,2}Claude Code is working\b/i.test(start)) return { signal: { state: "running" }, findings: [] };
  if (/^\*{2}Claude encountered an error\b/i.test(start)) return { signal: { state: "failed", reason: "error" }, findings: [] };
  if (!/^\*{2}Claude finished\b/i.test(start)) return undefined;
  const lines = ownLines(body).map((line) => line.text);
  const rule = lines.findIndex((line) => /^\s*-{3,}\s*$/.test(line));
  return { signal: { state: "reviewed" }, findings: [], covers: "full", ...wholeText(rule === -1 ? [] : lines.slice(rule + 1)) };
};

const checkReading = (post: Post): BodyReading => {
  const found = findComment(parseBody(post.body), /^bughunter-severity:/)?.content.slice("bughunter-severity:".length);
  if (found !== undefined) {
    try {
      const counts = Object.values(JSON.parse(found) as Readonly<Record<string, unknown>>).filter(
        (count): count is number => typeof count === "number",
      );
      const posted = counts.reduce((sum, count) => sum + count, 0);
      return { signal: { state: "reviewed", verdict: posted > 0 ? "needs-attention" : "approve", counts: { posted } }, findings: [] };
    } catch {
      return { signal: { state: "unknown", reason: "a check of no known shape" }, findings: [] };
    }
  }
  if (post.check?.state === "failure" || post.check?.state === "cancelled")
    return { signal: { state: "failed", reason: `check ${post.check.state}` }, findings: [] };
  return post.check?.state === "neutral" ? { signal: { state: "reviewed" }, findings: [] } : { findings: [] };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check") return checkReading(post);
  if (post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  const known = actionReading(body) ?? pluginReading(body);
  if (known !== undefined) return known;
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  const said = wholeText(ownLines(body).map((line) => line.text));
  // A wrapper without a word of its own says nothing.
  return said.point === undefined ? { findings: [] } : { signal: { state: "reviewed" }, findings: [], covers: "new", ...said };
};

const ACTION = /^\*{0,2}Claude (?:Code is working|finished|encountered an error)\b/m;
const PLUGIN = /^#{2,4}[ \t]+Code review[ \t]*$[\s\S]*\bGenerated with \[?Claude Code\b/m;

export const claude = defineReviewer<ClaudeOptions>({
  name: "claude",
  schema: {
    type: "object",
    properties: {
      authors: {
        type: "array",
        items: { type: "string" },
        default: [],
        description: "Accounts of people that the code-review plugin posts as.",
      },
    },
  },
  defaults: { authors: [] },
  owns: ({ authors = [] }): readonly Identity[] => [
    { logins: ["claude"], bot: true },
    { logins: ["github-actions"], bot: true, marker: ACTION },
    { logins: ["github-actions"], bot: true, marker: PLUGIN },
    ...(authors.length === 0
      ? []
      : [{ logins: authors.map((login) => login.toLowerCase().replace(/\[bot\]$/, "")), bot: false, marker: PLUGIN }]),
  ],
  check: /^Claude Code Review$/,
  request: { by: "push", otherwise: { text: "@claude review once", mentions: /^@claude\s+review(?:\s+once)?\s*$/i } },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "30m", start: "3m" },
  body: read,
});
