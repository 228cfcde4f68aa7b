/** `apply`: a plan that somebody approved, carried out as it stands. */
import type { Building } from "./driving.js";

export const addApply = ({ program, surroundings, done, shared, example }: Omit<Building, "duration" | "pullRequest">): void => {
  shared(
    program
      .command("apply")
      .description("do exactly what a plan says, while head and threads are as it knew them")
      .argument("<plan>", "file of plan --out"),
  )
    .option("--trust-head", "accept a fork's head")
    .option("--quiet", "no progress")
    .option("--verbose", "more progress")
    .option("--log <file>", "append every event to this file, one JSON object a line")
    .addHelpText(
      "after",
      `${example("reviewloop plan 123 --out plan.json", "reviewloop apply plan.json")}
Exit codes:
  0  done, and the target is met      1  refused: what moved since is named, nothing was written
  2  done, and parked at the first wait
`,
    )
    .action(async (file: string, flags: Readonly<Record<string, unknown>>) =>
      done(await (await import("./commands/run.js")).applyCommand(flags, file, surroundings)),
    );
};
