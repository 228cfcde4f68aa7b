/** Pure: a reviewer's facts and options, from its spec and what the config lays over it. */
import type { BodyReading, CommonReviewerOptions, Identity, Post, ReviewerFacts, ReviewerSpec } from "../plugin.js";
import type { Duration } from "../model.js";
import { milliseconds } from "../config/define.js";
import { parseBody } from "../bodies/parse.js";
import { normalisedLogin } from "../writing/marker.js";
import { commentOf } from "./posts.js";

const DURATION = { type: "string", pattern: "^\\d+(\\.\\d+)?(ms|s|m|h)$" } as const;

const COMMON = {
  required: { type: "boolean", description: "Its review is part of the target, whether or not it was seen here.", default: false },
  rerun: { type: "boolean", description: "Must it review each new head? With false its review of any head counts." },
  missing: { enum: ["stop", "go-on"], description: "What its silence does to the run, where it is not required." },
  wait: {
    type: "object",
    additionalProperties: false,
    properties: { poll: DURATION, timeout: DURATION, start: DURATION },
    description: "Between two looks; from asking to giving up; from a push to its first sign.",
  },
  logins: {
    type: "array",
    items: { type: "string" },
    uniqueItems: true,
    description: "Further logins of the same reviewer (renamed apps).",
  },
} as const;

const propertiesOf = (schema: object | undefined): Readonly<Record<string, unknown>> => {
  const found = schema !== undefined && "properties" in schema ? schema.properties : undefined;
  return typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>) : {};
};

/** The reviewer's own options beside those that every reviewer has. */
export const schemaOf = (schema: object | undefined): object => ({
  type: "object",
  additionalProperties: false,
  ...schema,
  properties: { ...COMMON, ...propertiesOf(schema) },
});

const inMilliseconds = (text: Duration | undefined, otherwise: Duration): number =>
  milliseconds(text ?? otherwise) ?? milliseconds(otherwise) ?? 0;

const identitiesOf = <O extends object>(
  spec: ReviewerSpec<O>,
  options: Readonly<Partial<O>> & CommonReviewerOptions,
): readonly Identity[] => {
  const owns = typeof spec.owns === "function" ? spec.owns(options) : spec.owns;
  const list = Array.isArray(owns) ? (owns as readonly Identity[]) : [owns as Identity];
  const further = (options.logins ?? []).map(normalisedLogin);
  return list.map((identity) => ({ ...identity, logins: [...new Set([...identity.logins, ...further])] }));
};

/** The words that start it, where a comment does. An option `trigger` is those words. */
const triggerOf = <O extends object>(spec: ReviewerSpec<O>, options: Readonly<Partial<O>>): { readonly trigger?: string } => {
  const option = (options as Readonly<Record<string, unknown>>)["trigger"];
  const text = typeof option === "string" ? option : commentOf(spec)?.text;
  return text === undefined || commentOf(spec) === undefined ? {} : { trigger: text };
};

/** A body that was cut off may have lost what it found: it approves nothing. */
export const carefully =
  (read: (post: Post) => BodyReading) =>
  (post: Post): BodyReading => {
    const reading = read(post);
    if (reading.signal?.state !== "reviewed" || reading.signal.verdict !== "approve" || !parseBody(post.body).cut) return reading;
    const { covers: _covers, ...rest } = reading;
    const { reviewedCommit } = reading.signal;
    return {
      ...rest,
      signal: { state: "unknown", reason: "the text is cut off", ...(reviewedCommit === undefined ? {} : { reviewedCommit }) },
    };
  };

export const factsOf = <O extends object>(spec: ReviewerSpec<O>, options: Readonly<Partial<O>> & CommonReviewerOptions): ReviewerFacts => ({
  name: spec.name,
  identities: identitiesOf(spec, options),
  read: carefully(spec.body),
  ...(spec.check === undefined ? {} : { check: spec.check }),
  requestBy: spec.request.by,
  ...triggerOf(spec, options),
  ...(spec.request.by === "push" && spec.request.otherwise?.peopleOnly === true ? { peopleOnly: true as const } : {}),
  reviewsDrafts: spec.reviewsDrafts,
  rerun: options.rerun ?? spec.rerun,
  required: options.required ?? false,
  missing: options.missing ?? spec.missing ?? "stop",
  wait: {
    poll: inMilliseconds(options.wait?.poll, spec.wait.poll),
    timeout: inMilliseconds(options.wait?.timeout, spec.wait.timeout),
    start: inMilliseconds(options.wait?.start, spec.wait.start),
  },
});
