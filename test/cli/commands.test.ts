/** Every command: its help has an example, its JSON a schema of its own. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { execa } from "execa";
import { expect, test } from "vitest";
import { BIN } from "./sandboxed.js";
import { commands, said } from "./help.js";
import { documentFits, fitsSchema, SCHEMAS } from "./documents.js";

/** Speak a protocol or lines of their own. */
const WITHOUT_JSON = new Set(["guard", "mcp", "read-body", "sandbox"]);

test("every command has --json with a schema, and a help with an example", async () => {
  const helps = await commands();
  const all = [...helps.keys()];
  expect(all).toEqual(expect.arrayContaining(["run", "status", "wait", "guard arm", "init guard", "init reviewer", "mcp"]));
  expect(all.length).toBeGreaterThan(25);
  // None is left out of the groups.
  expect(await said("--help")).not.toContain("\nCommands:\n");
  for (const [command, help] of helps) {
    expect(help, command).toMatch(/\nExamples:\n {2}\$ /);
    expect([command, help.includes("--json")]).toEqual([command, !WITHOUT_JSON.has(command)]);
    if (!WITHOUT_JSON.has(command)) expect(Object.keys(SCHEMAS)).toContain(command);
  }
  const known = new Set([...all, "request --show"]);
  expect(Object.keys(SCHEMAS).filter((command) => !known.has(command))).toEqual([]);
  for (const name of Object.values(SCHEMAS)) readFileSync(new URL(`../../docs/schemas/${name}.json`, import.meta.url));
});

test("a reader that has seen enough is no fault", async () => {
  const { stderr } = await execa("sh", ["-c", '"$0" "$1" config --json | true', process.execPath, BIN], { cwd: tmpdir(), reject: false });
  expect(stderr).toBe("");
});

test("JSON that does not fit, and JSON of a command without a schema, fails the test that printed it", () => {
  const act = {
    schemaVersion: 1,
    act: "request",
    done: true,
    detail: "",
    results: [],
    head: "",
    standing: { state: "READY", why: "", next: "" },
  };
  documentFits("request", act);
  expect(() => documentFits("request", { ...act, extra: 1 })).toThrow(/request: .*additional properties/);
  expect(() => documentFits("request --show", act)).toThrow(/request --show: /);
  expect(() => documentFits("nonesuch", act)).toThrow(/no schema/);
  fitsSchema(["request", "7", "--show", "--json"], JSON.stringify({ schemaVersion: 1, head: "", reviewers: [], requests: [] }));
  expect(() => fitsSchema(["request", "7", "--show", "--json"], JSON.stringify(act))).toThrow(/request --show/);
  expect(() => fitsSchema(["init", "guard", "--json"], JSON.stringify(act))).toThrow(/init guard/);
  expect(() => fitsSchema(["status", "--json"], "not JSON")).toThrow();
  expect(() => fitsSchema(["read-body", "x.jsonl"], '{"odd":1}')).toThrow(/read-body/);
  documentFits("status", { schemaVersion: 1, error: { code: "USAGE", message: "what", hint: "do" } });
});
