/** The config in force, as handlers see it. Data only. */

/** One gate: a command whose exit code 0 is green. */
export interface GateSettings {
  readonly name: string;
  readonly run: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly proof: boolean;
  readonly together: boolean;
}

/** What is in force: every key resolved, every duration in milliseconds. Frozen. */
export interface Settings {
  readonly target: string;
  readonly sync: "none" | "merge" | "rebase";
  /** `false`: the user said that there is no gate, and pushes all the same. `undefined`: none configured, so no push. */
  readonly gate: readonly GateSettings[] | false | undefined;
  readonly hasAgent: boolean;
  readonly people: {
    readonly resolve: "leave" | "after-reply";
    readonly wait: boolean;
    readonly rerequest: "once" | "never";
    readonly signature: string | false;
  };
  readonly identities: readonly string[];
  readonly nitpicks: "fix" | "answer" | "leave";
  readonly markReadyFor: readonly string[];
  /** `kept`: a commit for each unit of a pass; then `subject` is for commits without a point of their own. */
  readonly commit: { readonly subject: string; readonly style: "one-per-iteration" | "kept" };
  readonly worktree: { readonly setup: string | false | undefined };
  readonly push: "own" | "any";
  readonly trust: { readonly logins: readonly string[]; readonly everyone: boolean; readonly protected: readonly string[] };
  readonly wait: { readonly poll: number; readonly timeout: number; readonly settle: number; readonly pace: number };
  readonly limits: {
    readonly iterations: number | undefined;
    readonly activeTime: number;
    readonly repairs: number;
    readonly handoffs: number;
    readonly replies: number;
    readonly tokens: number | undefined;
    readonly money: number | undefined;
  };
  /** No config and no journal for this repository: `run` shows the plan and asks once. */
  readonly configured: boolean;
}
