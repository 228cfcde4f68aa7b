/** Commands for whoever drives the loop by hand, an agent or a person: one order, one answer, read again. */
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { Surroundings } from "./surroundings.js";

type Flags = Readonly<Record<string, unknown>>;

export interface Building {
  readonly program: Command;
  readonly surroundings: Surroundings;
  readonly done: (code: number) => void;
  /** Adds what every command about a pull request has. */
  readonly shared: (command: Command) => Command;
  readonly example: (...lines: readonly string[]) => string;
  readonly duration: (text: string) => string;
  readonly pullRequest: string;
}

const DECISIONS = ["actionable", "informational", "false-positive", "nitpick", "judgment"] as const;
/** For a target with a stopping rule. */
export const followUp = (): Option =>
  new Option("--follow-up <kind>", "what a stopping rule leaves behind becomes one issue").choices(["issue"]);

const THREAD = "thread id, comment id or URL (reviewloop threads)";

const waitAndRequest = ({ program, surroundings, done, shared, example, duration, pullRequest }: Building): void => {
  shared(program.command("wait").description("block until there is something to do, then say what").argument("[pull-request]", pullRequest))
    .option("--poll <duration>", "time between the first looks; later ones are further apart, up to a minute", duration)
    .option("--timeout <duration>", "longest wait (exit 2; simply call it again)", duration)
    .addOption(followUp())
    .option("--quiet", "no keep-alive lines")
    .addHelpText(
      "after",
      `${example("reviewloop wait 123", "reviewloop wait --timeout 5m")}
Exit codes:
  0  there is something to do (state and next action are printed)
  2  nothing yet: call it again

Keep it in the foreground: give the calling tool a longer time limit than --timeout.
`,
    )
    .action(async (reference: string | undefined, flags: Flags) =>
      done(await (await import("./commands/act.js")).waitCommand(flags, reference, surroundings)),
    );

  shared(
    program.command("request").description("ask for the reviews that are not done, once per head").argument("[pull-request]", pullRequest),
  )
    .option("--reviewer <name>", "only this one, also again on the same head; never while one is pending")
    .addOption(new Option("--cancel", "take a pending review request back").conflicts("show"))
    .option("--show", "who was asked, when, and what became of it")
    .addHelpText("after", example("reviewloop request 123", "reviewloop request 123 --reviewer copilot", "reviewloop request 123 --show"))
    .action(async (reference: string | undefined, flags: Flags) =>
      done(await (await import("./commands/act.js")).requestCommand(flags, reference, surroundings)),
    );

  shared(
    program
      .command("ready")
      .description("draft to ready for review; refused unless READY on a fresh read")
      .argument("[pull-request]", pullRequest),
  )
    .option("--undo", "back to draft: more work to do")
    .addOption(followUp())
    .addHelpText("after", example("reviewloop ready 123", "reviewloop ready 123 --undo"))
    .action(async (reference: string | undefined, flags: Flags) =>
      done(await (await import("./commands/act.js")).readyCommand(flags, reference, surroundings)),
    );
};

export const addDriving = (building: Building): void => {
  const { program, surroundings, done, shared, example, pullRequest } = building;
  waitAndRequest(building);
  addMcp(building);

  shared(program.command("reply").description("answer one thread").argument("<pull-request>", pullRequest).argument("<thread>", THREAD))
    .option("--body <text>", "the answer")
    .option("--file <file>", "the answer from a file; - is standard input")
    .addOption(new Option("--decision <kind>", "what the answer says about the point").choices(DECISIONS).default("informational"))
    .addHelpText(
      "after",
      example(
        `reviewloop reply 123 2001 --body "The list is sorted by the caller."`,
        "reviewloop reply 123 2001 --decision false-positive --file -",
        `reviewloop reply 123 2001 --decision actionable --body "Fixed in 1a2b3c4: compares with < now."`,
      ),
    )
    .action(async (reference: string, thread: string, flags: Flags) =>
      done(await (await import("./commands/act.js")).replyCommand(thread, flags, reference, surroundings)),
    );

  shared(
    program
      .command("resolve")
      .description("resolve one answered thread")
      .argument("<pull-request>", pullRequest)
      .argument("<thread>", THREAD),
  )
    .addHelpText("after", example("reviewloop resolve 123 2001"))
    .action(async (reference: string, thread: string, flags: Flags) =>
      done(await (await import("./commands/act.js")).resolveCommand(thread, flags, reference, surroundings)),
    );

  shared(
    program
      .command("why")
      .description("the nearest blocker with its evidence, or what became of a thread or of the last run; reads only")
      .argument("<what>", "not-ready, stopped, or a thread (id, comment id or URL)", (text: string) => {
        if (text.trim() === "") throw new InvalidArgumentError("name not-ready, stopped or a thread.");
        return text;
      })
      .argument("[pull-request]", pullRequest),
  )
    .addHelpText("after", example("reviewloop why not-ready 123", "reviewloop why stopped 123 --json", "reviewloop why 2001 123"))
    .action(async (what: string, reference: string | undefined, flags: Flags) =>
      done(await (await import("./commands/look.js")).whyCommand(what, flags, reference, surroundings)),
    );

  shared(
    program
      .command("journal")
      .description("what was intended and what became of it; reads the disk")
      .argument("[pull-request]", pullRequest),
  )
    .addHelpText("after", example("reviewloop journal 123"))
    .action(async (reference: string | undefined, flags: Flags) =>
      done(await (await import("./commands/journal.js")).journalCommand(flags, reference, surroundings)),
    );

  shared(
    program
      .command("declined")
      .description("points declined with a reason in this repository, and how often")
      .argument("[pull-request]", pullRequest),
  )
    .option("--export [file]", "write them for a commit; default: .reviewloop/declined.jsonl")
    .addHelpText("after", example("reviewloop declined", "reviewloop declined 123 --export"))
    .action(async (reference: string | undefined, flags: Flags) =>
      done(await (await import("./commands/declined.js")).declinedCommand(flags, reference, surroundings)),
    );
};

const addMcp = ({ program, surroundings, done, example }: Building): void => {
  program
    .command("mcp")
    .description("the verbs as tools of a Model Context Protocol server, on standard input and output")
    .addOption(new Option("--config <file>", "config file instead of the one at the top of the checkout"))
    .addOption(new Option("--preset <name>", "preset instead of the config's"))
    .addHelpText("after", example("claude mcp add reviewloop -- reviewloop mcp", "codex mcp add reviewloop -- reviewloop mcp"))
    .action(async (flags: Flags) =>
      done(await (await import("./commands/mcp.js")).mcpCommand(flags, surroundings, program.version() ?? "")),
    );
};

/** The guard of a coding agent, and what `init` sets up for agents. */
export const addGuard = ({ program, surroundings, done, example }: Building, init: Command): void => {
  const guard = program
    .command("guard")
    .description("a coding agent's hook before each tool call: denies a bare gh pr create, ready and merge (reads the call on stdin)")
    .addHelpText(
      "after",
      `${example("reviewloop init guard", "reviewloop guard arm")}
Exit codes:
  0  the call goes through      2  denied, with the reason on stderr
`,
    )
    .action(async () => done(await (await import("./commands/guard.js")).guardCommand(surroundings)));
  guard
    .command("arm")
    .description("let the next gh pr create, ready or merge through, once; as a step of its own")
    .addOption(new Option("--json", "print one JSON document on stdout, nothing else"))
    .addHelpText("after", example("reviewloop guard arm"))
    .action(async (flags: Flags) => done(await (await import("./commands/guard-arm.js")).armCommand(flags, surroundings)));
  init
    .addOption(new Option("--preset <name>", "the way of working"))
    .addOption(new Option("--gate <command>", "what must be green before a push; false: none"))
    .addOption(new Option("--agent <name>", "who judges and mends; none: nobody"))
    .addOption(new Option("--reviewer <name...>", "whose review is required"))
    .addOption(new Option("--no-skill", "no skill for coding agents"))
    .addOption(new Option("--yes", "ask nothing: take flags and what is found"))
    .addOption(new Option("--json", "print one JSON document on stdout, nothing else"))
    .addHelpText("after", example("reviewloop init", "reviewloop init --yes --preset draft-to-ready --gate 'npm test' --agent claude"))
    .action(async (flags: Flags) => done(await (await import("./commands/init.js")).initCommand(flags, surroundings)));
  init
    .command("guard")
    .description("the guard as a hook of Claude Code in this repository (.claude/settings.json)")
    .option("--strict", "deny every shell command where the guard itself can't be started")
    .addOption(new Option("--json", "print one JSON document on stdout, nothing else"))
    .addHelpText("after", example("reviewloop init guard"))
    .action(async (flags: Flags) => done(await (await import("./commands/init-guard.js")).initGuardCommand(flags, surroundings)));
};
