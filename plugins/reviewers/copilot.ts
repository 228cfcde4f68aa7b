/**
 * GitHub Copilot's code review. The result is a review body: the overview of 2025, or the one since September 2026 (marker, emoji verdict).
 * Severities and points without a thread stand only there. The coding agent of the same name posts conversation comments: not a review.
 */
import {
  allSections,
  boldIn,
  defineReviewer,
  findComment,
  firstSentence,
  imageAlt,
  joined,
  opening,
  ownLines,
  parseBody,
  placeIn,
  plain,
  sectionLines,
  sectionsNamed,
  shortened,
} from "../../core/index.js";
import type { Body, BodyReading, Finding, Post, Section, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = {
  critical: "critical",
  high: "high",
  medium: "medium",
  moderate: "medium",
  low: "low",
  nit: "suggestion",
  nitpick: "suggestion",
};
const ranked = (raw: string | undefined): Pick<Finding, "severity" | "severityRaw"> =>
  raw === undefined ? { severity: "unknown" } : { severity: SEVERITY[raw.toLowerCase()] ?? "unknown", severityRaw: raw };

const badgeIn = (text: string): string | undefined => /^(\w+) severity$/i.exec(imageAlt(text) ?? "")?.[1];
/** `[nitpick] text`, `**Moderate (2 votes):** text`. */
const LABEL = /^(?:\[(\w+)\]|(?:\*\*)?(Critical|High|Medium|Moderate|Low|Nit)(?:\s*\(\d+ votes?\))?:?(?:\*\*)?:?(?=\s))\s*/i;

const labelled = (text: string): { readonly raw: string | undefined; readonly rest: string } => {
  const found = LABEL.exec(text);
  const raw = found?.[1] ?? found?.[2];
  if (found === null || raw === undefined || SEVERITY[raw.toLowerCase()] === undefined) return { raw: undefined, rest: text };
  return { raw, rest: text.slice(found[0].length) };
};

const countIn = (section: Section | undefined): number | undefined => {
  if (section === undefined) return undefined;
  const found = /\((\d{1,5})\)\s*$|^(\d{1,5})\s/.exec(plain(section.summary));
  return found === null ? undefined : Number(found[1] ?? found[2]);
};

/** The words of a link that ends at `end`: back to the bracket that opens it. */
const linkWords = (text: string, end: number): string | undefined => {
  let open = 1;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (text[at] === "]") open += 1;
    else if (text[at] === "[") open -= 1;
    if (open === 0) return text.slice(at + 1, end);
  }
  return undefined;
};

/** `- <picture alt="Medium severity"> [Title](#discussion_r1) · New`. */
const openFindings = (body: Body, section: Section): readonly Finding[] =>
  sectionLines(body, section).flatMap((line): readonly Finding[] => {
    if (line.fenced || line.quote > 0 || !/^\s*[-*]\s/.test(line.text)) return [];
    const link = /\]\(#discussion_r(\d{1,20})\)/.exec(line.text);
    const title = link === null ? undefined : linkWords(line.text, link.index);
    const id = link?.[1];
    if (title === undefined || id === undefined || plain(title) === "") return [];
    return [{ title: plain(title), body: "", ...ranked(badgeIn(line.text)), stableId: `discussion_r${id}`, where: `thread:${id}` }];
  });

/** Each in its own section: badge and title in the summary, then the place, then the text. */
const missedFindings = (body: Body, section: Section): readonly Finding[] =>
  section.children.map((child) => {
    const lines = sectionLines(body, child).map((line) => line.text.trim());
    const at = lines.findIndex((line) => /^`[^`]+`$/.test(line));
    const place = at === -1 ? undefined : placeIn(lines[at] ?? "");
    return {
      title: plain(child.summary),
      body: joined(lines.slice(at + 1)),
      ...ranked(badgeIn(child.summary)),
      ...place,
      where: "previously_missed",
    };
  });

/** `**path:42**`, then `* text`. */
const suppressedFindings = (body: Body, section: Section): readonly Finding[] => {
  const found: { finding: Finding; lines: string[] }[] = [];
  let place: ReturnType<typeof placeIn>;
  for (const line of sectionLines(body, section)) {
    const text = line.text.trim();
    const head = line.fenced ? undefined : /^(?:[-*]\s+)?\*\*(.+)\*\*:?$/.exec(text)?.[1];
    const item = line.fenced ? null : /^[*-]\s+(.+)$/.exec(text);
    const at = head === undefined ? undefined : placeIn(head);
    if (at !== undefined && (at.line !== undefined || at.path.includes("/") || at.path.includes("."))) place = at;
    else if (item !== null && place !== undefined) {
      const { raw, rest } = labelled(item[1] ?? "");
      found.push({
        finding: { title: firstSentence(plain(rest)), body: "", ...ranked(raw), ...place, where: "suppressed" },
        lines: [rest],
      });
    } else found.at(-1)?.lines.push(line.text);
  }
  return found.map(({ finding, lines }) => ({ ...finding, body: joined(lines) }));
};

const cells = (row: string): readonly string[] => {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
};

/** A column `Notes` of the file table: `**Moderate (1 vote):** text; **Nit (1 vote):** text`. */
const tableFindings = (body: Body): readonly Finding[] => {
  let notes = -1;
  return ownLines(body).flatMap((line): readonly Finding[] => {
    if (!line.text.trim().startsWith("|")) {
      notes = -1;
      return [];
    }
    const row = cells(line.text);
    const column = row.findIndex((cell) => /^notes$/i.test(plain(cell)));
    if (column > 0) {
      notes = column;
      return [];
    }
    const place = placeIn(row[0] ?? "");
    if (notes < 1 || place === undefined || /^[\s:|-]*$/.test(line.text)) return [];
    return (row[notes] ?? "").split(/;\s+(?=\*\*)/).flatMap((note): readonly Finding[] => {
      const { raw, rest } = labelled(note.trim());
      return raw === undefined ? [] : [{ title: firstSentence(plain(rest)), body: rest, ...ranked(raw), ...place, where: "file_table" }];
    });
  });
};

/** The number that a `**Findings:**` line adds up to; undefined where there is none. */
const findingsLine = (body: Body): number | undefined => {
  const line = ownLines(body).find((each) => /^\s*\*\*Findings:\*\*/.test(each.text))?.text;
  if (line === undefined) return undefined;
  const text = plain(line).replace(/^Findings:\s*/, "");
  if (/^None\b/.test(text)) return 0;
  const numbers = text.split("·").map((part) => Number(/^\s*(\d{1,5})\b/.exec(part)?.[1] ?? Number.NaN));
  return numbers.some((each) => Number.isNaN(each)) ? undefined : numbers.reduce((sum, each) => sum + each, 0);
};

const VERDICT = /^#{2,4}\s+(🟢|🟡|🔵|🔴|🟠)\s*(.+?)\s*$/u;

const overview = (body: Body): BodyReading | undefined => {
  const heading = ownLines(body)
    .map((line) => VERDICT.exec(line.text.trim()))
    .find((found) => found !== null);
  const isNew = findComment(body, /^ccr-overview-v\d+$/) !== undefined;
  if (!isNew && heading === undefined) return undefined;
  const sections = allSections(body);
  const named = (pattern: RegExp): Section | undefined => sections.find((section) => pattern.test(plain(section.summary)));
  const open = named(/^Open \(\d+\)$/) ?? named(/^\d+ open findings?$/i);
  const missed = sectionsNamed(body, /^Previously missed\b/i);
  const suppressed = sectionsNamed(body, SUPPRESSED);
  const listed = open === undefined ? [] : openFindings(body, open);
  const hidden = [
    ...missed.flatMap((section) => missedFindings(body, section)),
    ...suppressed.flatMap((section) => suppressedFindings(body, section)),
    ...tableFindings(body),
  ];
  const claimed = [...missed, ...suppressed].reduce((sum, section) => sum + (countIn(section) ?? 0), 0);
  const posted = countIn(open) ?? findingsLine(body) ?? (listed.length > 0 ? listed.length : undefined);
  const findings = [...listed, ...hidden];
  if (heading === undefined || heading === null) return { signal: { state: "unknown", reason: "an overview without a verdict" }, findings };
  const approves = heading[1] === "🟢";
  // A whole overview says how many findings are open.
  if (approves && posted === undefined)
    return { signal: { state: "unknown", reason: "an overview that ends after its verdict" }, findings };
  const unlisted = Math.max(hidden.length, claimed);
  const inSuppressed = suppressed.reduce((sum, section) => sum + (countIn(section) ?? 0), 0);
  return {
    signal: {
      state: "reviewed",
      verdict: approves ? "approve" : "needs-attention",
      verdictRaw: plain(heading[2] ?? ""),
      counts: {
        ...(posted === undefined ? {} : { posted }),
        ...(unlisted === 0 ? {} : { hidden: unlisted }),
        ...(inSuppressed === 0 ? {} : { suppressed: inSuppressed }),
      },
    },
    findings,
    covers: "new",
  };
};

const SUPPRESSED = /^(?:Comments suppressed due to low confidence|Suppressed comments)\b/i;
const GENERATED =
  /^Copilot reviewed (\d{1,6}) out of (\d{1,6}) changed files? in this pull request and generated (\d{1,5}|no)(?: new)? comments?\b/im;

const oldOverview = (body: Body): BodyReading | undefined => {
  const found = GENERATED.exec(
    ownLines(body)
      .map((line) => line.text.trim())
      .join("\n"),
  );
  if (found === null) return undefined;
  const posted = found[3] === "no" ? 0 : Number(found[3]);
  const sections = sectionsNamed(body, SUPPRESSED);
  const findings = [...sections.flatMap((section) => suppressedFindings(body, section)), ...tableFindings(body)];
  const suppressed = Math.max(
    findings.length,
    sections.reduce((sum, section) => sum + (countIn(section) ?? 0), 0),
  );
  const partial = Number(found[1]) < Number(found[2]) ? { reason: `reviewed ${found[1]} of ${found[2]} files` } : {};
  // What was suppressed stands after the numbers; only a body that goes on to its closing rule has none.
  const whole = ownLines(body).some((line) => /^\s*(?:-{3,}|\*{3,})\s*$/.test(line.text));
  const clean = posted === 0 && suppressed === 0;
  const verdict = clean ? (whole ? ({ verdict: "approve" } as const) : {}) : ({ verdict: "needs-attention" } as const);
  const counts = { posted, ...(suppressed === 0 ? {} : { hidden: suppressed, suppressed }) };
  return { signal: { state: "reviewed", ...verdict, counts, ...partial }, findings, covers: "new" };
};

const noticeOf = (body: Body): BodyReading | undefined => {
  const start = opening(body, 3).replaceAll("’", "'");
  if (/^Copilot encountered an error and was unable to review\b/i.test(start))
    return { signal: { state: "failed", reason: "error" }, findings: [] };
  if (/^Copilot wasn't able to review any files\b/i.test(start))
    return { signal: { state: "skipped", reason: "no_reviewable_files" }, findings: [] };
  const refused =
    /^Copilot (?:was|is) (?:unable|not able) to review\b([^\n]*)/i.exec(start) ??
    /^Copilot (?:couldn't|could not|can't|cannot) review\b([^\n]*)/i.exec(start);
  if (refused === null) return undefined;
  const quota = /\bquota\b|\blimit\b|\bpremium requests?\b/i.test(refused[1] ?? "");
  return {
    signal: quota ? { state: "limited", reason: "quota" } : { state: "failed", reason: shortened(plain(start.split("\n")[0] ?? "")) },
    findings: [],
  };
};

const threadReading = (body: Body): BodyReading => {
  const lines = ownLines(body).map((line) => line.text.trim());
  const first = lines.find((line) => line !== "");
  if (first === undefined) return { findings: [] };
  const badge = badgeIn(first);
  const { raw, rest } = labelled(first);
  const title = badge === undefined ? firstSentence(plain(rest)) : plain(boldIn(rest) ?? firstSentence(plain(rest)));
  return title === "" ? { findings: [] } : { findings: [{ title: shortened(title), body: joined(lines), ...ranked(badge ?? raw) }] };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check")
    return post.check?.state === "failure" ? { signal: { state: "failed", reason: "check failed" }, findings: [] } : { findings: [] };
  if (post.source === "pr_body" || post.body.trim() === "") return { findings: [] };
  if (post.source === "issue_comment") return { notAReview: true, findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return threadReading(body);
  return (
    noticeOf(body) ??
    overview(body) ??
    oldOverview(body) ?? { signal: { state: "unknown", reason: "a review of no known shape" }, findings: [] }
  );
};

export const copilot = defineReviewer({
  name: "copilot",
  owns: { logins: ["copilot-pull-request-reviewer", "copilot"], bot: true },
  check: /^copilot-pull-request-reviewer$/i,
  request: { by: "review-request", login: "copilot-pull-request-reviewer", bot: true, endpoint: "copilot-code-review" },
  reviewsDrafts: true,
  rerun: true,
  wait: { poll: "15s", timeout: "15m", start: "3m" },
  body: read,
});
