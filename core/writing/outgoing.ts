/** Pure: what leaves is checked. Text that an agent or a person wrote is made harmless before our own marker is added. */

/** GitHub's own limit for a body. */
export const BODY_LIMIT = 65_536;

export interface OutgoingRules {
  /** Mentions and commands that start a reviewer, from the plugins: must never stand in a text by accident. */
  readonly triggers: readonly string[];
  /** Folders of this machine that must not be shown. */
  readonly folders: readonly string[];
  /** Finds secrets in a text; a text that has one does not leave. */
  readonly findSecrets: (text: string) => readonly string[];
}

const INVISIBLE = "<!-- -->";

/** Splits a text into code (fences and spans) and prose, so that only prose is rewritten. Linear. */
const pieces = (text: string): readonly { readonly code: boolean; readonly text: string }[] => {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ from: run.index, to: run.index + run[0].length }));
  const nextOfLength = new Map<number, number>();
  const closedBy = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    closedBy[index] = nextOfLength.get(run.to - run.from) ?? -1;
    nextOfLength.set(run.to - run.from, index);
  }
  const found: { code: boolean; text: string }[] = [];
  let at = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const [open, close] = [runs[index], runs[closedBy[index] ?? -1]];
    if (open === undefined || close === undefined) continue;
    if (open.from > at) found.push({ code: false, text: text.slice(at, open.from) });
    found.push({ code: true, text: text.slice(open.from, close.to) });
    at = close.to;
    index = closedBy[index] ?? index;
  }
  if (at < text.length) found.push({ code: false, text: text.slice(at) });
  return found;
};

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const CLOSES = /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(\s*:?\s+)((?:[\w.-]+\/[\w.-]+)?#\d+|https?:\/\/\S+\/(?:issues|pull)\/\d+)/gi;
const MENTION = /(^|[^\w@/`])@(?=[a-z\d])/gi;
/** A command at the start of a line (`/review`): many bots listen to it. */
const COMMAND = /^([ \t>]*)\/(?=[a-z])/gim;

const calm = (prose: string): string =>
  prose
    .replaceAll(CLOSES, (_all, word: string, gap: string, ref: string) => `${word}${gap}\`${ref}\``)
    .replaceAll(MENTION, `$1@${INVISIBLE}`)
    .replaceAll(COMMAND, "$1&#47;");

/** A trigger that stands in code or in plain words is broken up by a character that shows nothing. */
const breakTriggers = (text: string, triggers: readonly string[], filler: string): string => {
  let out = text;
  for (const trigger of triggers) {
    const cut = trigger.startsWith("@") ? 1 : Math.max(1, trigger.search(/\s/) + 1);
    out = out.replaceAll(new RegExp(escapeRegExp(trigger), "gi"), (found) => `${found.slice(0, cut)}${filler}${found.slice(cut)}`);
  }
  return out;
};

const withoutFolders = (text: string, folders: readonly string[]): string => {
  let out = text;
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    if (folder.length > 1) out = out.replaceAll(`${folder}/`, "").replaceAll(folder, ".");
  }
  return out;
};

/** A text as it may be posted: no mention, no trigger, no closing keyword, no HTML comment of its own, no local path. */
export const harmless = (text: string, rules: Pick<OutgoingRules, "triggers" | "folders">): string => {
  const bare = withoutFolders(text.replaceAll("\r\n", "\n").replaceAll(/<!--[\s\S]*?(?:-->|$)/g, ""), rules.folders);
  const out = pieces(bare)
    .map((piece) =>
      piece.code ? breakTriggers(piece.text, rules.triggers, "\u200B") : breakTriggers(calm(piece.text), rules.triggers, INVISIBLE),
    )
    .join("")
    .trim();
  return out.length > BODY_LIMIT - 2000 ? `${out.slice(0, BODY_LIMIT - 2100)}\n\n(cut: the text was too long)` : out;
};

const HIDDEN_LINE = /^<!--.*-->$/;

/** A whole body made harmless; hidden lines of its own at its beginning and its end stay. */
export const harmlessBody = (body: string, rules: Pick<OutgoingRules, "triggers" | "folders">): string => {
  const lines = body.replaceAll("\r\n", "\n").split("\n");
  const from = lines.findIndex((line) => !HIDDEN_LINE.test(line));
  const to = lines.findLastIndex((line) => !HIDDEN_LINE.test(line)) + 1;
  if (from < 0) return body;
  return [...lines.slice(0, from), harmless(lines.slice(from, to).join("\n"), rules), "", ...lines.slice(to)].join("\n").trimEnd();
};

/** One line without closing keywords, mentions or local paths, for a commit message. */
export const harmlessLine = (text: string, folders: readonly string[] = []): string =>
  calm(withoutFolders(text, folders).replaceAll(/\s+/g, " ")).replaceAll(INVISIBLE, "").replaceAll("@", "").trim();

/** Why a body must not leave; undefined = it may. */
export const mustNotLeave = (body: string, rules: OutgoingRules): string | undefined => {
  if (body.length > BODY_LIMIT) return `the text has ${body.length} characters, GitHub takes ${BODY_LIMIT}`;
  if (rules.findSecrets(body).length > 0) return "the text holds something that looks like a secret";
  const folder = rules.folders.find((each) => each.length > 1 && body.includes(each));
  return folder === undefined ? undefined : "the text shows a path of this machine";
};
