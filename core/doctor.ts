/** Pure: what could keep a run from working, one line each, with what to do about it. */
import { cannotPush } from "./changing/pushing.js";
import type { Inbox } from "./model.js";
import type { Settings } from "./settings.js";

export const DOCTOR_CHECKS = [
  "sign-in",
  "git",
  "remote",
  "config",
  "pull-request",
  "head",
  "permissions",
  "gate",
  "hooks",
  "agent",
  "reviewers",
  "workflows",
] as const;
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];

export interface DoctorLine {
  readonly check: DoctorCheck;
  /** `note`: it works, and somebody may want it otherwise. */
  readonly state: "ok" | "note" | "red";
  readonly says: string;
  /** What to do; for each red line, and for some notes. */
  readonly fix?: string;
}

/** Something that can't be had, and what lifts it. */
export interface Trouble {
  readonly problem: string;
  readonly fix: string;
}

export interface ExaminedGate {
  readonly name: string;
  readonly run: string;
  /** Why it can't start, as far as that is seen without running it. */
  readonly problem?: string;
}

export interface ExaminedHook {
  readonly name: string;
  /** Command lines of it that stand in no gate. */
  readonly uncovered: readonly string[];
}

/** What was found on this machine and at GitHub. Absent: it could not be looked at, because something before it is red. */
export interface Examined {
  readonly host: string;
  readonly account: { readonly login: string; readonly kind: "user" | "bot" } | Trouble;
  readonly git: { readonly version: string; readonly root?: string; readonly identity: boolean } | Trouble;
  /** `owner/name` that is wanted, and those that this checkout has. */
  readonly remote?: { readonly wanted?: string; readonly here: readonly string[] };
  readonly config: { readonly file?: string; readonly target: string } | Trouble;
  readonly settings?: Settings;
  readonly gates?: readonly ExaminedGate[];
  readonly hooks?: readonly ExaminedHook[];
  readonly agents?: readonly {
    readonly state: "ready" | "missing" | "broken" | "unchecked";
    readonly line: string;
    readonly signedIn?: boolean;
    readonly lacks: readonly string[];
  }[];
  readonly inbox?: Inbox | Trouble;
  /** Commit of the user's checkout. */
  readonly checkoutHead?: string;
  readonly trustHead: boolean;
  /** The token is the one that Actions hands to a job. */
  readonly jobToken: boolean;
}

type Line = Omit<DoctorLine, "check"> | undefined;

const ok = (says: string): Line => ({ state: "ok", says });
const note = (says: string, fix?: string): Line => ({ state: "note", says, ...(fix === undefined ? {} : { fix }) });
const red = (says: string, fix: string): Line => ({ state: "red", says, fix });
const isTrouble = (value: object | undefined): value is Trouble => value !== undefined && "problem" in value;

/** `merge-tree --write-tree` came with it. */
const OLDEST_GIT = [2, 38] as const;

const tooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]);
};

const inboxOf = ({ inbox }: Examined): Inbox | undefined => (inbox === undefined || isTrouble(inbox) ? undefined : inbox);

const CHECKS: Readonly<Record<DoctorCheck, (examined: Examined) => Line>> = {
  "sign-in": ({ account, host }) =>
    isTrouble(account) ? red(account.problem, account.fix) : ok(`${account.login} at ${host}${account.kind === "bot" ? " (an app)" : ""}`),

  git: ({ git }) => {
    if (isTrouble(git)) return red(git.problem, git.fix);
    if (tooOld(git.version)) return red(`git ${git.version} is too old`, `Install git ${OLDEST_GIT.join(".")} or newer.`);
    if (!git.identity)
      return red("git knows no name and address for commits", "git config user.name NAME && git config user.email ADDRESS");
    return git.root === undefined
      ? note(
          `git ${git.version}; this folder is in no checkout, so a run without --config only plans`,
          "Run it in a clone of the repository.",
        )
      : ok(`git ${git.version}, checkout at ${git.root}`);
  },

  remote: ({ remote, host }) => {
    if (remote === undefined) return undefined;
    const { wanted, here } = remote;
    if (wanted === undefined) return here.length > 0 ? ok(here.join(", ")) : red(`no remote leads to ${host}`, "git remote add origin URL");
    return here.some((name) => name.toLowerCase() === wanted.toLowerCase())
      ? ok(wanted)
      : red(
          `no remote leads to ${wanted}${here.length === 0 ? "" : ` (there are ${here.join(", ")})`}: no config of this folder holds, and nothing is pushed`,
          `Run it in a clone of ${wanted}, or give --config.`,
        );
  },

  config: ({ config }) => {
    if (isTrouble(config)) return red(config.problem, config.fix);
    return config.file === undefined
      ? note(`none: preset review-clean, no agent, no gate`, "reviewloop init writes one")
      : ok(`${config.file}, target ${config.target}`);
  },

  "pull-request": ({ inbox }) => {
    if (inbox === undefined) return undefined;
    if (isTrouble(inbox)) return red(inbox.problem, inbox.fix);
    const { pullRequest, threads } = inbox;
    const { number } = pullRequest.ref;
    if (pullRequest.state !== "open") return red(`#${number} is ${pullRequest.state}`, "Open it again, or name another one.");
    if (pullRequest.inMergeQueue) return red(`#${number} is in the merge queue`, "Take it out of the queue, or let it merge.");
    if (pullRequest.locked || pullRequest.archived)
      return red(
        `#${number} takes no comments: ${pullRequest.archived ? "the repository is archived" : "its conversation is locked"}`,
        "Ask a maintainer.",
      );
    return ok(
      `#${number}, ${threads.filter((thread) => thread.open).length} of ${threads.length} threads open${pullRequest.draft ? ", a draft" : ""}`,
    );
  },

  head: (examined) => {
    const inbox = inboxOf(examined);
    if (inbox === undefined) return undefined;
    const { head, base, fork, mergeState, mergeable } = inbox.pullRequest;
    const at = `${head.branch} at ${head.sha.slice(0, 10)}`;
    if (fork && head.repository === undefined) return red(`${at}: the fork is gone, so nothing can be pushed`, "Open a new pull request.");
    if (mergeState === "DIRTY" || mergeable === "CONFLICTING")
      return red(`${at} conflicts with ${base.branch}`, `Merge ${base.branch} into it and push.`);
    if (examined.checkoutHead === undefined || examined.checkoutHead === head.sha) return ok(at);
    return note(`${at}; the checkout here is at ${examined.checkoutHead.slice(0, 10)}, and is left alone`);
  },

  permissions: (examined) => {
    const inbox = inboxOf(examined);
    const { settings, remote } = examined;
    if (inbox === undefined || settings === undefined) return undefined;
    const hasWorktree =
      !isTrouble(examined.config) &&
      (examined.config.file !== undefined || remote?.wanted === undefined || remote.here.includes(remote.wanted));
    // A missing gate has a line of its own.
    const reason = cannotPush(inbox, { ...settings, gate: settings.gate ?? false }, { hasWorktree, trustHead: examined.trustHead });
    if (reason !== undefined)
      return red(
        `nothing can be pushed: ${reason}`,
        "Use an account that may push here, or see docs/configuration.md (push, --trust-head).",
      );
    const stuck = inbox.threads.filter(
      (thread) => thread.open && thread.home === "inline" && thread.author.kind === "bot" && !thread.canResolve,
    );
    if (stuck.length > 0)
      return red(`${stuck.length} threads of bots can't be resolved by ${inbox.viewer.login}`, "Use an account with write access.");
    const draft = inbox.reviews.some((review) => review.state === "PENDING" && review.message.author.login === inbox.viewer.login);
    if (draft)
      return red(
        `${inbox.viewer.login} has a review that is not submitted; replies would vanish into it`,
        "Submit or discard it on the pull request.",
      );
    return ok(`${inbox.viewer.login} may push, reply and resolve (${inbox.pullRequest.viewerPermission})`);
  },

  gate: ({ settings, gates = [] }) => {
    if (settings === undefined) return undefined;
    if (settings.gate === undefined)
      return red("none is configured, so nothing is pushed", 'gate: "npm test" in the config; gate: false pushes without one');
    if (settings.gate === false) return note("gate: false, so pushes go out unchecked", 'gate: "npm test"');
    const broken = gates.filter((gate) => gate.problem !== undefined);
    if (broken.length > 0)
      return red(broken.map((gate) => `"${gate.run}": ${gate.problem}`).join("; "), "Install it, or mend the command in the config.");
    return ok(settings.gate.map((gate) => gate.run).join(", "));
  },

  hooks: ({ hooks }) => {
    if (hooks === undefined) return undefined;
    const open = hooks.filter((hook) => hook.uncovered.length > 0);
    if (open.length === 0)
      return ok(hooks.length === 0 ? "none" : `${hooks.map((hook) => hook.name).join(", ")}: the gate runs what they run`);
    const first = open.flatMap((hook) => hook.uncovered)[0] ?? "";
    return red(
      `hooks never run in our worktree, and no gate runs ${open.map((hook) => `${hook.name} (${hook.uncovered.join("; ")})`).join(", ")}`,
      `Add it to the gate: gate: ["${first.replaceAll('"', '\\"')}", ...]`,
    );
  },

  agent: ({ agents, settings }) => {
    if (settings === undefined || agents === undefined) return undefined;
    if (agents.length === 0) return note("none: what needs judgment is listed for a person", 'agent: "claude"');
    const bad = agents.filter((agent) => agent.state === "missing" || agent.state === "broken" || agent.lacks.length > 0);
    if (bad.length > 0) return red(bad.map((agent) => agent.line).join(" "), "Mend it as it says, or name another one under agent.");
    const all = agents.map((agent) => agent.line).join(" ");
    // Not for sure: a provider of one's own needs no sign-in.
    return agents.some((agent) => agent.signedIn === false)
      ? note(all, "Sign in with the client itself, once, outside of reviewloop.")
      : ok(all);
  },

  reviewers: (examined) => {
    const inbox = inboxOf(examined);
    if (inbox === undefined) return undefined;
    const state = (name: string): string => inbox.signals.find((signal) => signal.reviewer === name)?.state ?? "absent";
    const missing = inbox.parties.filter((party) => party.required && !party.seen).map((party) => party.reviewer);
    if (missing.length > 0)
      return red(
        `required and never seen in this repository: ${missing.join(", ")}`,
        "Install its app here, or take it out of reviewers (required: false).",
      );
    const seen = inbox.parties.filter((party) => party.seen).map((party) => `${party.reviewer} (${state(party.reviewer)})`);
    const unknown = inbox.unknownBots.length === 0 ? "" : `; bots that no plugin knows: ${inbox.unknownBots.join(", ")}`;
    return ok(`${seen.length === 0 ? "none seen" : seen.join(", ")}${unknown}`);
  },

  workflows: ({ account, jobToken }) => {
    if (isTrouble(account)) return undefined;
    return jobToken
      ? red(
          "pushes by GITHUB_TOKEN start no workflow, so the checks of our commits would never run",
          "Set GH_TOKEN to a token of a person or an app.",
        )
      : ok("our pushes start workflows");
  },
};

/** In the order in which one would mend them. A check that could not be made for a reason told before has no line. */
export const doctorLines = (examined: Examined): readonly DoctorLine[] =>
  DOCTOR_CHECKS.flatMap((check) => {
    const line = CHECKS[check](examined);
    return line === undefined ? [] : [{ check, ...line }];
  });

const TRIVIAL =
  /^(?:#.*|set -\w.*|exit\b.*|export \w+=.*|\. .*|source .*|(?:if|elif)\b.*(?:then)?|then|else|fi|do|done|esac|\{|\}|:|true)$/;

/** Pure: command lines of a hook that no gate runs. Shell around them (conditions, set-up) counts for nothing. */
export const uncoveredBy = (hook: string, gates: readonly string[]): readonly string[] => {
  const lines = hook
    .split(/\r?\n/)
    .map((line) =>
      line
        .trim()
        .replace(/;?\s*(?:\|\|\s*exit\b.*)$/, "")
        .replace(/^exec\s+/, "")
        .replace(/\s+"\$@"$/, ""),
    )
    .filter((line) => line !== "" && !TRIVIAL.test(line));
  const covered = (line: string): boolean =>
    gates.some((gate) => {
      if (gate.includes(line) || line.includes(gate)) return true;
      // Frameworks keep their list elsewhere; to call the framework is to run it.
      const framework = /\b(pre-commit|lefthook|lint-staged|husky)\b/.exec(line)?.[1];
      return framework !== undefined && gate.includes(framework);
    });
  return lines.filter((line) => !covered(line));
};
