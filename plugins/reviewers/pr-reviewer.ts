/**
 * `pr-reviewer`, an agent's machine-rendered report: one conversation comment, rewritten in each run, and a pointer review for inline findings.
 * It posts as whoever runs it, so that only its marker (and an account that may write here) tells it. The verdict is in no word: the gate table has it.
 */
import {
  boldIn,
  defineReviewer,
  findComment,
  firstSentence,
  joined,
  ownLines,
  parseBody,
  placeIn,
  plain,
  sectionLines,
  sectionsNamed,
  shortened,
} from "../../core/index.js";
import type { Blocker, Body, BodyReading, Finding, Post, Section, Severity } from "../../core/index.js";

const SEVERITY: Readonly<Record<string, Severity>> = {
  critical: "critical",
  blocker: "high",
  bug: "high",
  security: "high",
  error: "high",
  issue: "medium",
  warning: "medium",
  todo: "low",
  question: "low",
  chore: "low",
  suggestion: "suggestion",
  nitpick: "suggestion",
  nit: "suggestion",
  thought: "suggestion",
  note: "suggestion",
  praise: "suggestion",
};
const ranked = (raw: string | undefined): Pick<Finding, "severity" | "severityRaw"> =>
  raw === undefined ? { severity: "unknown" } : { severity: SEVERITY[raw.toLowerCase()] ?? "unknown", severityRaw: raw };

const PREFIX = /^(?:\*\*)?([a-z]{2,12})(?:\s*\([a-z ,-]{1,40}\))?(?:\*\*)?:(?:\*\*)?\s+(?=\S)/i;

/** `` `path:line` — prefix: body (confidence N) ``. */
const listed = (body: Body, section: Section, where: string, floor?: Severity): readonly Finding[] => {
  const found: { finding: Finding; lines: string[] }[] = [];
  for (const line of sectionLines(body, section)) {
    const item =
      line.fenced || line.quote > 0 ? null : /^\s{0,3}[-*]\s+\[?`([^`]+)`(?:\]\([^\s()]*\))?\s*(?:—|–|-)\s+(.+)$/.exec(line.text);
    const place = item === null ? undefined : placeIn(item[1] ?? "");
    if (place === undefined) {
      found.at(-1)?.lines.push(line.text.trim());
      continue;
    }
    const text = (item?.[2] ?? "").replace(/\s*\(confidence \d{1,3}\)\s*$/i, "");
    const prefix = PREFIX.exec(text);
    const raw = prefix?.[1];
    const known = raw !== undefined && SEVERITY[raw.toLowerCase()] !== undefined;
    const words = known ? text.slice(prefix?.[0].length ?? 0) : text;
    const severity = ranked(known ? raw : undefined);
    found.push({
      finding: {
        title: shortened(firstSentence(plain(words))),
        body: "",
        ...severity,
        ...(floor === undefined ? {} : { severity: floor }),
        ...place,
        where,
      },
      lines: [words],
    });
  }
  return found.map(({ finding, lines }) => ({ ...finding, body: joined(lines) }));
};

interface Gate {
  readonly name: string;
  readonly status: "pass" | "warn" | "fail" | "skip" | "unreadable";
  readonly details: string;
}

const STATUS: Readonly<Record<string, Gate["status"]>> = {
  "✅": "pass",
  "⚠️": "warn",
  "⚠": "warn",
  "❌": "fail",
  "⏭️": "skip",
  "⏭": "skip",
};

const gatesIn = (body: Body, section: Section): readonly Gate[] => {
  let table = false;
  return sectionLines(body, section).flatMap((line): readonly Gate[] => {
    const text = line.text.trim();
    if (line.fenced || line.quote > 0 || !text.startsWith("|")) {
      table = false;
      return [];
    }
    const cells = text
      .replace(/^\|/, "")
      .replace(/\|$/, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll("\\|", "|").trim());
    if (/^gate$/i.test(cells[0] ?? "")) {
      table = true;
      return [];
    }
    if (!table || /^[\s|:-]+$/.test(text)) return [];
    return [
      {
        name: plain(cells[0] ?? ""),
        status: STATUS[(cells[1] ?? "").split(/\s/)[0] ?? ""] ?? "unreadable",
        details: cells.slice(2).join(" | ").trim(),
      },
    ];
  });
};

const gateKind = (name: string): "documentation" | "self-review" | "prior" | "code-review" | "other" => {
  if (/^documentation\b/i.test(name)) return "documentation";
  if (/^self-?review\b/i.test(name)) return "self-review";
  if (/^prior bot feedback\b/i.test(name)) return "prior";
  return /^code review\b/i.test(name) ? "code-review" : "other";
};

const NEEDED = ["documentation", "self-review", "prior", "code-review"] as const;

/** PASS, WARN or FAIL; undefined where the table does not tell. */
const verdictOf = (gates: readonly Gate[]): "PASS" | "WARN" | "FAIL" | undefined => {
  const kinds = gates.map((gate) => gateKind(gate.name));
  if (gates.some((gate, index) => gate.status === "fail" && kinds[index] !== "other")) return "FAIL";
  if (NEEDED.some((kind) => !kinds.includes(kind)) || gates.some((gate) => gate.status === "unreadable")) return undefined;
  return gates.some((gate) => gate.status === "warn" || gate.status === "fail") ? "WARN" : "PASS";
};

/** A red gate of the report's own is a point; red threads of others and inline findings have their own threads. */
const gateFindings = (gates: readonly Gate[]): readonly Finding[] =>
  gates
    .filter((gate) => gate.status === "fail" && gateKind(gate.name) !== "prior" && gateKind(gate.name) !== "code-review")
    .map((gate) => {
      const title = gate.details === "" ? gate.name : plain(gate.details);
      return { title: shortened(title), body: gate.details, severity: "medium", severityRaw: `❌ ${gate.name}`, where: "gate" };
    });

const report = (body: Body): BodyReading => {
  const details = sectionsNamed(body, /^Review details\b/i)[0];
  const gates = details === undefined ? [] : gatesIn(body, details);
  const additional = sectionsNamed(body, /^Additional findings\b/i).flatMap((section) => listed(body, section, "additional"));
  const unsure = sectionsNamed(body, /^Low-confidence findings\b/i).flatMap((section) =>
    listed(body, section, "low_confidence", "suggestion"),
  );
  const findings = [...additional, ...gateFindings(gates), ...unsure];
  const lines = ownLines(body).map((line) => line.text);
  const commit = lines.map((line) => /\bcommit `([0-9a-f]{7,40})`/.exec(line)?.[1]).find((each) => each !== undefined);
  const headline = lines.find((line) => line.trim() !== "") ?? "";
  const failing = /\bneeds? attention before human review\b/i.test(headline);
  const clean = /\bno issues found\b|\bno blocking issues\b/i.test(headline);
  const partial = lines.some((line) => /^\s*⚠️?\s*\*\*Partial review\b/u.test(line));
  const reviewedCommit = commit === undefined ? {} : { reviewedCommit: commit };
  const unlisted = additional.length + unsure.length;
  const counts = unlisted === 0 ? {} : { counts: { hidden: unlisted } };
  const verdict = failing ? "FAIL" : verdictOf(gates);
  if (partial && verdict !== "FAIL")
    return { signal: { state: "limited", reason: "partial review", ...counts, ...reviewedCommit }, findings };
  if (verdict === undefined || (verdict !== "FAIL" && !clean))
    return { signal: { state: "unknown", reason: "a report without a readable gate table", ...reviewedCommit }, findings };
  return {
    signal: {
      state: "reviewed",
      verdict: verdict === "FAIL" ? "needs-attention" : "approve",
      verdictRaw: verdict,
      ...counts,
      ...reviewedCommit,
    },
    findings,
    covers: "full",
  };
};

const pointer = (body: Body): BodyReading => {
  const text = ownLines(body)
    .map((line) => line.text)
    .join("\n");
  const found = /\bReviewed `([0-9a-f]{7,40})`\s*(?:—|–|-)\s*(\d{1,5}) finding(?:\(s\)|s)? inline\b/.exec(text);
  if (found === null) return { findings: [] };
  return {
    signal: { state: "reviewed", counts: { posted: Number(found[2]) }, reviewedCommit: found[1] ?? "" },
    findings: [],
    covers: "new",
  };
};

const thread = (body: Body): BodyReading => {
  const lines = ownLines(body).map((line) => line.text.trim());
  const first = lines.find((line) => line !== "");
  if (first === undefined) return { findings: [] };
  const prefix = PREFIX.exec(first);
  const raw = prefix?.[1];
  const known = raw !== undefined && SEVERITY[raw.toLowerCase()] !== undefined;
  const words = known ? first.slice(prefix?.[0].length ?? 0) : first;
  return {
    findings: [{ title: shortened(firstSentence(plain(boldIn(words) ?? words))), body: joined(lines), ...ranked(known ? raw : undefined) }],
  };
};

const read = (post: Post): BodyReading => {
  if (post.source === "check" || post.source === "pr_body") return { findings: [] };
  const body = parseBody(post.body);
  if (post.source === "review_comment") return thread(body);
  if (findComment(body, /^PR_REVIEWER_REPORT$/) !== undefined) return report(body);
  return findComment(body, /^PR_REVIEWER_POINTER$/) === undefined ? { notAReview: true, findings: [] } : pointer(body);
};

const MARKER = /^<!-- PR_REVIEWER_(?:REPORT|POINTER) -->$/m;

export const prReviewer = defineReviewer({
  name: "pr-reviewer",
  owns: [
    { logins: [], bot: false, marker: MARKER },
    { logins: ["github-actions"], bot: true, marker: MARKER },
  ],
  request: { by: "push" },
  missing: "go-on",
  reviewsDrafts: true,
  rerun: true,
  wait: { poll: "30s", timeout: "30m", start: "3m" },
  body: read,
  satisfied: (signal): readonly Blocker[] =>
    signal.verdict === "needs-attention"
      ? [
          {
            code: "verdict-fail",
            by: "pr-reviewer",
            detail: `pr-reviewer's report of this head is ${signal.verdictRaw ?? "FAIL"}`,
            lift: { who: "person" },
            ...(signal.url === undefined ? {} : { url: signal.url }),
          },
        ]
      : [],
});
