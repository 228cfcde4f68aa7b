/** The guard in Claude Code's project settings: laid into what is there, once. Pure. */

type Data = Readonly<Record<string, unknown>>;
const isData = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isGuard = (hook: unknown): boolean =>
  isData(hook) &&
  typeof hook["command"] === "string" &&
  /(^|\/)reviewloop(\s+guard)?$/.test(hook["command"]) &&
  (hook["command"].endsWith("guard") || list(hook["args"])[0] === "guard");

const holds = (entry: unknown): boolean => isData(entry) && list(entry["hooks"]).some(isGuard);

export type Laid = { readonly settings: Data; readonly changed: boolean } | { readonly problem: string };

/** `strict`: a guard that can't be started denies every shell command, too. */
export const withGuard = (text: string | undefined, strict: boolean): Laid => {
  let before: unknown = {};
  if (text !== undefined && text.trim() !== "") {
    try {
      before = JSON.parse(text);
    } catch {
      return { problem: "is not JSON" };
    }
  }
  if (!isData(before)) return { problem: "is not an object" };
  const hooks = before["hooks"] ?? {};
  if (!isData(hooks)) return { problem: 'has a "hooks" that is not an object' };
  const entries = hooks["PreToolUse"] ?? [];
  if (!Array.isArray(entries)) return { problem: 'has a "hooks.PreToolUse" that is not a list' };
  if (entries.some(holds)) return { settings: before, changed: false };
  const hook = { type: "command", command: "reviewloop", args: ["guard"], ...(strict ? { onFailure: "block" } : {}) };
  const settings = { ...before, hooks: { ...hooks, PreToolUse: [...(entries as readonly unknown[]), { matcher: "Bash", hooks: [hook] }] } };
  return { settings, changed: true };
};
