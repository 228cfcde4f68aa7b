/** `init reviewer`: writes plugin, fixtures and tests of a new reviewer into the current repository. Overwrites nothing. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { ReviewloopError } from "../../index.js";
import { findRoot } from "../../core/config/load.js";
import { builtinPlugins } from "../../plugins/index.js";
import { on, text } from "../flags.js";
import type { Flags } from "../flags.js";
import { coloursFor } from "../print/text.js";
import type { Surroundings } from "../surroundings.js";
import { reviewerSkeleton } from "./reviewer-skeleton.js";

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const LOGIN = /^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/;

const fault = (problem: string): ReviewloopError => new ReviewloopError("USAGE", { problem, command: "init reviewer" });

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** What the repository is written in and tested with. */
const surveyed = async (root: string): Promise<{ readonly typescript: boolean; readonly module: boolean; readonly vitest: boolean }> => {
  const manifest = await readFile(join(root, "package.json"), "utf8").then(
    (found) => JSON.parse(found) as unknown,
    () => ({}),
  );
  const of = (key: string): unknown =>
    typeof manifest === "object" && manifest !== null ? (manifest as Record<string, unknown>)[key] : undefined;
  const lists = [of("dependencies"), of("devDependencies")];
  const has = (name: string): boolean => lists.some((list) => typeof list === "object" && list !== null && Object.hasOwn(list, name));
  return { typescript: await exists(join(root, "tsconfig.json")), module: of("type") === "module", vitest: has("vitest") };
};

export const initReviewerCommand = async (flags: Flags, name: string | undefined, surroundings: Surroundings): Promise<number> => {
  if (name === undefined || !NAME.test(name))
    throw fault(`"${name ?? ""}" is no name for a reviewer: write it in lower case with hyphens, such as acme-review`);
  if (Object.hasOwn(builtinPlugins, name))
    throw fault(`there is a built-in plugin named ${name}: choose another name, or set its options under "reviewers"`);
  const login = (text(flags, "login") ?? name).toLowerCase().replace(/\[bot\]$/, "");
  if (!LOGIN.test(login)) throw fault(`"${login}" is no login`);
  const root = await findRoot(surroundings.folder);
  const found = await surveyed(root);
  const language = text(flags, "language") === "js" || (text(flags, "language") === undefined && !found.typescript) ? "js" : "ts";
  const runner = found.vitest ? "vitest" : "node";
  const folder = join(root, "reviewers", name);
  const files = reviewerSkeleton({ name, login, language, runner, module: found.module });
  const taken = [];
  for (const { path } of files) if (await exists(join(folder, path))) taken.push(join("reviewers", name, path));
  if (taken.length > 0) throw fault(`${taken.join(", ")} ${taken.length === 1 ? "is" : "are"} there already; nothing was written`);
  for (const { path, text: content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Exclusive: a file that came meanwhile is not overwritten either.
    await writeFile(join(folder, path), content, { flag: "wx" });
  }
  const shown = relative(surroundings.folder, folder) || ".";
  const written = files.map(({ path }) => join(shown, path));
  const [plugin = "", fixtures = "", tests = ""] = written;
  const test =
    runner === "vitest"
      ? `npx vitest run ${shown}`
      : language === "js"
        ? `node --test ${tests}`
        : `npx tsc && node --test (the compiled ${name}.test)`;
  const next = [
    `run the tests: ${test}`,
    `put what the bot really posts into ${fixtures}, and what it means beside it; then make ${plugin} read it`,
    `see what is read: npx reviewloop read-body --from <address of a comment>`,
    `list it in the config: plugins: ["./${relative(root, join(folder, files[0]?.path ?? ""))}"]`,
  ];
  if (on(flags, "json")) {
    surroundings.stdout.write(`${JSON.stringify({ schemaVersion: 1, reviewer: name, login, language, runner, written, next })}\n`);
    return 0;
  }
  const colours = coloursFor(surroundings.stdout, surroundings.environment);
  const lines = [...written.map((path) => `wrote ${path}`), "", ...next.map((step, index) => `${index + 1}. ${step}`)];
  surroundings.stdout.write(`${lines.join("\n")}\n${colours.dim("docs/writing-a-reviewer.md goes through it step by step.")}\n`);
  return 0;
};
