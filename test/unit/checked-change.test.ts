/** What no fix may leave in a tree, each by itself. */
import { expect, test } from "vitest";
import { badChange } from "../../core/changing/checked-change.js";
import type { FileChange } from "../../core/ports.js";

const change = (more: Partial<FileChange> = {}): FileChange => ({
  path: "src/a.ts",
  status: "modified",
  mode: "100644",
  modeBefore: "100644",
  binary: false,
  ...more,
});
const added = { status: "added", modeBefore: "000000" } as const;

test.each<[string, FileChange, RegExp | undefined]>([
  ["an ordinary change", change(), undefined],
  ["a new program", change({ ...added, mode: "100755" }), undefined],
  ["a file that goes", change({ status: "deleted", mode: "000000" }), undefined],
  ["a protected path", change({ path: ".github/workflows/ci.yml" }), /protected path/],
  ["a file that comes from one", change({ status: "renamed", was: ".github/x.yml" }), /protected path/],
  ["a new link", change({ ...added, mode: "120000" }), /symbolic link/],
  ["a link that becomes a file", change({ status: "type-changed", modeBefore: "120000" }), /symbolic link/],
  ["a new submodule", change({ ...added, mode: "160000" }), /submodule/],
  ["a submodule that moves", change({ mode: "160000", modeBefore: "160000" }), /submodule/],
  ["a submodule that goes", change({ status: "deleted", mode: "000000", modeBefore: "160000" }), /submodule/],
  ["a binary", change({ binary: true }), /binary/],
  ["a file that becomes a program", change({ mode: "100755" }), /mode/],
])("%s", (_what, given, expected) => {
  const bad = badChange([change({ path: "src/b.ts" }), given], [".github/**"]);
  if (expected === undefined) expect(bad).toBeUndefined();
  else expect(bad).toMatch(expected);
});
