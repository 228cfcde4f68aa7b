/** Check runs and commit statuses of one head: what each says, and which of several runs of one check counts. Pure. */
import type { Check, CheckState, Sha } from "../../model.js";
import type { WireCheckRun, WireContext, WireStatus } from "./wire.js";

const CONCLUSIONS: Readonly<Record<string, CheckState>> = {
  SUCCESS: "success",
  NEUTRAL: "neutral",
  SKIPPED: "skipped",
  CANCELLED: "cancelled",
  STALE: "stale",
  FAILURE: "failure",
  TIMED_OUT: "failure",
  ACTION_REQUIRED: "failure",
  STARTUP_FAILURE: "failure",
};
const STATUS_STATES: Readonly<Record<string, CheckState>> = {
  SUCCESS: "success",
  PENDING: "pending",
  EXPECTED: "pending",
  FAILURE: "failure",
  ERROR: "failure",
};

/** A word that we don't know is not green; a finished run without a conclusion is not finished for us. */
const stateOf = (context: WireContext): CheckState => {
  if (context.__typename === "StatusContext") return STATUS_STATES[context.state] ?? "failure";
  if (context.status !== "COMPLETED" || context.conclusion === null) return "pending";
  return CONCLUSIONS[context.conclusion] ?? "failure";
};

/** Two runs with one identity are runs of one check. The name alone would merge the checks of two apps. */
export const identityOf = (context: WireContext): string => {
  if (context.__typename === "StatusContext") return JSON.stringify(["status", context.context]);
  const { app, workflowRun } = context.checkSuite;
  return workflowRun === null
    ? JSON.stringify(["app", app?.slug ?? "", context.name])
    : JSON.stringify(["workflow", workflowRun.workflow.name, workflowRun.event, context.name]);
};

const time = (value: string | null): number | undefined => (value === null ? undefined : Date.parse(value));

/** Of runs that time can't tell apart (its resolution is a second) the one least like a success counts. */
const CAUTION: readonly CheckState[] = ["success", "skipped", "neutral", "stale", "cancelled", "pending", "failure"];

/**
 * The order in GitHub's answer means nothing, so age is by time: the start first, because a cancelled run may end after its
 * successor began; then the end; for a run without either, when its suite was registered.
 */
const ageOf = (context: WireContext): readonly number[] => {
  const caution = CAUTION.indexOf(stateOf(context));
  if (context.__typename === "StatusContext") return [Date.parse(context.createdAt), 0, caution];
  const [started, ended] = [time(context.startedAt), time(context.completedAt)];
  return [started ?? ended ?? Date.parse(context.checkSuite.createdAt), ended ?? 0, caution];
};

const isNewer = (a: WireContext, b: WireContext): boolean => {
  const [one, other] = [ageOf(a), ageOf(b)];
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? a.id > b.id : (one[at] ?? 0) > (other[at] ?? 0);
};

/** Runs that a newer run of the same check replaced are dropped. */
export const newestOf = (contexts: readonly WireContext[]): readonly WireContext[] => {
  const newest = new Map<string, WireContext>();
  for (const context of contexts) {
    const identity = identityOf(context);
    const before = newest.get(identity);
    if (before === undefined || isNewer(context, before)) newest.set(identity, context);
  }
  return [...newest.values()];
};

const runOf = (run: WireCheckRun, head: Sha, required: ReadonlySet<string>): Check => {
  const [started, completed] = [time(run.startedAt), time(run.completedAt)];
  const summary = [run.title, run.summary].filter((part) => part !== null && part !== "").join("\n\n");
  return {
    name: run.name,
    kind: "check-run",
    state: stateOf(run),
    raw: run.status === "COMPLETED" ? (run.conclusion ?? run.status) : run.status,
    required: run.isRequired ?? required.has(run.name),
    head,
    url: run.detailsUrl ?? run.permalink,
    ...(run.checkSuite.app === null ? {} : { app: run.checkSuite.app.slug }),
    ...(started === undefined ? {} : { startedAt: started }),
    ...(completed === undefined ? {} : { completedAt: completed }),
    ...(summary === "" ? {} : { summary }),
  };
};

const statusOf = (status: WireStatus, head: Sha, required: ReadonlySet<string>): Check => {
  const state = stateOf(status);
  const at = Date.parse(status.createdAt);
  return {
    name: status.context,
    kind: "status",
    state,
    raw: status.state,
    required: status.isRequired ?? required.has(status.context),
    head,
    startedAt: at,
    ...(state === "pending" ? {} : { completedAt: at }),
    ...(status.targetUrl === null || status.targetUrl === "" ? {} : { url: status.targetUrl }),
    ...(status.description === null || status.description === "" ? {} : { summary: status.description }),
  };
};

export const checksOf = (contexts: readonly WireContext[], head: Sha, requiredChecks: readonly string[]): readonly Check[] => {
  const required = new Set(requiredChecks);
  return newestOf(contexts).map((context) =>
    context.__typename === "StatusContext" ? statusOf(context, head, required) : runOf(context, head, required),
  );
};
