/** The commands and their flags. What each does is loaded when it is called: `--help` costs next to nothing. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addDriving, addGuard, followUp } from "./driving.js";
import { addApply } from "./plan-commands.js";
import type { Surroundings } from "./surroundings.js";

type Action = (flags: Readonly<Record<string, unknown>>, reference: string | undefined, surroundings: Surroundings) => Promise<number>;

const PULL_REQUEST = "a URL, #12 or 12; default: the current branch's pull request";

const duration = (text: string): string => {
  if (!/^\d+(\.\d+)?(ms|s|m|h)$/.test(text)) throw new InvalidArgumentError('write a duration such as "10s", "5m" or "250ms".');
  return text;
};

const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("write a whole number.");
  return value;
};

const example = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

const shared = (command: Command): Command =>
  command
    .addOption(new Option("--config <file>", "config file instead of the one at the top of the checkout"))
    .addOption(new Option("--preset <name>", "preset instead of the config's"))
    .addOption(new Option("--json", "print one JSON document on stdout, nothing else"));

/** The list of commands, in the order of need. */
const GROUPS: readonly (readonly [heading: string, ...names: readonly string[]])[] = [
  ["Drive it:", "run", "plan", "apply"],
  ["Step by step:", "status", "threads", "why", "reply", "resolve", "request", "wait", "ready", "report"],
  ["Look closer:", "reviewers", "journal", "declined", "config", "doctor", "read-body"],
  ["Set up:", "init", "guard", "mcp"],
  ["Try out:", "demo", "sandbox"],
];

const grouped = (program: Command): Command => {
  const order = GROUPS.flatMap(([heading, ...names]) => names.map((name) => [name, heading] as const));
  const place = (command: Command): number => order.findIndex(([name]) => name === command.name());
  const commands = [...program.commands].sort((a, b) => place(a) - place(b));
  program.configureHelp({ visibleCommands: () => commands, subcommandTerm: (command) => command.name() });
  for (const [name, heading] of order) program.commands.find((command) => command.name() === name)?.helpGroup(heading);
  return program;
};

const build = (surroundings: Surroundings, done: (code: number) => void): Command => {
  const program = new Command("reviewloop");
  const act =
    (load: () => Promise<Action>) =>
    async (reference: string | undefined, flags: Record<string, unknown>): Promise<void> =>
      done(await (await load())(flags, reference, surroundings));
  program
    .description("Drives a GitHub pull request with open review threads to a target, or says exactly why not.")
    .version("0.1.0", "-V, --version")
    // A flag belongs to the command that it stands behind: init and what is below it have some of the same name.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for the flags)")
    .configureOutput({ writeOut: (text) => void surroundings.stdout.write(text), writeErr: (text) => void surroundings.stderr.write(text) })
    .exitOverride();

  shared(program.command("run").description("drive a pull request to the target").argument("[pull-request]", PULL_REQUEST))
    .addOption(new Option("--sync <policy>", "bring the branch up to date first").choices(["none", "merge", "rebase"]))
    .option("--gate <command>", "gate command instead of the config's")
    .option("--max-iterations <n>", "stop after so many iterations", count)
    .option("--poll <duration>", "time between two looks while waiting", duration)
    .option("--timeout <duration>", "longest wait for an answer", duration)
    .option("--park", "end at the first wait (exit 2) instead of sleeping; the next call goes on")
    .option("--wait-for-people", "wait for people whose threads are answered")
    .option("--all", "reopen points that were followed up before the first run")
    .option("--report-only", "read, check and report; change nothing")
    .option("--yes", "agree beforehand to what a first run would write")
    .option("--confirm", "ask before each step that writes")
    .option("--trust-head", "run the code of a fork's head (set-up, gate)")
    .addOption(followUp())
    .option("--quiet", "no progress")
    .option("--verbose", "more progress")
    .option("--log <file>", "append every event to this file, one JSON object a line")
    .addHelpText(
      "after",
      `${example("reviewloop run 123", "reviewloop run https://github.com/acme/widgets/pull/123 --yes", "reviewloop run --park   # exit 2: call again later")}
Exit codes:
  0  the target is met           1  stopped with work left (the report says whose)
  2  timed out, or parked        3  needs approval, usage or config
  4  GitHub, git or a plugin     130  interrupted
`,
    )
    .action(act(async () => (await import("./commands/run.js")).runCommand));

  shared(program.command("plan").description("what run would do, in order, without any write").argument("[pull-request]", PULL_REQUEST))
    .option("--out <file>", "write the plan to a file: reviewloop apply does exactly that")
    .option("--gate <command>", "gate command instead of the config's")
    .option("--all", "reopen points that were followed up before the first run")
    .option("--trust-head", "run the code of a fork's head (set-up, gate)")
    .option("--quiet", "no progress")
    .option("--verbose", "more progress")
    .option("--log <file>", "append every event to this file, one JSON object a line")
    .addHelpText("after", example("reviewloop plan 123", "reviewloop plan 123 --out plan.json   # then: reviewloop apply plan.json"))
    .action(act(async () => (await import("./commands/run.js")).planCommand));

  addApply({ program, surroundings, done, shared, example });

  shared(program.command("status").description("one state and the one next action; reads only").argument("[pull-request]", PULL_REQUEST))
    .addHelpText("after", example("reviewloop status", "reviewloop status 123 --json"))
    .action(act(async () => (await import("./commands/look.js")).statusCommand));

  shared(program.command("threads").description("open threads from every source; reads only").argument("[pull-request]", PULL_REQUEST))
    .option("--all", "closed ones too")
    .option("--reviewer <name>", "of one reviewer only")
    .addHelpText("after", example("reviewloop threads 123", "reviewloop threads 123 --json --reviewer greptile"))
    .action(act(async () => (await import("./commands/look.js")).threadsCommand));

  shared(
    program.command("report").description("the report of the last run, read live; reads only").argument("[pull-request]", PULL_REQUEST),
  )
    .addOption(
      new Option("--format <shape>", "shape of the report").choices(["text", "handoff", "table", "markdown", "json"]).default("text"),
    )
    .addHelpText("after", example("reviewloop report 123", "reviewloop report 123 --format handoff", "reviewloop report 123 --json"))
    .action(act(async () => (await import("./commands/report.js")).reportCommand));

  shared(
    program
      .command("reviewers")
      .description("who reviews here, what each said about this head, what was asked, what is missing; asks nobody")
      .argument("[pull-request]", PULL_REQUEST),
  )
    .addHelpText("after", example("reviewloop reviewers 123", "reviewloop reviewers 123 --json"))
    .action(act(async () => (await import("./commands/reviewers.js")).reviewersCommand));

  const building = { program, surroundings, done, shared, example, duration, pullRequest: PULL_REQUEST };
  addDriving(building);

  shared(
    program
      .command("doctor")
      .description("what could keep a run from working, and what to do; reads only")
      .argument("[pull-request]", PULL_REQUEST),
  )
    .option("--trust-head", "as with run: the code of a fork's head may be run")
    .addHelpText("after", example("reviewloop doctor", "reviewloop doctor 123 --json"))
    .action(act(async () => (await import("./commands/doctor.js")).doctorCommand));

  shared(program.command("config").description("what is in force here, and where each entry came from"))
    .addHelpText("after", example("reviewloop config", "reviewloop config --preset merge-ready --json"))
    .action(async (flags: Record<string, unknown>) =>
      done(await (await import("./commands/config.js")).configCommand(flags, undefined, surroundings)),
    );

  program
    .command("read-body")
    .description("what the reviewer plugins read from a body: JSON lines in, JSON lines out")
    .argument("[file]", "a file of JSON lines; default: standard input")
    .addOption(new Option("--from <url>", "read this comment, review, thread or description from GitHub instead"))
    .addOption(new Option("--config <file>", "config file instead of the one at the top of the checkout"))
    .addHelpText(
      "after",
      example(
        "reviewloop read-body bodies.jsonl",
        "reviewloop read-body --from https://github.com/acme/widgets/pull/123#issuecomment-1",
        `echo '{"source":"issue_comment","login_rest":"greptile-apps[bot]","author_type":"Bot","body":"..."}' | reviewloop read-body`,
      ),
    )
    .action(act(async () => (await import("./commands/read-body.js")).readBodyCommand));

  const init = program.command("init").description("a commented config and the skill for agents; or something new in this repository");
  init
    .command("reviewer")
    .description("a reviewer plugin with its fixtures and tests, under reviewers/<name>; overwrites nothing")
    .argument("<name>", "in lower case with hyphens")
    .addOption(new Option("--login <login>", "the account that posts for it; default: the name"))
    .addOption(new Option("--language <language>", "default: ts where there is a tsconfig.json").choices(["ts", "js"]))
    .addOption(new Option("--json", "print one JSON document on stdout, nothing else"))
    .addHelpText("after", example("reviewloop init reviewer acme", "reviewloop init reviewer acme --login acme-review[bot]"))
    .action(act(async () => (await import("./commands/init-reviewer.js")).initReviewerCommand));

  addGuard(building, init);

  program
    .command("demo")
    .description("a pull request on a GitHub on this machine, driven to review-clean")
    .option("--scene <name>", "which pull request (reviewloop sandbox --list)", "demo")
    .option("--seed <n>", "another pull request of the same kind", count, 1)
    .option("--json", "print the report alone")
    .option("--keep", "leave the sandbox up until Ctrl-C, with lines to try")
    .addHelpText("after", example("reviewloop demo", "reviewloop demo --scene judgment", "reviewloop demo --seed 7 --json"))
    .action(async (flags: Record<string, unknown>) => done(await (await import("./demo.js")).demo(flags, surroundings)));

  program
    .command("sandbox")
    .description("a GitHub on this machine, for trying things out")
    .option("--scene <name>", "which pull request", "demo")
    .option("--seed <n>", "another pull request of the same kind", count, 1)
    .option("--port <n>", "port on 127.0.0.1; default: a free one", count)
    .option("--fault <name...>", "switch a fault on; NAME:SEED draws what it is set to (--list names them)")
    .option("--list", "list scenes and faults")
    .addHelpText(
      "after",
      example(
        "reviewloop sandbox",
        "reviewloop sandbox --scene judgment --port 8080",
        "reviewloop sandbox --fault lost-answer:7",
        "reviewloop sandbox --list",
      ),
    )
    .action(async (flags: Record<string, unknown>) => done(await (await import("./sandbox.js")).sandbox(flags, surroundings)));

  return grouped(program);
};

/** Runs one command line; gives the exit code. Never throws, never ends the process. */
export const commandLine = async (argv: readonly string[], surroundings: Surroundings): Promise<number> => {
  let code = 0;
  const program = build(surroundings, (given) => {
    code = given;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 3;
    const { failure } = await import("./failure.js");
    return failure(thrown, argv.includes("--json"), surroundings);
  }
};
