/**
 * What an agent's answer must look like, as JSON Schemas in the subset that every client takes: an object at the root, every
 * property required, no additional ones, `["string", "null"]` for what may be missing, no `$schema`, no `oneOf`.
 *
 * A client may claim to have checked its answer; we check it ourselves all the same, and then what a schema can't say.
 */
import type { AgentKind } from "../model.js";
import type { AgentTask, FixAnswer, TriageAnswer } from "../ports.js";

const text = { type: "string" } as const;
const textOrNull = { type: ["string", "null"] } as const;
const list = <T extends object>(items: T) => ({ type: "array", items }) as const;
const record = <P extends Readonly<Record<string, object>>>(properties: P) =>
  ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false }) as const;

/** Answer of `triage`: see `TriageAnswer`. */
export const TRIAGE_SCHEMA = record({
  decisions: list(
    record({
      thread: text,
      kind: { type: "string", enum: ["actionable", "informational", "false-positive", "nitpick", "judgment"] },
      why: text,
      reply: textOrNull,
      root: textOrNull,
      question: textOrNull,
    }),
  ),
});

/** Answer of `fix`: see `FixAnswer`. */
export const FIX_SCHEMA = record({
  changed: list(record({ thread: text, summary: text, files: list(text) })),
  unfixed: list(record({ thread: text, why: text })),
});

/** Answer of `review`: what a fresh look at the head found. */
export interface ReviewAnswer {
  readonly verdict: "approve" | "needs-attention";
  readonly summary: string;
  readonly findings: readonly {
    readonly title: string;
    readonly body: string;
    readonly severity: "critical" | "high" | "medium" | "low" | "suggestion";
    readonly path: string;
    readonly line: number | null;
  }[];
  /** What the review looked at and ran. */
  readonly exercised: readonly string[];
  /** What it could not look at. */
  readonly notReached: readonly string[];
}
export const REVIEW_SCHEMA = record({
  verdict: { type: "string", enum: ["approve", "needs-attention"] },
  summary: text,
  findings: list(
    record({
      title: text,
      body: text,
      severity: { type: "string", enum: ["critical", "high", "medium", "low", "suggestion"] },
      path: text,
      line: { type: ["integer", "null"] },
    }),
  ),
  exercised: list(text),
  notReached: list(text),
});

/** Answer of `verify`: a second opinion on each decision or fix. */
export interface VerifyAnswer {
  readonly verdicts: readonly { readonly thread: string; readonly agrees: boolean; readonly why: string }[];
}
export const VERIFY_SCHEMA = record({ verdicts: list(record({ thread: text, agrees: { type: "boolean" }, why: text })) });

/** Answer of `describe`: the pull request's description as it should read now. */
export interface DescribeAnswer {
  readonly title: string;
  readonly body: string;
}
export const DESCRIBE_SCHEMA = record({ title: text, body: text });

export const ANSWER_SCHEMAS: Readonly<Record<AgentKind, object>> = {
  triage: TRIAGE_SCHEMA,
  fix: FIX_SCHEMA,
  review: REVIEW_SCHEMA,
  verify: VERIFY_SCHEMA,
  describe: DESCRIBE_SCHEMA,
};

/** The answer's type by kind. */
export interface Answers {
  readonly triage: TriageAnswer;
  readonly fix: FixAnswer;
  readonly review: ReviewAnswer;
  readonly verify: VerifyAnswer;
  readonly describe: DescribeAnswer;
}

export interface AnswerLimits {
  /** Characters of one reply. GitHub's own limit is 65,536; nobody reads that. */
  readonly reply: number;
  /** Characters of a reason, a summary, a question. */
  readonly reason: number;
}
export const ANSWER_LIMITS: AnswerLimits = { reply: 4000, reason: 2000 };

const MOST_PROBLEMS = 20;

const claims = (kind: AgentKind, answer: unknown): readonly string[] | undefined => {
  switch (kind) {
    case "triage":
      return (answer as TriageAnswer).decisions.map((decision) => decision.thread);
    case "fix":
      return [...(answer as FixAnswer).changed, ...(answer as FixAnswer).unfixed].map((item) => item.thread);
    case "verify":
      return (answer as VerifyAnswer).verdicts.map((verdict) => verdict.thread);
    default:
      return undefined;
  }
};

/** An invented id goes back into a prompt outside of the data block: only where it can't be a sentence. */
const shown = (id: string): string => (/^[\w:.=+/-]{1,100}$/.test(id) ? JSON.stringify(id) : "(an unreadable id)");

/** Every thread once, none invented. */
const threadProblems = (task: AgentTask, answer: unknown): readonly string[] => {
  const named = claims(task.kind, answer);
  if (named === undefined) return [];
  const given = new Set(task.threads.map((thread) => thread.id));
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const id of named) {
    if (!given.has(id)) problems.push(`thread ${shown(id)} is not one of those asked about`);
    else if (seen.has(id)) problems.push(`thread ${JSON.stringify(id)} is answered more than once`);
    seen.add(id);
  }
  for (const id of given) if (!seen.has(id)) problems.push(`thread ${JSON.stringify(id)} is not answered`);
  return problems;
};

const blank = (value: string | null): boolean => value === null || value.trim() === "";

const triageProblems = (task: AgentTask, answer: TriageAnswer, limits: AnswerLimits): readonly string[] => {
  const threads = new Map(task.threads.map((thread) => [thread.id, thread]));
  return answer.decisions.flatMap((decision) => {
    const at = `thread ${shown(decision.thread)}`;
    const thread = threads.get(decision.thread);
    const problems: string[] = [];
    if (blank(decision.why)) problems.push(`${at}: why is empty`);
    if (decision.why.length > limits.reason) problems.push(`${at}: why is longer than ${limits.reason} characters`);
    if ((decision.reply?.length ?? 0) > limits.reply) problems.push(`${at}: reply is longer than ${limits.reply} characters`);
    if ((decision.question?.length ?? 0) > limits.reason) problems.push(`${at}: question is longer than ${limits.reason} characters`);
    if (decision.kind === "false-positive" && blank(decision.reply)) problems.push(`${at}: a false-positive needs a reply that says why`);
    // Silence closes only a point in a body, where nothing was asked; in a thread it would leave the author without an answer.
    if (decision.kind === "informational" && thread?.source === "inline" && blank(decision.reply))
      problems.push(`${at}: an inline thread needs a reply`);
    return problems;
  });
};

const fixProblems = (answer: FixAnswer, limits: AnswerLimits): readonly string[] => [
  ...answer.changed.flatMap((item) => {
    const at = `thread ${shown(item.thread)}`;
    const problems: string[] = [];
    if (blank(item.summary)) problems.push(`${at}: summary is empty`);
    if (item.summary.length > limits.reason) problems.push(`${at}: summary is longer than ${limits.reason} characters`);
    if (item.files.length === 0) problems.push(`${at}: is said to be changed, but names no file`);
    return problems;
  }),
  ...answer.unfixed.flatMap((item) => {
    const at = `thread ${shown(item.thread)}`;
    if (blank(item.why)) return [`${at}: why is empty`];
    return item.why.length > limits.reason ? [`${at}: why is longer than ${limits.reason} characters`] : [];
  }),
];

const verifyProblems = (answer: VerifyAnswer, limits: AnswerLimits): readonly string[] =>
  answer.verdicts.flatMap(({ thread, why }) => {
    if (blank(why)) return [`thread ${shown(thread)}: why is empty`];
    return why.length > limits.reason ? [`thread ${shown(thread)}: why is longer than ${limits.reason} characters`] : [];
  });

/**
 * What is wrong with an answer that already fits the task's schema, as sentences for the agent; empty = nothing.
 * Checks what a schema can't: every thread exactly once, none invented, the lengths, a reply where one is due.
 */
export const answerProblems = (task: AgentTask, answer: unknown, limits: AnswerLimits = ANSWER_LIMITS): readonly string[] => {
  const problems = [
    ...threadProblems(task, answer),
    ...(task.kind === "triage" ? triageProblems(task, answer as TriageAnswer, limits) : []),
    ...(task.kind === "fix" ? fixProblems(answer as FixAnswer, limits) : []),
    ...(task.kind === "verify" ? verifyProblems(answer as VerifyAnswer, limits) : []),
  ];
  return problems.length <= MOST_PROBLEMS
    ? problems
    : [...problems.slice(0, MOST_PROBLEMS), `... and ${problems.length - MOST_PROBLEMS} more problems`];
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The JSON object in what a program printed: all of it, the inside of its last fenced block, or its last line that is one.
 * Undefined where there is none. Linear in the length of the text.
 */
export const jsonIn = (text: string): unknown => {
  const whole = parsed(text.trim());
  if (isObject(whole)) return whole;
  const lines = text.split("\n");
  const fences = lines.flatMap((line, index) => (/^\s{0,3}```/.test(line) ? [index] : []));
  const [open, close] = fences.slice(-2);
  if (fences.length % 2 === 0 && open !== undefined && close !== undefined) {
    const inside = parsed(lines.slice(open + 1, close).join("\n"));
    if (isObject(inside)) return inside;
  }
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = (lines[index] ?? "").trim();
    if (!line.startsWith("{") || !line.endsWith("}")) continue;
    const value = parsed(line);
    if (isObject(value)) return value;
  }
  return undefined;
};

/** The JSON objects of a stream with one a line; other lines are passed over. */
export const jsonLines = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text.split("\n").flatMap((line) => {
    const trimmed = line.trim();
    if (!trimmed.startsWith("{")) return [];
    const value = parsed(trimmed);
    return isObject(value) ? [value] : [];
  });
