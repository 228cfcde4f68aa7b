/** The settings of a run: defaults, laid over by each layer of the config in turn. Pure. */
import { normalisedLogin } from "../writing/marker.js";
import type { Duration } from "../model.js";
import { milliseconds } from "./define.js";
import type { Config, GateEntry } from "./define.js";
import type { Settings } from "../settings.js";

/** One config among those laid over each other. */
export interface Layer {
  /** For people: `preset review-clean`, `reviewloop.config.ts`, `command line`. */
  readonly from: string;
  /** For faults: an absolute path, or what stands for one. */
  readonly file: string;
  /** Where in the file it stands; empty for the whole. */
  readonly at: string;
  /** Where import specifiers start from. */
  readonly folder: string;
  readonly config: Config;
}

/** Every setting by its path in the config, in the words of the config. */
export interface SettingValues {
  readonly sync: Settings["sync"];
  readonly gate: Config["gate"];
  readonly "people.resolve": Settings["people"]["resolve"];
  readonly "people.wait": boolean;
  readonly "people.rerequest": Settings["people"]["rerequest"];
  readonly "people.signature": string | false;
  readonly identities: readonly string[];
  readonly nitpicks: Settings["nitpicks"];
  readonly markReadyFor: readonly string[];
  readonly "commit.subject": string;
  readonly "commit.style": Settings["commit"]["style"];
  readonly "worktree.setup": string | false | undefined;
  readonly push: Settings["push"];
  readonly "trust.logins": readonly string[];
  readonly "trust.everyone": boolean;
  readonly "trust.protected": readonly string[];
  readonly "wait.poll": Duration;
  readonly "wait.timeout": Duration;
  readonly "wait.settle": Duration;
  readonly "wait.pace": Duration;
  readonly "limits.iterations": number | undefined;
  readonly "limits.activeTime": Duration;
  readonly "limits.repairs": number;
  readonly "limits.handoffs": number;
  readonly "limits.replies": number;
  readonly "limits.tokens": number | undefined;
  readonly "limits.money": number | undefined;
}
export type SettingPath = keyof SettingValues;

/** `undefined`: no limit, or decided at run time. */
export const DEFAULTS: SettingValues = {
  sync: "none",
  gate: undefined,
  "people.resolve": "leave",
  "people.wait": false,
  "people.rerequest": "once",
  "people.signature": "Posted by reviewloop.",
  identities: [],
  nitpicks: "answer",
  markReadyFor: [],
  "commit.subject": "Address review feedback (review-loop iteration {iteration})",
  "commit.style": "one-per-iteration",
  "worktree.setup": undefined,
  push: "own",
  "trust.logins": [],
  "trust.everyone": false,
  "trust.protected": [],
  "wait.poll": "10s",
  "wait.timeout": "10m",
  "wait.settle": "30s",
  "wait.pace": "1s",
  "limits.iterations": undefined,
  "limits.activeTime": "8h",
  "limits.repairs": 3,
  "limits.handoffs": 3,
  "limits.replies": 3,
  "limits.tokens": undefined,
  "limits.money": undefined,
};
const SETTING_PATHS = Object.keys(DEFAULTS) as readonly SettingPath[];

/** What no fix may touch, whatever the config says: what runs on a push or a checkout, and what steers agents. Globs from the root. */
export const PROTECTED: readonly string[] = [
  ".github/**",
  "CODEOWNERS",
  "docs/CODEOWNERS",
  ".gitlab-ci.yml",
  ".circleci/**",
  ".buildkite/**",
  "Jenkinsfile",
  "azure-pipelines.yml",
  "reviewloop.config.*",
  ".git/**",
  "**/.git/**",
  ".gitmodules",
  "**/.gitattributes",
  ".gitconfig",
  ".husky/**",
  ".githooks/**",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  "**/.npmrc",
  "**/.yarnrc",
  "**/.yarnrc.yml",
  "**/.pnpmfile.cjs",
  "**/.envrc",
  "**/package-lock.json",
  "**/npm-shrinkwrap.json",
  "**/yarn.lock",
  "**/pnpm-lock.yaml",
  "**/bun.lock",
  "**/bun.lockb",
  ".lefthook/**",
  "**/.claude/**",
  "**/.codex/**",
  "**/.agents/**",
  "**/.gemini/**",
  "**/.opencode/**",
  "**/opencode.json",
  "**/opencode.jsonc",
  "**/.cursor/**",
  "**/.cursorrules",
  "**/.windsurfrules",
  "**/.windsurf/**",
  "**/.mcp.json",
  "**/.vscode/**",
  "**/.devcontainer/**",
  "**/.qwen/**",
  "**/.copilot/**",
  "**/AGENTS.md",
  "**/AGENTS.override.md",
  "**/CLAUDE.md",
  "**/CLAUDE.local.md",
  "**/GEMINI.md",
  "**/QWEN.md",
];

/** How long one gate may take where its entry says nothing. */
export const GATE_TIMEOUT: Duration = "30m";

export type Gate = Exclude<Settings["gate"], false | undefined>[number];

/** A value and who said so. */
export interface Settled<T = unknown> {
  readonly value: T;
  readonly from: string;
}
export type SettledValues = { readonly [P in SettingPath]: Settled<SettingValues[P]> };

const at = (config: Config, path: SettingPath): unknown => {
  let value: unknown = config;
  for (const step of path.split(".")) value = (value as Readonly<Record<string, unknown>> | undefined)?.[step];
  return value;
};

/** The last layer that says something wins, key by key; protected paths only ever grow. */
export const settle = (layers: readonly Layer[]): SettledValues => {
  const settled = SETTING_PATHS.map((path): [SettingPath, Settled] => {
    const said = layers.map((layer) => ({ value: at(layer.config, path), from: layer.from })).filter((one) => one.value !== undefined);
    const last = said.at(-1);
    if (last === undefined) return [path, { value: DEFAULTS[path], from: "default" }];
    if (path !== "trust.protected") return [path, last];
    return [
      path,
      { value: [...new Set(said.flatMap((one) => one.value as readonly string[]))], from: said.map((one) => one.from).join(", ") },
    ];
  });
  return Object.fromEntries(settled) as unknown as SettledValues;
};

const inMilliseconds = (text: string): number => milliseconds(text) ?? Number.NaN;

const gateOf = (entry: string | GateEntry): Gate => {
  const given: GateEntry = typeof entry === "string" ? { run: entry } : entry;
  return {
    name: (given.name ?? given.run).trim(),
    run: given.run,
    timeout: inMilliseconds(given.timeout ?? GATE_TIMEOUT),
    proof: given.proof ?? false,
    together: given.together ?? false,
  };
};

/** The gates in order; `false` where the user said that there are none, undefined where nothing was said. */
export const gatesOf = (gate: Config["gate"]): Settings["gate"] => {
  if (gate === undefined || gate === false) return gate;
  return (typeof gate === "string" || !Array.isArray(gate) ? [gate as string | GateEntry] : (gate as readonly (string | GateEntry)[])).map(
    gateOf,
  );
};

/** Freezes data all the way down. Not for objects with behaviour. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
};

/** Settings out of settled values that `config-schema.json` found good. */
export const settingsOf = (
  values: SettledValues,
  known: { readonly target: string; readonly hasAgent: boolean; readonly configured: boolean },
): Settings => {
  const get = <P extends SettingPath>(path: P): SettingValues[P] => values[path].value;
  return deepFreeze({
    target: known.target,
    sync: get("sync"),
    gate: gatesOf(get("gate")),
    hasAgent: known.hasAgent,
    people: {
      resolve: get("people.resolve"),
      wait: get("people.wait"),
      rerequest: get("people.rerequest"),
      signature: get("people.signature"),
    },
    identities: get("identities").map(loginOf),
    nitpicks: get("nitpicks"),
    markReadyFor: [...get("markReadyFor")],
    commit: { subject: get("commit.subject"), style: get("commit.style") },
    worktree: { setup: get("worktree.setup") },
    push: get("push"),
    trust: {
      logins: get("trust.logins").map(loginOf),
      everyone: get("trust.everyone"),
      protected: [...new Set([...PROTECTED, ...get("trust.protected")])],
    },
    wait: {
      poll: inMilliseconds(get("wait.poll")),
      timeout: inMilliseconds(get("wait.timeout")),
      settle: inMilliseconds(get("wait.settle")),
      pace: inMilliseconds(get("wait.pace")),
    },
    limits: {
      iterations: get("limits.iterations"),
      activeTime: inMilliseconds(get("limits.activeTime")),
      repairs: get("limits.repairs"),
      handoffs: get("limits.handoffs"),
      replies: get("limits.replies"),
      tokens: get("limits.tokens"),
      money: get("limits.money"),
    },
    configured: known.configured,
  });
};

/** As the model has logins; people write the `@` too. */
const loginOf = (written: string): string => normalisedLogin(written.trim().replace(/^@/, ""));
