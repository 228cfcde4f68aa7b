/**
 * Greptile. Its summary comment (edited in place) carries the score; a review body is empty, an answer to a mention is no result.
 * Shapes: the summary of 2025 (headings, tables, one prompt for all) and the one since August 2026 (hidden score, list of findings).
 */
import {
  boldIn,
  decodeEntities,
  defineReviewer,
  firstSentence,
  findComment,
  imageAlt,
  joined,
  milliseconds,
  opening,
  ownComments,
  ownLines,
  parseBody,
  placeIn,
  plain,
  regionLines,
  sectionLines,
  sectionsNamed,
  shortened,
  titleKey,
  topLines,
  withoutTags,
} from "../../core/index.js";
import type {
  Blocker,
  Body,
  BodyReading,
  CommonReviewerOptions,
  Ctx,
  Finding,
  Post,
  Posts,
  Section,
  Severity,
  Signal,
} from "../../core/index.js";

export interface GreptileOptions extends CommonReviewerOptions {
  /** The comment that asks for a review. */
  readonly trigger: string;
  /** Lowest confidence score that satisfies, 0 to 5; `false` = any, even none. */
  readonly minScore: number | false;
}

const SEVERITY: Readonly<Record<string, Severity>> = { P0: "critical", P1: "high", P2: "medium", P3: "low" };
const severityOf = (raw: string | undefined): Pick<Finding, "severity" | "severityRaw"> =>
  raw === undefined ? { severity: "unknown" } : { severity: SEVERITY[raw] ?? "unknown", severityRaw: raw };

const LEGACY = /^\*\*(logic|style|syntax):\*\*\s*(.+)$/i;
const BADGE = /^P[0-3]$/;
const SCORE_MARKER = /^greptile_confidence_score:\s*(\d{1,2})(?:\s*\/\s*5)?$/;
/** `Confidence Score: 4/5` at the start of a heading, or alone on its line. */
const SCORE_WORDS = /^(?:Confidence Score|Confidence):\s*(\d{1,2})\s*\/\s*5(?![\d.])(.*)$/i;

const inRange = (text: string | undefined): number | undefined => {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isInteger(value) && value >= 0 && value <= 5 ? value : undefined;
};

const headingScore = (line: string): number | undefined => {
  const isHeading = /^\s*(?:<h[1-4][\s>]|#{1,6}\s|\*\*)/i.test(line);
  const text = withoutTags(line)
    .replace(/^\s*#{1,6}\s+/, "")
    .replaceAll("**", "")
    .trim();
  const found = SCORE_WORDS.exec(text);
  if (found === null || (!isHeading && (found[2] ?? "").trim() !== "")) return undefined;
  return inRange(found[1]);
};

/** The hidden score, the last one; else the last heading outside of quotes, code and sections. */
const scoreOf = (body: Body, complete: boolean): number | undefined => {
  const hidden = ownComments(body)
    .map((comment) => inRange(SCORE_MARKER.exec(comment.content)?.[1]))
    .findLast((score) => score !== undefined);
  if (hidden !== undefined) return hidden;
  // The newer summary ends with a hidden score: a heading alone means that the rest is missing.
  if (findComment(body, /^greptile_summary$/) !== undefined && !complete) return undefined;
  return topLines(body)
    .map((line) => headingScore(line.text))
    .findLast((score) => score !== undefined);
};

/** The footer's commit; the full id of the link where there is one. */
const footerOf = (body: Body): { readonly there: boolean; readonly commit: string | undefined } => {
  const line = ownLines(body).findLast((each) => each.text.includes("Last reviewed commit"))?.text;
  if (line === undefined) return { there: false, commit: undefined };
  const tail = line.slice(line.lastIndexOf("Last reviewed commit"));
  const commit =
    /\/commit\/([0-9a-f]{7,40})(?![0-9a-f])/.exec(tail)?.[1] ??
    /^Last reviewed commit:?\s*`?\[?([0-9a-f]{7,40})(?![0-9a-f])/.exec(tail)?.[1];
  return { there: topLines(body).some((each) => each.text === line), commit };
};

/** One item of a prompt: its place, its title, its text. */
const promptItem = (lines: readonly string[]): Finding | undefined => {
  const words = lines.map((line) => line.trim());
  const named = (name: string): string | undefined =>
    words
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const path = named("Path");
  const first = words.findIndex((line) => line !== "");
  const place = path === undefined ? placeIn(words[first] ?? "") : placeIn(`${path}:${named("Line") ?? ""}`.replace(/:$/, ""));
  if (place === undefined) return undefined;
  const from = path === undefined ? first + 1 : words.indexOf("Comment:") + 1;
  if (path !== undefined && from === 0) return undefined;
  const until = words.findIndex((line, index) => index >= from && (line.startsWith("How can I resolve this?") || line === "---"));
  const text = words.slice(from, until === -1 ? undefined : until);
  const head = text.find((line) => line !== "");
  if (head === undefined) return undefined;
  const legacy = LEGACY.exec(head);
  const badge = imageAlt(head);
  const raw = legacy?.[1]?.toLowerCase() ?? (badge !== undefined && BADGE.test(badge) ? badge : undefined);
  const title = legacy === null ? (boldIn(head) ?? firstSentence(plain(head))) : firstSentence(plain(legacy[2] ?? ""));
  return { title: plain(title), body: joined(text), ...severityOf(raw), ...place };
};

/** Prompts for coding agents repeat every item with its place; both grammars. */
const promptFindings = (body: Body): readonly Finding[] =>
  body.fences
    .filter((fence) => fence.quote === 0 && inside(fence.start, sectionsNamed(body, /\bprompt\b/i)))
    .flatMap((fence) => {
      const items: string[][] = [];
      let current: string[] | undefined;
      for (const line of fence.content) {
        const starts = /^#{2,4}\s+Issue \d+(?: of \d+)?\s*$/.test(line);
        const describes = /^This is a comment left during a code review\.?\s*$/.test(line);
        if (starts || describes) {
          current = [];
          items.push(current);
        } else if (/^Path:\s/.test(line) && (current === undefined || current.some((each) => /^Path:\s/.test(each)))) {
          current = [line];
          items.push(current);
        } else current?.push(line);
      }
      return items.flatMap((item) => promptItem(item) ?? []);
    });

const inside = (line: number, sections: readonly Section[]): boolean =>
  sections.some((section) => section.start <= line && line <= section.end);

/** `1. <img alt="P2">&nbsp;**Title** <a href="…#discussion_r1">▶</a>` under the heading Findings. */
const listFindings = (body: Body): readonly Finding[] => {
  let listing = false;
  return topLines(body).flatMap((line): readonly Finding[] => {
    if (/^\s*<h[1-4][\s>]/i.test(line.text) || /^#{1,4}\s/.test(line.text)) listing = plain(line.text) === "Findings";
    if (!listing || !/^\s*(?:\d{1,3}[.)]|[-*])\s/.test(line.text)) return [];
    const title = boldIn(line.text);
    if (title === undefined) return [];
    const badge = imageAlt(line.text);
    const linked = /#discussion_r(\d+)/.exec(line.text)?.[1];
    return [
      {
        title: plain(decodeEntities(title)),
        body: "",
        ...severityOf(badge !== undefined && BADGE.test(badge) ? badge : undefined),
        ...(linked === undefined ? {} : { stableId: `discussion_r${linked}` }),
      },
    ];
  });
};

const OUTSIDE = /^Comments Outside Diff\b/i;

/** `` 1. `path`, line 59-61 ([link](…)) `` with badge, title and text below. */
const outsideFindings = (body: Body): readonly Finding[] =>
  sectionsNamed(body, OUTSIDE).flatMap((section) => {
    const items: { place: NonNullable<ReturnType<typeof placeIn>>; lines: string[] }[] = [];
    const folded = section.children;
    sectionLines(body, section).forEach((line, index) => {
      const number = section.from + index;
      const head = /^\s*\d{1,3}[.)]\s+`([^`]+)`(?:,?\s+lines?\s+(\d+(?:\s*[-–]\s*\d+)?))?/i.exec(line.text);
      if (head !== null && !line.fenced) {
        const place = placeIn(head[2] === undefined ? (head[1] ?? "") : `${head[1]}:${head[2].replace(/\s+/g, "")}`);
        if (place !== undefined) items.push({ place, lines: [] });
      } else if (!inside(number, folded)) items.at(-1)?.lines.push(line.text.trim());
    });
    return items.flatMap(({ place, lines }): readonly Finding[] => {
      const first = lines.find((line) => plain(line) !== "" || imageAlt(line) !== undefined);
      if (first === undefined) return [];
      const legacy = LEGACY.exec(first);
      const badge = imageAlt(first);
      const raw = legacy?.[1]?.toLowerCase() ?? (badge !== undefined && BADGE.test(badge) ? badge : undefined);
      const title = legacy === null ? (boldIn(first) ?? firstSentence(plain(first))) : firstSentence(plain(legacy[2] ?? ""));
      return [{ title: plain(title), body: joined(lines), ...severityOf(raw), ...place, where: "outside_diff" }];
    });
  });

/** One finding for each title (and path): the list knows severity and link, the prompt knows the place. */
const merged = (lists: readonly (readonly Finding[])[]): readonly Finding[] => {
  const found: Finding[] = [];
  for (const finding of lists.flat()) {
    const key = titleKey(finding.title);
    const at = found.findIndex(
      (other) => titleKey(other.title) === key && (other.path === undefined || finding.path === undefined || other.path === finding.path),
    );
    const other = found[at];
    if (other === undefined) found.push(finding);
    else {
      const ranked = other.severity === "unknown" && finding.severity !== "unknown" ? finding : other;
      const severityRaw = ranked.severityRaw ?? other.severityRaw ?? finding.severityRaw;
      found[at] = {
        ...finding,
        ...other,
        body: other.body.length >= finding.body.length ? other.body : finding.body,
        severity: ranked.severity,
        ...(severityRaw === undefined ? {} : { severityRaw }),
      };
    }
  }
  return found;
};

const threadReading = (body: Body): BodyReading => {
  const first =
    topLines(body)
      .find((line) => line.text.trim() !== "")
      ?.text.trim() ?? "";
  const legacy = LEGACY.exec(first);
  const alt = imageAlt(first);
  const badge = alt !== undefined && BADGE.test(alt) ? alt : undefined;
  if (legacy === null && badge === undefined) return { findings: [] };
  const text = legacy === null ? (boldIn(first) ?? firstSentence(plain(first))) : firstSentence(plain(legacy[2] ?? ""));
  const prompt = promptFindings(body)[0];
  const place =
    prompt?.path === undefined
      ? {}
      : {
          path: prompt.path,
          ...(prompt.line === undefined ? {} : { line: prompt.line }),
          ...(prompt.endLine === undefined ? {} : { endLine: prompt.endLine }),
        };
  const words = joined(topLines(body).map((line) => line.text));
  return {
    findings: [
      { title: shortened(plain(decodeEntities(text))), body: words, ...severityOf(legacy?.[1]?.toLowerCase() ?? badge), ...place },
    ],
  };
};

const SKIPPED: readonly (readonly [RegExp, string])[] = [
  [/too many files/i, "too_many_files"],
  [/no reviewable files/i, "no_reviewable_files"],
  [/excluded authors?/i, "excluded_author"],
  [/\blabel\b.*\bdisables?\b/i, "label"],
  [/\bdraft\b/i, "draft"],
];

/** Notices come from the same login, often beside a green check. */
const noticeOf = (body: Body): BodyReading | undefined => {
  const start = opening(body);
  if (findComment(body, /^greptile[-_]status$/) !== undefined) {
    const reason = SKIPPED.find(([pattern]) => pattern.test(start))?.[1] ?? (plain(start.split("\n")[0] ?? "") || "not reviewed");
    return { signal: { state: "skipped", reason }, findings: [] };
  }
  if (/^Greptile has paused reviews on this repository/i.test(start) || /^[^\n]{0,120}\breview credits\b/i.test(start)) {
    return { signal: { state: "limited", reason: "quota" }, findings: [] };
  }
  if (/^Greptile encountered an error while reviewing/i.test(start)) return { signal: { state: "failed", reason: "error" }, findings: [] };
  if (/^Re-?triggering review/i.test(start)) return { notAReview: true, signal: { state: "running" }, findings: [] };
  return undefined;
};

const isSummary = (body: Body): boolean =>
  findComment(body, /^greptile_\w+/) !== undefined ||
  topLines(body).some((line) => /^(?:<h[1-4]>|#{1,4}\s|\*\*)\s*Greptile Summary\b/i.test(line.text.trim()));

const summaryReading = (body: Body): BodyReading => {
  const footer = footerOf(body);
  const score = scoreOf(body, footer.there);
  if (score === undefined && !isSummary(body)) return { notAReview: true, findings: [] };
  const findings = merged([listFindings(body), outsideFindings(body), promptFindings(body)]);
  const commit = footer.commit === undefined ? {} : { reviewedCommit: footer.commit };
  // Scores can be switched off; a score that stands where none belongs is no such summary.
  const elsewhere = score === undefined && body.lines.some((line) => /\bConfidence(?: Score)?:\s*\d/i.test(line.text));
  if (score === undefined && (!footer.there || elsewhere))
    return { signal: { state: "unknown", reason: "a summary without a readable score", ...commit }, findings };
  const risk = /^\*\*\[([^\][]+)\]\*\*/.exec(topLines(body).find((line) => /^\*\*\[[^\][]+\]\*\*/.test(line.text))?.text ?? "")?.[1];
  const outside = findings.filter((finding) => finding.where === "outside_diff").length;
  const verdict = score === 5 && findings.length === 0 ? "approve" : "needs-attention";
  // A whole summary ends with its footer: what stands before it is not all.
  if (isSummary(body) && !footer.there && score !== undefined && verdict === "approve")
    return { signal: { state: "unknown", reason: "a summary without its footer", score: { value: score, max: 5 } }, findings };
  return {
    signal: {
      state: "reviewed",
      ...(score === undefined ? {} : { score: { value: score, max: 5 }, verdict }),
      ...(risk === undefined ? {} : { verdictRaw: risk }),
      ...(outside === 0 ? {} : { counts: { hidden: outside, outsideDiff: outside } }),
      ...commit,
    },
    findings,
    covers: footer.there ? "full" : "new",
  };
};

/** In the description, only the block between the bot's own two markers is the bot's. */
const described = (text: string): string => {
  const body = parseBody(text);
  const lines = regionLines(body, /^greptile_comment$/, /^\/greptile_comment$/);
  return text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .filter((_, index) => lines.has(index))
    .join("\n");
};

const read = (post: Post): BodyReading => {
  if (post.source === "check") {
    if (/encountered an error/i.test(post.body)) return { signal: { state: "failed", reason: "error" }, findings: [] };
    return { findings: [] };
  }
  const text = post.source === "pr_body" ? described(post.body) : post.body;
  if (text.trim() === "") return { findings: [] };
  const body = parseBody(text);
  if (post.source === "review_comment") return threadReading(body);
  return noticeOf(body) ?? summaryReading(body);
};

/** How often we look for a check run before a summary alone is believed: on large pull requests there is none. */
const LOOKS = 3;
const POLL = "10s";

/**
 * After our trigger, a result is a check run that has ended and a summary newer than the trigger: a run may edit its summary before it is
 * done. Where no check run appears in three looks, the summary alone is one, if it carries a score.
 */
const result = (standard: Signal, posts: Posts, ctx: Ctx<GreptileOptions>): Signal => {
  const { asked, head } = posts;
  if (standard.state !== "reviewed" || standard.head !== head || asked === undefined || asked.state === "refused") return standard;
  // GitHub's times are whole seconds.
  const since = Math.floor(asked.at / 1000) * 1000;
  const ended = posts.checks.some((check) => check.head === head && check.state !== "pending" && (check.completedAt ?? since) >= since);
  if (ended) return standard;
  const poll = Math.min(milliseconds(ctx.options.wait?.poll ?? POLL) ?? 0, ctx.settings.wait.poll);
  const due = asked.at + LOOKS * poll;
  const scored = standard.score !== undefined || ctx.options.minScore === false;
  if (scored && ctx.clock.now() >= due) return standard;
  const { score: _score, verdict: _verdict, verdictRaw: _raw, ...rest } = standard;
  return { ...rest, state: "running", ...(scored ? { lookAt: due } : {}) };
};

export const greptile = defineReviewer<GreptileOptions>({
  name: "greptile",
  schema: {
    type: "object",
    properties: {
      trigger: { type: "string", minLength: 1, default: "@greptile-apps review", description: "The comment that asks for a review." },
      minScore: {
        anyOf: [{ type: "integer", minimum: 0, maximum: 5 }, { const: false }],
        default: 5,
        description: "Lowest score that satisfies; false = any.",
      },
    },
  },
  defaults: { trigger: "@greptile-apps review", minScore: 5 },
  owns: { logins: ["greptile-apps", "greptile-apps-staging"], bot: true, accounts: [165735046] },
  check: /greptile/i,
  request: {
    by: "comment",
    text: (ctx) => ctx.options.trigger,
    collapse: true,
    mentions: /^@greptile(?:-apps|ai)?(?:\[bot\])?(?=\s|$)[^\n]{0,80}$/i,
    handle: /(?:^|[^\w@/.-])@greptile(?:-apps|ai)?(?![\w-])/i,
  },
  reviewsDrafts: false,
  rerun: true,
  wait: { poll: POLL, timeout: "10m", start: "3m" },
  body: read,
  // A thumb up says that it has accepted the request or is done: its score stands elsewhere.
  reactions: { eyes: "running", confused: "failed" },
  signal: result,
  satisfied: (signal, ctx): readonly Blocker[] => {
    const { minScore } = ctx.options;
    if (minScore === false) return [];
    const url = signal.url === undefined ? {} : { url: signal.url };
    if (signal.score === undefined) {
      return [
        { code: "score-missing", by: "greptile", detail: "greptile reviewed this head without a score", lift: { who: "person" }, ...url },
      ];
    }
    if (signal.score.value >= minScore) return [];
    const detail = `greptile gives ${signal.score.value}/${signal.score.max}, wanted ${minScore}`;
    return [{ code: "score-low", by: "greptile", detail, lift: { who: "person" }, ...url }];
  },
});
