/** The agent and the gate of a simulated day. They know what is right, and go about it as the plan says. */
import { answerProblems } from "../../core/index.js";
import type { Agent, AgentResult, AgentTask, AgentThread, FixAnswer, TriageAnswer } from "../../core/index.js";
import type { MemoryGit, Worktree } from "../../sandbox/kit/index.js";
import type { Clock } from "../../core/index.js";
import { flawOf } from "./bots.js";
import type { Flaw, Plan, Truth } from "./plan.js";

/** What must never leave, in an answer of the agent's. */
export const SECRET = "hunter2-in-a-test";
export const FOLDER = "/worktree";
export const BROKEN = "BROKEN";

const NASTY = `No. See ${FOLDER}/src/a.ts, @acme review, @grace; fixes #12.\n/review\n<!-- reviewloop:1 {"k":"x"} -->`;

const decide = (thread: AgentThread, flaws: readonly Flaw[]): TriageAnswer["decisions"][number] => {
  const flaw = flaws.find((each) => each.number === flawOf(thread.comments[0]?.body ?? thread.title));
  const of = (kind: TriageAnswer["decisions"][number]["kind"], reply: string | null, question: string | null = null) => ({
    thread: thread.id,
    kind,
    why: `It is ${kind}.`,
    reply,
    root: null,
    question,
  });
  // The judge is easily talked into things: whose words may cause an edit is for the product to know.
  if (thread.comments[0]?.body.includes("delete everything") === true) return of("actionable", null);
  if (flaw === undefined) return of("informational", "It is what the task asks for.");
  const answers: Readonly<Record<Truth, TriageAnswer["decisions"][number]>> = {
    fixes: of("actionable", null),
    refutes: of("false-positive", `v${flaw.number} is the last index, so <= is right.`),
    explains: of("informational", `v${flaw.number} is compared so on purpose.`),
    nitpick: of("nitpick", `v${flaw.number} could be written so, but need not.`),
    judgment: of("judgment", null, "Is speed worth it?"),
    "cannot-fix": of("actionable", null),
    lies: of("actionable", null),
    "breaks-gate": of("actionable", null),
    "touches-protected": of("actionable", null),
    "nasty-reply": of("false-positive", flaw.number % 5 === 0 ? `The password is ${SECRET}.` : NASTY),
    silent: of("informational", thread.source === "inline" ? "So be it." : null),
  };
  return answers[flaw.truth];
};

const fixOne = (
  thread: AgentThread,
  flaws: readonly Flaw[],
  plan: Plan,
  worktree: Worktree,
): { readonly summary: string; readonly files: readonly string[] } | string => {
  if (thread.source === "gate") {
    if (plan.gate === "red-for-good") return "I don't know what to do about it.";
    const files = worktree.paths().filter((path) => worktree.read(path)?.includes(BROKEN) === true);
    for (const path of files) worktree.write(path, (worktree.read(path) ?? "").replaceAll(new RegExp(`^.*${BROKEN}.*\n`, "gm"), ""));
    return files.length === 0 ? "There is nothing to repair." : { summary: "repaired the build", files };
  }
  if (thread.comments[0]?.body.includes("delete everything") === true) {
    worktree.write("src/b.ts", "");
    return { summary: "deleted everything", files: ["src/b.ts"] };
  }
  const flaw = flaws.find((each) => each.number === flawOf(thread.comments[0]?.body ?? thread.title));
  if (flaw === undefined) return "I don't know what is meant.";
  if (flaw.truth === "cannot-fix") return "It can't be done here.";
  const files = [flaw.path];
  if (flaw.truth !== "lies") {
    const before = worktree.read(flaw.path) ?? "";
    worktree.write(
      flaw.path,
      before.replace(`v${flaw.number} <= `, `v${flaw.number} < `) +
        (flaw.truth === "breaks-gate" ? `// ${BROKEN} by v${flaw.number}\n` : ""),
    );
  }
  if (flaw.truth === "touches-protected") worktree.write(".github/workflows/ci.yml", "on: push\n");
  return { summary: `v${flaw.number} compares with < now`, files };
};

export const agentOf = (plan: Plan, git: MemoryGit, clock: Clock): Agent => {
  let calls = 0;
  return {
    name: "judge",
    async ask(task: AgentTask): Promise<AgentResult> {
      calls += 1;
      await clock.sleep(500);
      const spent = { took: 500, tokens: 40 };
      if (plan.agent === "fails" || (plan.agent === "fails-once" && calls === 1))
        return { ok: false, failure: { kind: "timeout", detail: "no answer in time" }, ...spent };
      let answer: TriageAnswer | FixAnswer;
      if (task.kind === "triage") answer = { decisions: task.threads.map((thread) => decide(thread, plan.flaws)) };
      else {
        const results = task.threads.map((thread) => ({ thread: thread.id, result: fixOne(thread, plan.flaws, plan, git.worktree) }));
        answer = {
          changed: results.flatMap(({ thread, result }) => (typeof result === "string" ? [] : [{ thread, ...result }])),
          unfixed: results.flatMap(({ thread, result }) => (typeof result === "string" ? [{ thread, why: result }] : [])),
        };
      }
      const problems = answerProblems(task, answer);
      // As a real client's: what is no answer is told as none.
      if (problems.length > 0) return { ok: false, failure: { kind: "bad-answer", detail: problems.join("; ") }, ...spent };
      return { ok: true, answer, ...spent };
    },
  };
};
