/** Small built-ins and folders for the tests of the config. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import type { AgentFactory } from "../../core/config/define.js";
import type { BuiltIns } from "../../core/config/resolve.js";
import type { ConfigFault } from "../../core/errors.js";
import { ReviewloopError } from "../../core/errors.js";
import { definePlugin, defineTarget } from "../../core/plugin.js";
import type { CommonReviewerOptions, Plugin, PluginFactory, ReviewerFacts } from "../../core/plugin.js";
import { milliseconds } from "../../core/config/define.js";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** A fresh folder with these files, outside of any checkout. */
export const folderWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "reviewloop-config-")));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
};

/** The same as a git checkout. */
export const checkoutWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await folderWith(files);
  execFileSync("git", ["init", "-q", folder]);
  return folder;
};

/** One of the fixtures as a folder of its own. Their files end in `.txt`, since most of them would fail the compiler or the formatter. */
export const fixture = async (name: string): Promise<string> => {
  const from = join(dirname(fileURLToPath(import.meta.url)), "fixtures", name);
  const entries = (await readdir(from, { recursive: true })).filter((path) => path.endsWith(".txt"));
  const contents = await Promise.all(entries.map((path) => readFile(join(from, path), "utf8")));
  return folderWith(Object.fromEntries(entries.map((path, index) => [path.replace(/\.txt$/, ""), contents[index] ?? ""])));
};

/** The error that this ends with. */
export const errorOf = async (call: Promise<unknown>): Promise<ReviewloopError> => {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!ReviewloopError.is(thrown)) throw new Error(`no ReviewloopError, but ${String(thrown)}`, { cause: thrown });
  return thrown;
};

export const faultsOf = async (call: Promise<unknown>): Promise<readonly ConfigFault[]> => {
  const error = await errorOf(call);
  if (error.code !== "CONFIG_INVALID") throw new Error(`${error.code}: ${error.message}`);
  return (error as ReviewloopError<"CONFIG_INVALID">).data.faults;
};

interface TestReviewerOptions extends CommonReviewerOptions {
  readonly minScore?: number;
}

/** A reviewer in the shape that the factory of a real one has. */
export const testReviewer = (name: string, requestBy: ReviewerFacts["requestBy"] = "comment"): PluginFactory<TestReviewerOptions> => {
  const make = (options: TestReviewerOptions = {}): Plugin =>
    Object.freeze({
      name,
      kind: "reviewer" as const,
      options: Object.freeze({ minScore: 5, ...options }),
      on: { fetch: (inbox: unknown) => inbox, check: (blockers: unknown) => blockers } as unknown as Plugin["on"],
      reviewer: {
        name,
        identities: [{ logins: [name, ...(options.logins ?? [])], bot: true }],
        requestBy,
        reviewsDrafts: true,
        rerun: options.rerun ?? true,
        required: options.required ?? false,
        missing: options.missing ?? "stop",
        wait: {
          poll: milliseconds(options.wait?.poll ?? "10s") ?? 0,
          timeout: milliseconds(options.wait?.timeout ?? "10m") ?? 0,
          start: milliseconds(options.wait?.start ?? "3m") ?? 0,
        },
      },
      factory,
    });
  // As with a real one, the factory knows the facts without options.
  const factory: PluginFactory<TestReviewerOptions> = Object.assign(make, {
    pluginName: name,
    kind: "reviewer" as const,
    schema: {
      type: "object",
      additionalProperties: false,
      properties: {
        minScore: { type: "number", minimum: 0, maximum: 5 },
        required: { type: "boolean" },
        rerun: { type: "boolean" },
        missing: { enum: ["stop", "go-on"] },
        logins: { type: "array", items: { type: "string" } },
        wait: { type: "object", properties: { poll: { type: "string" }, timeout: { type: "string" }, start: { type: "string" } } },
      },
    },
    defaults: { minScore: 5 },
  });
  const facts = make().reviewer;
  return facts === undefined ? factory : Object.assign(factory, { reviewer: facts });
};

const tool = (name: string, phase: "fix" | "gate" | "triage"): PluginFactory =>
  definePlugin({ name, kind: "tool", on: { [phase]: (value: unknown) => value } });

const helper: AgentFactory = Object.assign(
  (options: Readonly<Record<string, unknown>> = {}) => ({
    name: "helper",
    options,
    command: () => ({ argv: ["helper"], stdin: "" }),
    answer: () => ({ value: {} }),
  }),
  { schema: { type: "object", additionalProperties: false, properties: { run: { type: "array", items: { type: "string" } } } } },
);

const table = <T extends { readonly pluginName: string }>(list: readonly T[]): Readonly<Record<string, T>> =>
  Object.fromEntries(list.map((one) => [one.pluginName, one]));

export const builtIns: BuiltIns = {
  plugins: table<PluginFactory>([
    testReviewer("greptile"),
    testReviewer("devin", "push"),
    testReviewer("copilot"),
    testReviewer("watcher", "none"),
    tool("git-sync", "fix"),
    tool("command-gate", "gate"),
    tool("suggestions", "triage"),
    tool("agent-fix", "fix"),
    defineTarget({ name: "review-clean", awaits: "everyone", on: {} }),
    defineTarget({ name: "merge-ready", awaits: "everyone", on: {} }),
  ]),
  presets: {
    "review-clean": {
      name: "review-clean",
      plugins: ["greptile", "devin", "git-sync", "suggestions", "agent-fix"],
      target: "review-clean",
    },
    "merge-ready": { name: "merge-ready", extends: "review-clean", target: "merge-ready", wait: { poll: "20s" } },
    quick: { name: "quick", wait: { poll: "5s", timeout: "1m" }, reviewers: { greptile: { rerun: false, wait: { poll: "2s" } } } },
  },
  agents: { helper },
};
