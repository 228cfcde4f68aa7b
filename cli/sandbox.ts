/** `reviewloop sandbox`: a scene on a GitHub on this machine, until Ctrl-C. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nearest } from "../core/config/nearest.js";
import { ReviewloopError } from "../index.js";
import { openForGh } from "../sandbox/scenes/gh.js";
import { SCENES } from "../sandbox/scenes/index.js";
import { serveScene } from "../sandbox/scenes/serve.js";
import { FAULTS, faultOptions, isFault } from "../sandbox/world/index.js";
import type { FaultOptions } from "../sandbox/world/index.js";
import { number, on, text } from "./flags.js";
import type { Flags } from "./flags.js";
import { environmentFor, linesToTry, untilInterrupted } from "./sandbox/served.js";
import { coloursFor } from "./print/text.js";
import type { Surroundings } from "./surroundings.js";

/** The scene's name as given; throws `USAGE` where there is none of that name. */
export const sceneName = (flags: Flags, command: string): string => {
  const name = text(flags, "scene") ?? "demo";
  if (SCENES.some((scene) => scene.name === name)) return name;
  const known = SCENES.map((scene) => scene.name).join(", ");
  throw new ReviewloopError("USAGE", { problem: `There is no scene "${name}". There are: ${known}.`, command });
};

/** `NAME`, set to its standard, or `NAME:SEED`, set to what that seed draws. */
const faultsOf = (flags: Flags): Partial<FaultOptions> => {
  const given = Array.isArray(flags["fault"]) ? flags["fault"].map(String) : [];
  return Object.fromEntries(
    given.map((written) => {
      const [, name = "", seed] = /^(.*?)(?::(\d+))?$/u.exec(written) ?? [];
      if (isFault(name)) return [name, faultOptions(name, seed === undefined ? undefined : Number(seed))];
      const meant = nearest(
        name,
        FAULTS.map((fault) => fault.name),
      );
      throw new ReviewloopError(
        "USAGE",
        { problem: `There is no fault "${name}"${meant === undefined ? "." : `; did you mean "${meant}"?`}`, command: "sandbox" },
        { hint: "reviewloop sandbox --list names all of them." },
      );
    }),
  );
};

const list = (): string => {
  const width = Math.max(...[...SCENES, ...FAULTS].map((row) => row.name.length));
  const rows = (all: readonly (readonly [string, string])[]): string =>
    all.map(([name, what]) => `  ${name.padEnd(width)}  ${what}\n`).join("");
  const groups = [...new Set(FAULTS.map((fault) => fault.about))].map(
    (about) => `\nFaults: ${about}\n${rows(FAULTS.filter((fault) => fault.about === about).map((fault) => [fault.name, fault.what]))}`,
  );
  return `Scenes\n${rows(SCENES.map((scene) => [scene.name, scene.about]))}${groups.join("")}`;
};

const shown = (faults: Partial<FaultOptions>): string =>
  Object.entries(faults)
    .map(([name, options]) => `${name} ${Object.keys(options).length === 0 ? "" : JSON.stringify(options)}`.trimEnd())
    .join(", ");

/**
 * Serves a scene on loopback and prints how to get at it. Ends with 0 on Ctrl-C. `--list` prints scenes and faults instead.
 * Throws `USAGE` for a scene or a fault that does not exist.
 */
export const sandbox = async (flags: Flags, surroundings: Surroundings): Promise<number> => {
  const { stdout, environment } = surroundings;
  if (on(flags, "list")) {
    stdout.write(list());
    return 0;
  }
  const name = sceneName(flags, "sandbox");
  const faults = faultsOf(flags);
  const seed = number(flags, "seed");
  const port = number(flags, "port");
  const folder = await mkdtemp(join(tmpdir(), "reviewloop-sandbox-"));
  try {
    const served = await serveScene(name, { faults, ...(seed === undefined ? {} : { seed }), ...(port === undefined ? {} : { port }) });
    const gh = await openForGh(served.sandbox.url, folder);
    try {
      const colours = coloursFor(stdout, environment);
      const variables = Object.entries(environmentFor(served)).map(([key, value]) => `export ${key}=${value}`);
      const tokens = Object.entries(served.scene.tokens).map(([login, token]) => `  ${token}  ${colours.dim(login)}`);
      stdout.write(
        [
          `${colours.bold("Pull request")}  ${served.pullRequestUrl}`,
          ...(Object.keys(faults).length === 0 ? [] : [`${colours.bold("Faults")}  ${shown(faults)}`]),
          "",
          colours.bold("Tokens"),
          ...tokens,
          "",
          colours.bold("For reviewloop and other clients"),
          ...variables.map((line) => `  ${line}`),
          `  reviewloop status ${served.pullRequestUrl}`,
          "",
          colours.bold("To try"),
          ...linesToTry(served, gh).map((line) => `  ${line}`),
          "",
          colours.dim("Ctrl-C ends it."),
          "",
        ].join("\n"),
      );
      await untilInterrupted(surroundings);
    } finally {
      await gh.close();
      await served.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
};
