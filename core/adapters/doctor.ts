/** What the doctor looks at on this machine. Runs nothing of the repository: programs are looked for, not called. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Resolved } from "../config/resolve.js";
import { uncoveredBy } from "../doctor.js";
import type { Examined, ExaminedGate, Trouble } from "../doctor.js";
import { ReviewloopError, messageOf } from "../errors.js";
import type { AgentKind, Inbox } from "../model.js";
import type { AgentDefinition } from "../plugin.js";
import type { Clock, Shell } from "../ports.js";
import { redactor } from "../redact.js";
import { detectAgent } from "./agent/detect.js";
import { githubForge } from "./forge-github/index.js";
import { hostFrom, parseReference } from "./forge-github/host.js";
import { cloneAt, homeOf } from "./git/clone.js";
import { examineGit } from "./git/examine.js";
import { hookTextsOf } from "./git/hooks.js";
import type { Environment } from "./shell/environment.js";
import { findToken } from "./shell/gh-token.js";
import { shell } from "./shell/shell.js";

const scriptsIn = async (root: string): Promise<readonly string[] | undefined> => {
  try {
    const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      readonly scripts?: Readonly<Record<string, string>>;
    };
    return Object.keys(manifest.scripts ?? {});
  } catch {
    return undefined;
  }
};

/** The word that is called, behind assignments; undefined where a shell would have to tell. */
export const programOf = (command: string): string | undefined => {
  const words = command.trim().split(/\s+/);
  const word = words.find((each) => !/^\w+=/.test(each));
  return word !== undefined && /^[\w./@+-]+$/.test(word) ? word : undefined;
};

const scriptOf = (command: string): string | undefined => {
  const found = /^(?:npm|pnpm|yarn)\s+(?:run\s+)?([\w:.-]+)(?:\s|$)/.exec(command.trim());
  const name = found?.[1];
  if (name === undefined || /^(?:exec|x|dlx|ci|install|i|audit|pack|run|run-script|workspaces?|--?.*)$/.test(name)) return undefined;
  // `yarn tsc` and `pnpm tsc` call a program; only npm needs `run` for anything but these.
  return /^(?:npm|pnpm|yarn)\s+run\s/.test(command.trim()) || ["test", "start"].includes(name) ? name : undefined;
};

/** Can each of these start, as far as is seen from outside? */
export const examineGates = async (
  gates: readonly { readonly name: string; readonly run: string }[],
  root: string,
  shell: Shell,
): Promise<readonly ExaminedGate[]> => {
  const scripts = await scriptsIn(root);
  const examined: ExaminedGate[] = [];
  for (const { name, run } of gates) {
    const program = programOf(run);
    const script = scriptOf(run);
    const there =
      program === undefined || (await shell.run({ command: `command -v ${program}`, cwd: root, timeout: 10_000 })).exitCode === 0;
    const problem = !there
      ? `${program} was not found`
      : script !== undefined && scripts !== undefined && !scripts.includes(script)
        ? `package.json has no script "${script}"`
        : undefined;
    examined.push({ name, run, ...(problem === undefined ? {} : { problem }) });
  }
  return examined;
};

/** Hooks that check something; the others tidy up or write messages. */
const CHECKING = new Set(["pre-commit", "pre-merge-commit", "commit-msg", "pre-push"]);

export interface ExaminedRequest {
  readonly environment: Environment;
  readonly folder: string;
  readonly pullRequest?: string;
  readonly trustHead: boolean;
  readonly clock: Clock;
  readonly config: () => Promise<Resolved>;
  readonly inbox: () => Promise<Inbox>;
}

const troubleOf = (thrown: unknown): Trouble =>
  ReviewloopError.is(thrown)
    ? { problem: thrown.message, fix: thrown.hint }
    : { problem: messageOf(thrown), fix: "Please report it with --log." };

/** Absent where what it stands on failed. */
const tried = async <T>(act: () => Promise<T>): Promise<T | Trouble> => act().catch(troubleOf);
const had = <T extends object>(value: T | Trouble | undefined): T | undefined =>
  value === undefined || ("problem" in value && "fix" in value) ? undefined : value;

const agentsOf = async (resolved: Resolved, environment: Environment): Promise<NonNullable<Examined["agents"]>> => {
  const roles = new Map<AgentDefinition, AgentKind[]>();
  if (resolved.agent !== undefined)
    roles.set(
      resolved.agent,
      (["triage", "fix"] as const).filter((kind) => resolved.agents[kind] === undefined),
    );
  for (const [kind, definition] of Object.entries(resolved.agents))
    roles.set(definition, [...(roles.get(definition) ?? []), kind as AgentKind]);
  return Promise.all([...roles].map(([definition, kinds]) => detectAgent(definition, environment, kinds)));
};

/** Looks at everything that can be looked at; what fails is told as trouble, never thrown. */
export const examine = async (request: ExaminedRequest): Promise<Examined> => {
  const { environment, folder, clock } = request;
  const host = hostFrom(environment);
  let token = "";
  const account = await tried(async () => {
    token = await findToken(host.host, environment);
    const { apiUrl, graphqlUrl } = host;
    return githubForge({ apiUrl, graphqlUrl, host: host.host, token, clock, pace: 0 }).viewer();
  });
  const [git, clone, config] = await Promise.all([examineGit(folder, environment), cloneAt(folder), tried(request.config)]);
  const here = (clone?.remotes ?? []).flatMap(({ repository }) =>
    repository?.host === host.host.toLowerCase() ? [`${repository.owner}/${repository.name}`] : [],
  );
  const named = await tried(async () => {
    const ref =
      request.pullRequest === undefined ? undefined : parseReference(request.pullRequest, host, clone && homeOf(clone, host.host));
    return ref === undefined ? {} : { wanted: `${ref.owner}/${ref.name}` };
  });
  const resolved = had(config);
  const read = had(account) === undefined || resolved === undefined ? undefined : await tried(request.inbox);
  // Without a pull request in the call, a branch that has none is no trouble.
  const none =
    request.pullRequest === undefined && read !== undefined && "problem" in read && read.problem.includes("does not name a pull request");
  const gates = Array.isArray(resolved?.settings.gate) ? resolved.settings.gate : [];
  const hooks = clone === undefined ? undefined : (await hookTextsOf(clone.root, environment)).filter((hook) => CHECKING.has(hook.name));
  const commands = shell({ environment, redact: redactor(token === "" ? [] : [token]), clock });
  return {
    host: host.host,
    account,
    git: "problem" in git ? git : { version: git.version, identity: git.identity, ...(git.root === undefined ? {} : { root: git.root }) },
    remote: { here: [...new Set(here)], ...had(named) },
    config:
      resolved === undefined
        ? (config as Trouble)
        : { target: resolved.settings.target, ...(resolved.file === undefined ? {} : { file: resolved.file }) },
    ...(resolved === undefined ? {} : { settings: resolved.settings }),
    gates: clone === undefined ? [] : await examineGates(gates, clone.root, commands),
    ...(hooks === undefined
      ? {}
      : {
          hooks: hooks.map(({ name, text }) => ({
            name,
            uncovered: uncoveredBy(
              text,
              gates.map((gate) => gate.run),
            ),
          })),
        }),
    ...(resolved === undefined ? {} : { agents: await agentsOf(resolved, environment) }),
    ...(read === undefined || none ? {} : { inbox: read }),
    ...("problem" in git || git.head === undefined ? {} : { checkoutHead: git.head }),
    trustHead: request.trustHead,
    jobToken:
      (environment["GITHUB_ACTIONS"] === "true" && token !== "" && token === environment["GITHUB_TOKEN"]) ||
      had(account)?.login === "github-actions",
  };
};
