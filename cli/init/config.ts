/** A config with comments, from what was found and said. Pure. */

export interface Chosen {
  readonly preset: string;
  readonly presets: readonly string[];
  /** `false`: push without a check. Undefined: none was found, so nothing is pushed. */
  readonly gate: string | false | undefined;
  readonly agent: string | undefined;
  /** Coding agents that are installed here. */
  readonly agentsHere: readonly string[];
  readonly required: readonly string[];
  /** Reviewers that posted, ran or were asked on recent pull requests; undefined: not looked at. */
  readonly seen: readonly string[] | undefined;
  /** Workflow files that run on pull requests. */
  readonly workflows: readonly string[];
}

const list = (names: readonly string[], none: string): string => (names.length === 0 ? none : names.join(", "));
/** A YAML scalar; JSON's quotes are YAML's too. */
const scalar = (value: string): string =>
  /^[A-Za-z][\w ./-]*$/.test(value) && !/^(true|false|null|yes|no|on|off|~)$/i.test(value) ? value : JSON.stringify(value);

const gateLines = (gate: Chosen["gate"]): readonly string[] => [
  "# Must be green before anything is pushed; it runs on exactly the commit that goes out. A list runs in order.",
  "# false pushes without a check, and every report says so. Without this key nothing is pushed at all.",
  gate === undefined ? "# gate: npm test" : `gate: ${gate === false ? "false" : scalar(gate)}`,
];

const agentLines = ({ agent, agentsHere }: Chosen): readonly string[] => [
  "# Who judges and mends: claude, codex, copilot, gemini, opencode, or a program of your own:",
  '#   agent: ["command", { run: ["node", "agent.mjs"] }]',
  `# false: nothing is judged by a program. Found on this machine: ${list(agentsHere, "none")}.`,
  `agent: ${agent === undefined ? "false" : scalar(agent)}`,
];

const reviewerLines = ({ required, seen }: Chosen): readonly string[] => [
  "# Naming a reviewer makes its review required; rerun: false takes one review of any head. Without this key it is as the preset has it.",
  `# ${seen === undefined ? "Recent pull requests were not looked at." : `Seen on recent pull requests: ${list(seen, "none")}.`}`,
  ...(required.length === 0
    ? [...(seen ?? []).slice(0, 1), ...(seen === undefined || seen.length === 0 ? ["copilot"] : [])].flatMap((name) => [
        "# reviewers:",
        `#   ${name}: { rerun: false }`,
      ])
    : ["reviewers:", ...required.map((name) => `  ${scalar(name)}: { required: true }`)]),
];

export const configText = (chosen: Chosen): string =>
  [
    "# What reviewloop does in this repository. All keys: docs/configuration.md. In force: reviewloop config. Ready to go: reviewloop doctor.",
    "",
    `# The way of working: ${chosen.presets.join(", ")}.`,
    `extends: ${scalar(chosen.preset)}`,
    "",
    ...gateLines(chosen.gate),
    "",
    ...agentLines(chosen),
    "",
    ...reviewerLines(chosen),
    "",
    `# Workflows here: ${list(chosen.workflows, "none")}. merge-ready and draft-to-ready wait for checks; review-clean does not.`,
    "",
  ].join("\n");
