/**
 * The published schemas and the types say the same. The samples below have every field that a type knows (the compiler sees to that),
 * so that a field which only one side knows is found here.
 */
import { readFileSync, readdirSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { CATALOGUE, STOPS } from "../../core/index.js";
import type { Report, SignalState, WriteKind } from "../../core/index.js";

/** Every optional field is there, all the way down; every list has an item. Writes are of many shapes and only counted by kind. */
type Full<T> = T extends readonly (infer U)[]
  ? readonly [Full<U>, ...Full<U>[]]
  : T extends object
    ? { readonly [K in keyof T]-?: Full<T[K]> }
    : T;
type Node = Readonly<Record<string, unknown>>;

const folder = new URL("../../docs/schemas/", import.meta.url);
const names = readdirSync(folder).filter((file) => file.endsWith(".json"));
const schemaOf = (file: string): Node => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Node;

const sha = "a".repeat(40);
const report: Full<Omit<Report, "plan">> = {
  schemaVersion: 1,
  target: "review-clean",
  stop: "met",
  detail: "it holds",
  pullRequest: { url: "https://github.example/ada/shop/pull/7", number: 7, title: "A change", draft: false },
  head: sha,
  startedAt: 1,
  endedAt: 2,
  reviewers: [
    {
      reviewer: "acme",
      state: "reviewed",
      required: true,
      found: 1,
      fixed: 1,
      answered: 1,
      declined: 0,
      resolved: 1,
      open: 0,
      hidden: 0,
      score: "5/5",
      head: sha,
      asked: true,
      reason: "draft",
    },
  ],
  iterations: [
    {
      number: 1,
      startedAt: 1,
      head: sha,
      decided: [{ thread: "t", title: "A point", kind: "actionable", why: "it is so" }],
      fixed: [{ thread: "t", title: "A point", commit: sha, summary: "mended" }],
      notFixed: [{ thread: "t", title: "A point", why: "too much" }],
      replied: [{ thread: "t", url: "https://github.example/x" }],
      resolved: ["t"],
      asked: [{ reviewer: "acme", by: "comment", state: "done" }],
      pushed: sha,
      findings: { found: 2, fixInduced: 1 },
      gates: [{ gate: "npm test", tree: sha, result: "green", reused: true }],
    },
  ],
  gates: [
    {
      gate: "npm test",
      command: "npm test",
      tree: sha,
      head: sha,
      result: "green",
      at: 1,
      took: 5,
      excerpt: "ok",
      exitCode: 0,
      logFile: "npm-test.log",
      proof: true,
    },
  ],
  pushes: [sha],
  waits: [{ for: "reviewer", name: "acme", head: sha, since: 1, until: 2, then: "stop", poll: 10, lookAt: 2 }],
  remaining: [{ what: "A point", code: "judgment", who: "person", name: "ada", why: "hers", thread: "t", url: "https://github.example/x" }],
  notes: ["a note"],
  cost: { requests: 1, points: 1 },
  error: { code: "INTERNAL", message: "what", hint: "do" },
};

const least: Report = {
  schemaVersion: 1,
  target: "review-clean",
  stop: null,
  detail: "",
  pullRequest: report.pullRequest,
  head: sha,
  startedAt: 1,
  endedAt: 2,
  reviewers: [],
  iterations: [],
  gates: [],
  pushes: [],
  waits: [],
  remaining: [],
  notes: [],
  plan: [],
  cost: report.cost,
};

const WRITES: Readonly<Record<WriteKind, true>> = {
  reply: true,
  comment: true,
  "edit-comment": true,
  "edit-description": true,
  resolve: true,
  minimise: true,
  review: true,
  request: true,
  "cancel-request": true,
  "mark-ready": true,
  "mark-draft": true,
  "open-issue": true,
  "open-pull-request": true,
  push: true,
  command: true,
};
const STATES: Readonly<Record<SignalState, true>> = {
  absent: true,
  requested: true,
  running: true,
  reviewed: true,
  skipped: true,
  limited: true,
  paused: true,
  failed: true,
  unknown: true,
};

/** Where the fields of a sample and of its schema differ. */
const differences = (schema: Node, sample: unknown, path: string): readonly string[] => {
  if (Array.isArray(sample)) return sample.flatMap((item) => differences(schema["items"] as Node, item, `${path}[]`));
  if (typeof sample !== "object" || sample === null) return [];
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Node>>;
  const [known, said] = [Object.keys(sample), Object.keys(properties)];
  return [
    ...known.filter((key) => !said.includes(key)).map((key) => `${path}.${key} is not in the schema`),
    ...said.filter((key) => !known.includes(key)).map((key) => `${path}.${key} is in no type`),
    ...Object.entries(sample).flatMap(([key, value]) =>
      properties[key] === undefined ? [] : differences(properties[key], value, `${path}.${key}`),
    ),
  ];
};
const wordsAt = (schema: Node, ...path: readonly string[]): ReadonlySet<unknown> =>
  new Set((path.reduce<Node>((node, key) => node[key] as Node, schema)["enum"] ?? []) as readonly unknown[]);

describe.each(names)("%s", (file) => {
  test("is a schema of its own, closed at the top, with a version", () => {
    const schema = schemaOf(file);
    new Ajv({ strict: false }).compile(schema);
    expect(schema).toMatchObject({ $schema: expect.stringContaining("json-schema.org"), title: expect.stringMatching(/./) });
    const tops = (schema["oneOf"] ?? schema["anyOf"] ?? [schema]) as readonly Node[];
    for (const top of tops) expect(top["additionalProperties"]).toBe(false);
  });
});

describe("report.json and the report", () => {
  const schema = schemaOf("report.json");
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

  test("every field is known to both", () => {
    const { plan: _plan, ...properties } = schema["properties"] as Readonly<Record<string, Node>>;
    expect(differences({ ...schema, properties }, report, "report")).toEqual([]);
  });

  test("all that a report may have fits, and the least that it has", () => {
    const plan = Object.keys(WRITES).map((kind) => ({ kind, key: "k", preconditions: { head: sha, contentHash: "c" }, why: "so" }));
    validate({ ...report, plan });
    expect(validate.errors ?? []).toEqual([]);
    validate(least);
    expect(validate.errors ?? []).toEqual([]);
  });

  test("a field that is missing, unknown or of another kind does not fit", () => {
    const { stop: _stop, ...without } = least;
    for (const wrong of [
      without,
      { ...least, extra: 1 },
      { ...least, stop: "done" },
      { ...least, head: 7 },
      { ...least, schemaVersion: 2 },
    ])
      expect(validate(wrong)).toBe(false);
  });

  test("its lists of words are those of the model", () => {
    expect(wordsAt(schema, "properties", "stop")).toEqual(new Set([...STOPS, null]));
    expect(wordsAt(schema, "properties", "reviewers", "items", "properties", "state")).toEqual(new Set(Object.keys(STATES)));
    expect(wordsAt(schema, "properties", "plan", "items", "properties", "kind")).toEqual(new Set(Object.keys(WRITES)));
  });
});

test("error.json takes every error of the catalogue", () => {
  const validate = new Ajv({ strict: false }).compile(schemaOf("error.json"));
  for (const code of Object.keys(CATALOGUE))
    expect([code, validate({ schemaVersion: 1, error: { code, message: "what", hint: "do" } })]).toEqual([code, true]);
  expect(validate({ schemaVersion: 1, error: { code: "INTERNAL", message: "what" } })).toBe(false);
});
