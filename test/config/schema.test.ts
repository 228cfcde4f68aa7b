import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { schemaFile } from "../../core/config/check.js";
import type { Config } from "../../core/config/define.js";
import { DEFAULTS, GATE_TIMEOUT } from "../../core/config/settings.js";

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly { readonly $ref?: string }[];
  readonly $ref?: string;
  readonly enum?: readonly string[];
}

const schema = JSON.parse(await readFile(schemaFile(), "utf8")) as Schema & { readonly definitions: Readonly<Record<string, Schema>> };

/** The compiler refuses this table when a key of `Config` is missing here or is none. */
const KEYS = {
  $schema: true,
  extends: true,
  without: true,
  plugins: true,
  target: true,
  reviewers: true,
  gate: true,
  sync: true,
  agent: true,
  agents: true,
  people: true,
  identities: true,
  nitpicks: true,
  markReadyFor: true,
  commit: true,
  worktree: true,
  push: true,
  trust: true,
  wait: true,
  limits: true,
} satisfies Record<keyof Config, true>;

type Inner<K extends keyof Config> = Record<keyof NonNullable<Config[K]>, true>;
const INNER = {
  people: { resolve: true, wait: true, rerequest: true, signature: true } satisfies Inner<"people">,
  commit: { subject: true, style: true } satisfies Inner<"commit">,
  worktree: { setup: true } satisfies Inner<"worktree">,
  trust: { logins: true, everyone: true, protected: true } satisfies Inner<"trust">,
  wait: { poll: true, timeout: true, settle: true, pace: true } satisfies Inner<"wait">,
  limits: {
    iterations: true,
    activeTime: true,
    repairs: true,
    handoffs: true,
    replies: true,
    tokens: true,
    money: true,
  } satisfies Inner<"limits">,
  agents: { triage: true, fix: true, review: true, verify: true, describe: true } satisfies Inner<"agents">,
};

const at = (path: string): Schema | undefined =>
  path.split(".").reduce<Schema | undefined>((schema, key) => schema?.properties?.[key], schema);

describe("config-schema.json", () => {
  it("has the keys of Config, no more and no fewer", () => {
    expect(Object.keys(schema.properties ?? {}).sort()).toEqual(Object.keys(KEYS).sort());
    for (const [key, inner] of Object.entries(INNER))
      expect(Object.keys(at(key)?.properties ?? {}).sort()).toEqual(Object.keys(inner).sort());
  });

  it("has the defaults that are in force", () => {
    const defaults = Object.fromEntries(Object.keys(DEFAULTS).map((path) => [path, at(path)?.default]));
    expect(defaults).toEqual(DEFAULTS);
    expect(schema.definitions["gateEntry"]?.properties?.["timeout"]?.default).toBe(GATE_TIMEOUT);
  });

  it("describes each key, and names the unit of each duration and count", () => {
    const visit = (schema: Schema, path: string): void => {
      for (const [key, inner] of Object.entries(schema.properties ?? {})) {
        const ref = inner.$ref;
        const description = inner.description ?? (ref === undefined ? undefined : "by reference");
        expect(description, `${path}.${key}`).toBeTruthy();
        const isDuration = (inner.allOf ?? []).some((part) => part.$ref?.endsWith("uration") ?? false);
        if (isDuration) expect(inner.description, `${path}.${key}`).toContain("Unit: a duration.");
        visit(inner, `${path}.${key}`);
      }
    };
    visit(schema, "config");
    for (const [name, definition] of Object.entries(schema.definitions)) visit(definition, name);
    for (const key of Object.keys(INNER.limits)) expect(at(`limits.${key}`)?.description).toMatch(/Unit: /);
  });

  it("is a valid schema of its draft for any other reader, and says which defaults hold by accepting them", () => {
    const ajv = new Ajv({ strict: false });
    expect(ajv.validateSchema(schema)).toBe(true);
    const validate = ajv.compile(schema);
    const nested: Record<string, unknown> = {};
    for (const [path, value] of Object.entries(DEFAULTS)) {
      const [outer = "", inner] = path.split(".");
      if (value === undefined) continue;
      if (inner === undefined) nested[outer] = value;
      else nested[outer] = { ...(nested[outer] as object | undefined), [inner]: value };
    }
    expect(validate(nested), JSON.stringify(validate.errors)).toBe(true);
  });
});
