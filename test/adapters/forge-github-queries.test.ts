import { parse, validate } from "graphql";
import { describe, expect, test } from "vitest";
import {
  bodyQuery,
  draftMutation,
  EDITS,
  editMutation,
  minimisedQuery,
  minimiseMutation,
  numberQuery,
  REQUESTS_QUERY,
  resolveMutation,
  STATE_QUERY,
  threadsQuery,
} from "../../core/adapters/forge-github/mutations.js";
import {
  CONNECTIONS,
  DROPPABLE,
  firstQuery,
  nextQuery,
  pulseQuery,
  RECENT_QUERY,
  VIEWER_QUERY,
} from "../../core/adapters/forge-github/queries.js";
import type { ConnectionName, Missing } from "../../core/adapters/forge-github/queries.js";
import { NOTHING } from "../../core/adapters/forge-github/review-plan.js";
import type { ReviewPlan } from "../../core/adapters/forge-github/review-plan.js";
import { githubSchema } from "./forge-github-stub.js";

const schema = githubSchema();
const faults = (text: string): readonly string[] => validate(schema, parse(text)).map((error) => error.message);

const MISSING: readonly Missing[] = [new Set(), ...DROPPABLE.map((field) => new Set([field])), new Set(DROPPABLE)];
const PLANS: readonly ReviewPlan[] = [
  NOTHING,
  {
    pages: [{}, { verdicts: true } as const, { author: "ada" }].flatMap((filter) => [
      { filter, end: "first" } as const,
      { filter, end: "last" } as const,
    ]),
    lookups: [["R1"], ["R2"]],
    reviewers: true,
  },
];
const subsets = (names: readonly ConnectionName[]): readonly ConnectionName[][] =>
  names.reduce<ConnectionName[][]>((all, name) => [...all, ...all.map((some) => [...some, name])], [[]]);

describe("every text that is sent fits GitHub's schema", () => {
  const fixed: readonly [string, string][] = [
    ["viewer", VIEWER_QUERY],
    ["recent", RECENT_QUERY],
    ["state", STATE_QUERY],
    ["requests", REQUESTS_QUERY],
    ["body", bodyQuery()],
    ["number", numberQuery("fullDatabaseId")],
    ["number on an older server", numberQuery("databaseId")],
    ["threads", threadsQuery(20)],
    ["minimised", minimisedQuery(20)],
    ["resolve", resolveMutation(20)],
    ["minimise", minimiseMutation(20)],
    ["ready", draftMutation("mark-ready")],
    ["draft", draftMutation("mark-draft")],
    ...Object.entries(EDITS).map(([type, edit]): [string, string] => [`edit ${type}`, editMutation(edit)]),
  ];
  test.each(fixed)("%s", (_, text) => {
    expect(faults(text)).toEqual([]);
  });

  test("the first request and the pulse, with and without each field that a server may lack", () => {
    for (const missing of MISSING) {
      expect(faults(firstQuery(missing))).toEqual([]);
      expect(faults(pulseQuery(missing))).toEqual([]);
      for (const field of missing) {
        const [type, name] = field.split(".");
        expect(validate(githubSchema([`${type}.${name}`]), parse(firstQuery(missing))), field).toEqual([]);
      }
    }
  });

  test("every combination of further pages", () => {
    for (const missing of [new Set<never>(), new Set(DROPPABLE)]) {
      for (const names of subsets(CONNECTIONS)) {
        for (const threads of [0, names.length === CONNECTIONS.length ? 50 : 1]) {
          for (const plan of PLANS) {
            if (names.length + threads > 0)
              expect(
                faults(nextQuery({ names, threads, reactors: missing.size === 0 ? threads : 0, plan }, missing)),
                `${names.join()} ${threads}`,
              ).toEqual([]);
          }
        }
      }
    }
  });

  test("no mutation selects a connection or the rate limit", () => {
    const mutations = [resolveMutation(1), minimiseMutation(1), draftMutation("mark-ready"), ...Object.values(EDITS).map(editMutation)];
    for (const text of mutations) expect(text).not.toMatch(/nodes|totalCount|rateLimit/);
  });
});
