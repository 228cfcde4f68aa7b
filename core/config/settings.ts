/** The settings of a run: defaults, laid over by each layer of the config in turn. Pure. */
import type { Duration } from "../model.js";
import { milliseconds } from "./define.js";
import type { Config, GateEntry, Settings } from "./define.js";

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

/** Every setting by its path in the config, with its default. `undefined`: no limit, or decided at run time. */
export const DEFAULTS = {
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
} as const;
export type SettingPath = keyof typeof DEFAULTS;
const SETTING_PATHS = Object.keys(DEFAULTS) as readonly SettingPath[];

/** What no fix may touch, whatever the config says: what runs on a push or a checkout, and what steers agents. Globs from the root. */
export const PROTECTED: readonly string[] = [
  ".github/workflows/**",
  ".github/actions/**",
  ".github/dependabot.yml",
  ".github/CODEOWNERS",
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
  "**/.mcp.json",
  ".vscode/**",
  ".devcontainer/**",
  ".envrc",
  ".github/copilot-instructions.md",
  ".github/instructions/**",
  ".github/prompts/**",
  ".github/agents/**",
  "**/AGENTS.md",
  "**/AGENTS.override.md",
  "**/CLAUDE.md",
  "**/CLAUDE.local.md",
  "**/GEMINI.md",
];

/** How long one gate may take where its entry says nothing. */
export const GATE_TIMEOUT: Duration = "30m";

export type Gate = Exclude<Settings["gate"], false | undefined>[number];

export interface Settled {
  readonly value: unknown;
  readonly from: string;
}
export type SettledValues = Readonly<Record<SettingPath, Settled>>;

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
  const get = <T>(path: SettingPath): T => values[path].value as T;
  const list = (path: SettingPath): readonly string[] => [...get<readonly string[]>(path)];
  return deepFreeze({
    target: known.target,
    sync: get<Settings["sync"]>("sync"),
    gate: gatesOf(get<Config["gate"]>("gate")),
    hasAgent: known.hasAgent,
    people: {
      resolve: get<Settings["people"]["resolve"]>("people.resolve"),
      wait: get<boolean>("people.wait"),
      rerequest: get<Settings["people"]["rerequest"]>("people.rerequest"),
      signature: get<string | false>("people.signature"),
    },
    identities: list("identities").map(normalisedLogin),
    nitpicks: get<Settings["nitpicks"]>("nitpicks"),
    markReadyFor: list("markReadyFor"),
    commit: { subject: get<string>("commit.subject") },
    worktree: { setup: get<string | false | undefined>("worktree.setup") },
    push: get<Settings["push"]>("push"),
    trust: {
      logins: list("trust.logins").map(normalisedLogin),
      everyone: get<boolean>("trust.everyone"),
      protected: [...new Set([...PROTECTED, ...list("trust.protected")])],
    },
    wait: {
      poll: inMilliseconds(get<string>("wait.poll")),
      timeout: inMilliseconds(get<string>("wait.timeout")),
      settle: inMilliseconds(get<string>("wait.settle")),
      pace: inMilliseconds(get<string>("wait.pace")),
    },
    limits: {
      iterations: get<number | undefined>("limits.iterations"),
      activeTime: inMilliseconds(get<string>("limits.activeTime")),
      repairs: get<number>("limits.repairs"),
      handoffs: get<number>("limits.handoffs"),
      replies: get<number>("limits.replies"),
      tokens: get<number | undefined>("limits.tokens"),
      money: get<number | undefined>("limits.money"),
    },
    configured: known.configured,
  });
};

/** As the model has logins: no `[bot]`, no `@`, lower case. */
const normalisedLogin = (login: string): string =>
  login
    .trim()
    .replace(/^@/, "")
    .replace(/\[bot\]$/i, "")
    .toLowerCase();
