/**
 * CodeRabbit. Three sources: a conversation comment that it edits through its life (state, clean result), review bodies (count, and points
 * outside of the diff), inline threads. Its own texts stand in quotes, so that quotes are read here.
 */
import {
  allSections,
  boldIn,
  defineReviewer,
  findComment,
  firstSentence,
  joined,
  opening,
  ownComments,
  parseBody,
  placeIn,
  plain,
  rangeOf,
  sectionsNamed,
  shortened,
} from "../../core/index.js";
import type { Body, BodyReading, Finding, Post, Section, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = {
  critical: "critical",
  major: "high",
  minor: "medium",
  trivial: "low",
  nitpick: "suggestion",
  "refactor suggestion": "suggestion",
};

/** `_⚠️ Potential issue_ | _🟠 Major_ | _⚡ Quick win_`: the severity is a label, never a word of the prose. */
const labelOf = (line: string): { readonly there: boolean; readonly severity: Severity; readonly raw: string | undefined } => {
  const labels = line
    .split("|")
    .map((part) => part.trim())
    .filter((part) => /^_.+_$/.test(part))
    .map((part) =>
      part
        .slice(1, -1)
        .replace(/:[a-z_]+:|[^\p{L}\s]/gu, " ")
        .replace(/\s+/g, " ")
        .trim(),
    );
  const ranks = labels.filter((label) => SEVERITY[label.toLowerCase()] !== undefined);
  const raw = ranks.find((label) => !/^(?:refactor suggestion|nitpick)$/i.test(label)) ?? ranks[0];
  return { there: labels.length > 0, severity: raw === undefined ? "unknown" : (SEVERITY[raw.toLowerCase()] ?? "unknown"), raw };
};

const STATE = /^This is an auto-generated comment: (.{1,60}) by coderabbit\.ai$/;
/** In the order in which they count where a text carries more than one. */
const STATES = ["review in progress", "failure", "rate limited", "review paused", "skip review"] as const;

const words = (body: Body): string =>
  body.lines
    .filter((line) => !line.fenced)
    .map((line) => plain(line.text))
    .join("\n");

const UNITS = { hour: 3_600_000, minute: 60_000, second: 1000 } as const;

/** "available in: 40 minutes", "wait 12 minutes and 5 seconds". */
const retryAfter = (text: string): number | undefined => {
  const at = /\b(?:available in|please wait)\b/i.exec(text);
  if (at === null) return undefined;
  let sum = 0;
  const near = text.slice(at.index, at.index + 120).split(/\bbefore\b|\.\s/)[0] ?? "";
  for (const [, count, unit] of near.matchAll(/(\d{1,5})\s*(hour|minute|second)s?\b/gi))
    sum += Number(count) * UNITS[unit?.toLowerCase() as keyof typeof UNITS];
  return sum === 0 ? undefined : sum;
};

const SKIPPED: readonly (readonly [RegExp, string])[] = [
  [/draft (?:detected|pull request|pr)/i, "draft"],
  [/too many files/i, "too_many_files"],
  [/disabled on base|base branch|target branches/i, "base_branch"],
  [/auto reviews? (?:are|is) disabled|automatic reviews? (?:are|is) disabled/i, "auto_disabled"],
  [/bot user|bot author/i, "bot_author"],
  [/\blabels?\b/i, "label"],
  [/ignored? files|path filters|no reviewable|no files/i, "no_reviewable_files"],
  [/\bclosed\b/i, "closed"],
];
const skipReason = (text: string): string => SKIPPED.find(([pattern]) => pattern.test(text))?.[1] ?? "not reviewed";

/** "between <A> and <B>": B was reviewed. */
const reviewedTo = (text: string): { readonly reviewedCommit?: string } => {
  const found = /\bbetween [0-9a-f]{7,40} and ([0-9a-f]{7,40})\b/.exec(text)?.[1];
  return found === undefined ? {} : { reviewedCommit: found };
};

const CLEAN = /^No actionable comments were generated in the recent review\b/im;

const stickyReading = (body: Body): BodyReading => {
  const text = words(body);
  const markers = new Set(ownComments(body).map((comment) => STATE.exec(comment.content)?.[1]));
  const range = reviewedTo(text);
  switch (STATES.find((state) => markers.has(state))) {
    case "review in progress":
      return { signal: { state: "running", ...range }, findings: [] };
    case "failure":
      return { signal: { state: "failed", reason: /\bclosed\b/i.test(text.slice(0, 600)) ? "closed" : "error" }, findings: [] };
    case "rate limited": {
      if (/^(?:# )?Review skipped\b|\btoo many files\b/im.test(text))
        return { signal: { state: "skipped", reason: skipReason(text) }, findings: [] };
      const wait = retryAfter(text);
      return { signal: { state: "limited", reason: "quota", ...(wait === undefined ? {} : { retryAfter: wait }) }, findings: [] };
    }
    case "review paused":
      return { signal: { state: "paused", reason: "paused" }, findings: [] };
    case "skip review":
      return { signal: { state: "skipped", reason: skipReason(text) }, findings: [] };
    default:
  }
  if (/\bSummarized by CodeRabbit Free\b/i.test(text)) return { signal: { state: "skipped", reason: "free_plan" }, findings: [] };
  if (findComment(body, /^recent_review_start$/) !== undefined && CLEAN.test(text)) {
    if (findComment(body, /^recent_review_end$/) === undefined)
      return { signal: { state: "unknown", reason: "a result without its end" }, findings: [] };
    return { signal: { state: "reviewed", verdict: "approve", counts: { posted: 0 }, ...range }, findings: [], covers: "new" };
  }
  const known = new Set(["summarize", "release notes", undefined]);
  const other = [...markers].find((marker) => !known.has(marker));
  if (other !== undefined) return { signal: { state: "unknown", reason: shortened(other, 60) }, findings: [] };
  return { findings: [] };
};

const REPLY = /^This is an auto-generated reply by CodeRabbit$/;
const HANDLED = /^<?review_comment_(?:addressed|withdrawn)>?$/;

const replyReading = (body: Body): BodyReading => {
  const text = words(body);
  if (/\breview (?:has been )?triggered\b/i.test(text)) return { notAReview: true, signal: { state: "running" }, findings: [] };
  if (/\bdoes not re-?review already reviewed commits\b/i.test(text)) {
    return { notAReview: true, signal: { state: "skipped", reason: "already_reviewed" }, findings: [] };
  }
  return { notAReview: true, findings: [] };
};

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\boutside diff range comments?\b/i, "outside_diff"],
  [/\bnitpick comments?\b/i, "nitpick"],
  [/\bduplicate comments?\b/i, "duplicate"],
  [/\bcomments? failed to post\b/i, "failed_to_post"],
];

const claims = (section: Section): number => Number(/\((\d{1,5})\)\s*$/.exec(plain(section.summary))?.[1] ?? 0);

/** Items of one file: a range, labels, then title and text; `---` stands between them. */
const itemsIn = (body: Body, file: Section, where: string): readonly Finding[] => {
  const path = placeIn(plain(file.summary).replace(/\s*\(\d{1,5}\)$/, ""))?.path;
  const folded = (number: number): boolean => file.children.some((child) => child.start <= number && number <= child.end);
  const items: { range: NonNullable<ReturnType<typeof rangeOf>>; label: string; lines: string[] }[] = [];
  for (let number = file.from; number < file.end; number += 1) {
    const line = body.lines[number];
    if (line === undefined || folded(number)) continue;
    const head = line.fenced ? null : /^\s*`?(\d{1,7}(?:\s*[-–]\s*\d{1,7})?)`?:\s*(.*)$/.exec(line.text);
    const range = head === null ? undefined : rangeOf(head[1] ?? "");
    if (range !== undefined) items.push({ range, label: head?.[2] ?? "", lines: [] });
    else if (/^\s*-{3,}\s*$/.test(line.text) && !line.fenced) continue;
    else items.at(-1)?.lines.push(line.text.replace(/<\/?blockquote>/g, ""));
  }
  return items.map(({ range, label, lines }) => {
    const rank = labelOf(label);
    const all = rank.there ? lines : [label, ...lines];
    const head = all.find((line) => plain(line) !== "") ?? "";
    const title = plain(boldIn(head) ?? firstSentence(plain(head)));
    return {
      title: shortened(title === "" ? `${path ?? "a file"}:${range.line}` : title),
      body: joined(all),
      severity: rank.raw === undefined && where === "nitpick" ? "suggestion" : rank.severity,
      ...(rank.raw === undefined ? {} : { severityRaw: rank.raw }),
      ...(path === undefined ? {} : { path }),
      ...range,
      where,
    };
  });
};

const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/^outside diff comments?:?$/i, "outside_diff"],
  [/^nitpick comments?:?$/i, "nitpick"],
  [/^duplicate comments?:?$/i, "duplicate"],
];

/** The prompt for agents repeats everything; it is read for the groups whose own section is missing. */
const promptFindings = (body: Body, have: ReadonlySet<string>): readonly Finding[] => {
  const sections = sectionsNamed(body, /\bprompt for all review comments\b|\bfix all issues with ai agents\b/i);
  const found: { finding: Finding; lines: string[] }[] = [];
  for (const fence of body.fences.filter((each) => sections.some((section) => section.start <= each.start && each.start <= section.end))) {
    let where: string | undefined;
    let path: string | undefined;
    for (const line of fence.content) {
      const text = line.trim();
      const group = GROUPS.find(([pattern]) => pattern.test(text));
      if (group !== undefined || /^inline comments?:?$/i.test(text)) {
        where = group?.[1];
        path = undefined;
        continue;
      }
      const file = /^In `?@?([^`]+?)`?:$/.exec(text)?.[1];
      const item = /^- (?:Around )?lines? (\d{1,7}(?:\s*[-–]\s*\d{1,7})?):\s*(.+)$/i.exec(text);
      if (file !== undefined) path = placeIn(file)?.path;
      else if (item !== null && where !== undefined && path !== undefined && !have.has(where)) {
        const finding: Finding = {
          title: shortened(firstSentence(plain(item[2] ?? ""))),
          body: "",
          severity: where === "nitpick" ? "suggestion" : "unknown",
          path,
          ...rangeOf(item[1] ?? ""),
          where,
        };
        found.push({ finding, lines: [item[2] ?? ""] });
      } else if (item === null && where !== undefined) found.at(-1)?.lines.push(text);
    }
  }
  return found.map(({ finding, lines }) => ({ ...finding, body: joined(lines) }));
};

const bodyFindings = (body: Body): { readonly findings: readonly Finding[]; readonly hidden: number; readonly outside: number } => {
  const findings: Finding[] = [];
  const have = new Set<string>();
  let hidden = 0;
  let outside = 0;
  for (const section of allSections(body)) {
    const where = KINDS.find(([pattern]) => pattern.test(plain(section.summary)))?.[1];
    if (where === undefined || section.children.length === 0) continue;
    const items = section.children.flatMap((file) => itemsIn(body, file, where));
    have.add(where);
    findings.push(...items);
    const count = Math.max(items.length, claims(section));
    hidden += count;
    if (where === "outside_diff") outside += count;
  }
  const prompted = promptFindings(body, have);
  return {
    findings: [...findings, ...prompted],
    hidden: hidden + prompted.length,
    outside: outside + prompted.filter((each) => each.where === "outside_diff").length,
  };
};

const POSTED = /\*\*Actionable comments posted: (\d{1,6})\*\*/;

const reviewReading = (body: Body, state: string | undefined): BodyReading => {
  const { findings, hidden, outside } = bodyFindings(body);
  const raw = body.lines
    .filter((line) => !line.fenced)
    .map((line) => line.text)
    .join("\n");
  const text = words(body);
  const count = POSTED.exec(raw)?.[1];
  const posted = count === undefined ? undefined : Number(count);
  const counts = {
    ...(posted === undefined ? {} : { posted }),
    ...(hidden === 0 ? {} : { hidden }),
    ...(outside === 0 ? {} : { outsideDiff: outside }),
  };
  const said = { counts, ...reviewedTo(text) };
  if ((posted ?? 0) > 0 || hidden > 0 || findings.length > 0 || state === "CHANGES_REQUESTED") {
    return { signal: { state: "reviewed", verdict: "needs-attention", ...said }, findings, covers: "new" };
  }
  const ends =
    CLEAN.test(text) ||
    findComment(body, /^This is an auto-generated comment by CodeRabbit for review status$/) !== undefined ||
    sectionsNamed(body, /\breview (?:info|details)\b/i).length > 0;
  if ((posted === 0 && ends) || state === "APPROVED")
    return { signal: { state: "reviewed", verdict: "approve", ...said }, findings, covers: "new" };
  if (text.trim() === "") return { findings: [] };
  return {
    signal: { state: "unknown", reason: posted === 0 ? "a review that ends after its count" : "a review of no known shape" },
    findings,
  };
};

const PLACE = /\bIn `?@?([^`\s]+)`?,? (?:around |at |on )?lines? (\d{1,7})(?:\s*(?:-|–|to)\s*(\d{1,7}))?/i;

const threadReading = (body: Body): BodyReading => {
  if (findComment(body, REPLY) !== undefined || findComment(body, HANDLED) !== undefined) return { findings: [] };
  const top = body.lines.filter((line) => line.depth === 0 && !line.fenced).map((line) => line.text.trim());
  const first = top.findIndex((line) => line !== "");
  if (first === -1) return { findings: [] };
  const rank = labelOf(top[first] ?? "");
  const rest = rank.there ? top.slice(first + 1) : top.slice(first);
  const title = rest.map((line) => (line.startsWith("**") ? boldIn(line) : undefined)).find((line) => line !== undefined);
  const stable = ownComments(body)
    .map((comment) => /^cr-comment:v1:([0-9a-f]{8,64})$/.exec(comment.content)?.[1])
    .find((id) => id !== undefined);
  if (!rank.there && title === undefined && stable === undefined) return { findings: [] };
  const prompts = sectionsNamed(body, /\bprompt for ai agents?\b/i);
  const prompt = body.fences.find((fence) => prompts.some((section) => section.start <= fence.start && fence.start <= section.end));
  const at = PLACE.exec(prompt?.content.join(" ") ?? "");
  const place = at === null ? undefined : placeIn(`${at[1]}:${at[2]}${at[3] === undefined ? "" : `-${at[3]}`}`);
  return {
    findings: [
      {
        title: shortened(plain(title ?? firstSentence(plain(rest.find((line) => plain(line) !== "") ?? "(no title)")))),
        body: joined(rest),
        severity: rank.severity,
        ...(rank.raw === undefined ? {} : { severityRaw: rank.raw }),
        ...place,
        ...(stable === undefined ? {} : { stableId: stable }),
      },
    ],
  };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body") return { findings: [] };
  const body = parseBody(post.body, { unquote: true });
  if (post.source === "review_comment") return threadReading(body);
  if (post.source === "review") return reviewReading(body, post.review?.state);
  if (findComment(body, REPLY) !== undefined) return replyReading(body);
  const sticky =
    findComment(body, /^This is an auto-generated comment: summarize by coderabbit\.ai$/) !== undefined ||
    ownComments(body).some((comment) => STATES.some((state) => STATE.exec(comment.content)?.[1] === state));
  if (sticky) return stickyReading(body);
  if (POSTED.test(opening(body, 2, true))) return reviewReading(body, undefined);
  return { notAReview: true, findings: [] };
};

/** It marks its own threads as handled: in the text, or by an answer with a hidden marker. */
const ADDRESSED = /^\s*✅ Addressed in commits?\b/u;

export const coderabbit = defineReviewer({
  name: "coderabbit",
  owns: { logins: ["coderabbitai"], bot: true },
  check: /^CodeRabbit$/,
  request: { by: "push", otherwise: { text: "@coderabbitai review", mentions: /^@coderabbitai(?:\[bot\])?\s+(?:full\s+)?review\s*$/i } },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: "15s", timeout: "20m", start: "3m" },
  body: read,
  essence: (body) =>
    body
      .split(/\r?\n/)
      .filter((line) => !ADDRESSED.test(line))
      .join("\n"),
  acknowledges: (message) =>
    message.author.kind === "bot" && (findComment(parseBody(message.body), HANDLED) !== undefined || ADDRESSED.test(message.body)),
});
