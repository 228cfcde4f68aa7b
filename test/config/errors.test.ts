import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOGUE, ReviewloopError } from "../../core/errors.js";
import type { ConfigFault, ErrorCode } from "../../core/errors.js";

const page = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section.slice(section.indexOf("\n"))]),
);
const CODES = Object.keys(CATALOGUE) as readonly ErrorCode[];

/** One value for every field that some entry asks for. */
const fault: ConfigFault = { file: "some.json", path: "wait.pol", value: "10s", problem: "unknown key", nearest: "poll" };
const DATA = {
  problem: "some problem",
  command: "some-command",
  file: "some.json",
  faults: [fault],
  name: "some-name",
  known: ["one", "two"],
  names: ["one", "two"],
  plugin: "some-plugin",
  phase: "check",
  ref: "some-ref",
  host: "some.host",
  what: "some act",
  until: "12:00",
  holder: "process 12",
  base: "some-branch",
};

/** Everything that is run, but for the catalogue itself. */
const sources = await (async (): Promise<string> => {
  const root = join(import.meta.dirname, "..", "..");
  const folders = await Promise.all(
    ["core", "plugins", "presets", "cli"].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((file) => join(folder, file)),
    ),
  );
  const files = ["index.ts", ...folders.flat()].filter((file) => file.endsWith(".ts"));
  return (await Promise.all(files.map((file) => readFile(join(root, file), "utf8")))).join("\n");
})();

describe("docs/errors.md", () => {
  it("has one heading for each code of the catalogue, in its order, and no other", () => {
    expect([...sections.keys()]).toEqual(CODES);
  });

  it.each(CODES)("%s is explained, with the exit code and the stop that it has", (code) => {
    const text = sections.get(code) ?? "";
    const { exit, stop } = CATALOGUE[code];
    // Ctrl-C has an exit code of its own, as in any shell.
    expect(text).toContain(`xit ${code === "ABORTED" ? 130 : exit}.`);
    if (stop !== "failed") expect(text).toContain(`Stop \`${stop}\``);
    expect(text.length).toBeGreaterThan(60);
  });
});

describe("the catalogue", () => {
  it.each(CODES)("%s is thrown somewhere", (code) => {
    expect(sources).toMatch(new RegExp(`new ReviewloopError\\(\\s*"${code}"`));
  });

  it.each(CODES)("%s says what happened and what to do, with nothing left open", (code) => {
    const error = new ReviewloopError(code, DATA);
    expect(error.message).toMatch(/^\S.*\S$/s);
    expect(`${error.message} ${error.hint}`).not.toMatch(/undefined|null|NaN|\[object/);
    expect(error.hint).toMatch(/[.})]$/);
    expect(error).toMatchObject({ code, exit: CATALOGUE[code].exit, stop: CATALOGUE[code].stop, name: "ReviewloopError" });
  });

  it.each(CODES)("%s names each value that it was given", (code) => {
    const used: string[] = [];
    const watched = new Proxy(DATA, {
      get: (target, key) => {
        used.push(String(key));
        return Reflect.get(target, key) as unknown;
      },
    });
    const error = new ReviewloopError(code, watched);
    for (const key of used) {
      const value = (DATA as Readonly<Record<string, unknown>>)[key];
      if (value === undefined) continue;
      const shown = key === "faults" ? ["some.json: wait.pol: unknown key", '(is "10s")', 'did you mean "poll"?'] : [value].flat();
      for (const text of shown) expect(`${error.message} ${error.hint}`).toContain(text);
    }
  });

  it("is known by its brand, also from another copy of this package", () => {
    const stranger = Object.assign(new Error("x"), { [Symbol.for("reviewloop.error")]: true });
    expect(ReviewloopError.is(stranger)).toBe(true);
    expect(ReviewloopError.is(new Error("x"))).toBe(false);
    expect(ReviewloopError.is(null)).toBe(false);
  });
});
