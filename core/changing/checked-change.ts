/** What a fix changed is checked before anything of it runs: the diff is believed, not what was said about it. */
import type { DoneItem, Tree, WorkItem } from "../model.js";
import type { FileChange, GitReads } from "../ports.js";
import { matchesProtected } from "./protected.js";

const MAX_FILES = 300;
/** Characters of the patch: far more than any review point needs. */
const MAX_PATCH = 2_000_000;

/** Why a fix's diff must not be committed; undefined = it may. */
export const badChange = (changes: readonly FileChange[], protectedPaths: readonly string[]): string | undefined => {
  if (changes.length > MAX_FILES) return `it changed ${changes.length} files, more than ${MAX_FILES}`;
  for (const change of changes) {
    const path = [change.path, change.was].find((each) => each !== undefined && matchesProtected(each, protectedPaths));
    if (path !== undefined) return `it touched the protected path ${path}`;
    if (change.mode === "120000" || change.modeBefore === "120000") return `it made or changed the symbolic link ${change.path}`;
    if (change.mode === "160000" || change.modeBefore === "160000") return `it changed the submodule ${change.path}`;
    if (change.binary) return `it changed the binary file ${change.path}`;
    if (change.mode !== "000000" && change.modeBefore !== "000000" && change.mode !== change.modeBefore)
      return `it changed the mode of ${change.path}`;
  }
  return undefined;
};

/** Keys of a `package.json` that decide what runs: our own config, and the scripts that set-up and gate call. */
const RUNNING_KEYS = ["reviewloop", "scripts"] as const;

/** As far as it is an object of JSON; key order doesn't count. */
const keysOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return "{}";
  try {
    const value = JSON.parse(text.replace(/^\u{feff}/u, "")) as unknown;
    if (typeof value !== "object" || value === null) return undefined;
    const known = value as Readonly<Record<string, unknown>>;
    return JSON.stringify(RUNNING_KEYS.map((key) => sorted(known[key])));
  } catch {
    return undefined;
  }
};
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
};

/** Pure: may this `package.json` become that one? */
export const sameRunningKeys = (before: string | undefined, after: string | undefined): boolean => {
  const [old, now] = [keysOf(before), keysOf(after)];
  return now !== undefined && (now === old || (before === undefined && now === JSON.stringify(RUNNING_KEYS.map(() => null))));
};

/** `badChange`, and what only the files themselves can tell. */
export const whyNot = async (
  git: Pick<GitReads, "show" | "patch">,
  from: Tree,
  to: Tree,
  changes: readonly FileChange[],
  rules: { readonly protected: readonly string[]; readonly findSecrets: (text: string) => readonly string[] },
): Promise<string | undefined> => {
  const bad = badChange(changes, rules.protected);
  if (bad !== undefined) return bad;
  for (const change of changes) {
    if (![change.path, change.was ?? ""].some((path) => /^(?:.*\/)?package\.json$/i.test(path)) || change.mode === "000000") continue;
    const before = change.status === "added" ? undefined : await git.show(from, change.was ?? change.path);
    if (!sameRunningKeys(before, await git.show(to, change.path)))
      return `it changed what runs (${RUNNING_KEYS.join(" or ")}) in ${change.path}`;
  }
  const patch = await git.patch(from, to).catch(() => undefined);
  if (patch === undefined || patch.length > MAX_PATCH) return `its patch has more than ${MAX_PATCH} characters`;
  const added = patch.split("\n").filter((line) => line.startsWith("+"));
  return rules.findSecrets(added.join("\n")).length > 0 ? "it wrote something that looks like a secret into a file" : undefined;
};

/** Claims held against the real diff: whoever says "changed" and changed nothing did nothing. */
export const believed = (
  done: readonly DoneItem[],
  changes: readonly FileChange[],
): { readonly done: readonly DoneItem[]; readonly doubted: readonly (WorkItem & { why: string })[] } => {
  const paths = new Set(changes.flatMap((change) => [change.path, ...(change.was === undefined ? [] : [change.was])]));
  const holds = (item: DoneItem): boolean => (item.files.length === 0 ? paths.size > 0 : item.files.some((file) => paths.has(file)));
  return {
    done: done.filter(holds),
    doubted: done
      .filter((item) => !holds(item))
      .map((item) => ({
        thread: item.thread,
        decision: item.decision,
        why: `${item.by} said that it was fixed, but the files show no such change`,
      })),
  };
};
