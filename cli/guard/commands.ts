/**
 * What a shell command line would run, as far as a guard against momentum needs it: simple commands with their words, also those inside
 * `bash -c '...'`, substitutions and subshells. Not a boundary: who wants to get round it can. Pure, linear.
 */

const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "zsh", "dash", "ksh", "fish"]);
/** Run another command that follows them. */
const PREFIXES: ReadonlySet<string> = new Set([
  "sudo",
  "env",
  "command",
  "exec",
  "time",
  "nohup",
  "nice",
  "builtin",
  "xargs",
  "timeout",
  "then",
  "do",
  "else",
  "!",
  "{",
  "if",
  "while",
]);
const DEEPEST = 5;

interface Scanner {
  readonly commands: string[][];
  words: string[];
  word: string | undefined;
}

const endWord = (at: Scanner): void => {
  if (at.word !== undefined) at.words.push(at.word);
  at.word = undefined;
};
const endCommand = (at: Scanner): void => {
  endWord(at);
  if (at.words.length > 0) at.commands.push(at.words);
  at.words = [];
};

/** Index behind the bracket that closes what opens at `from`, quotes respected loosely. */
const closing = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")" && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
};

/** Simple commands of a line, each as its words with quotes taken away; what substitutions run comes along. */
export const simpleCommands = (text: string, depth = 0): readonly (readonly string[])[] => {
  if (depth > DEEPEST) return [];
  const at: Scanner = { commands: [], words: [], word: undefined };
  const nested: (readonly string[])[] = [];
  const inner = (code: string): void => {
    nested.push(...simpleCommands(code, depth + 1));
  };
  const add = (piece: string): void => {
    at.word = (at.word ?? "") + piece;
  };
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index] ?? "";
    if (sign === "\\") {
      // A line that goes on is one line.
      if (text[index + 1] !== "\n") add(text[index + 1] ?? "");
      index += 1;
    } else if (sign === "'") {
      const end = text.indexOf("'", index + 1);
      add(text.slice(index + 1, end === -1 ? text.length : end));
      index = end === -1 ? text.length : end;
    } else if (sign === '"') {
      let end = index + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      const quoted = text.slice(index + 1, end);
      add(quoted.replaceAll(/\\(["\\$`])/g, "$1"));
      for (const found of quoted.matchAll(/\$\(/g)) inner(quoted.slice(found.index + 2, closing(quoted, found.index + 1) - 1));
      index = end;
    } else if (sign === "`") {
      const end = text.indexOf("`", index + 1);
      inner(text.slice(index + 1, end === -1 ? text.length : end));
      add("`");
      index = end === -1 ? text.length : end;
    } else if (sign === "$" && text[index + 1] === "(") {
      const end = closing(text, index + 1);
      inner(text.slice(index + 2, end - 1));
      add("$()");
      index = end - 1;
    } else if (sign === "#" && at.word === undefined) {
      const end = text.indexOf("\n", index);
      index = end === -1 ? text.length : end - 1;
    } else if (";&|\n()".includes(sign)) endCommand(at);
    else if (sign === " " || sign === "\t" || sign === "\r") endWord(at);
    else add(sign);
  }
  endCommand(at);
  return [...at.commands.flatMap((words) => unwrapped(words, depth)), ...nested];
};

const nameOf = (word: string): string => word.split("/").at(-1) ?? word;

/** A command behind `env A=b sudo`, and the commands inside `bash -c`. */
const unwrapped = (words: readonly string[], depth: number): readonly (readonly string[])[] => {
  let from = 0;
  while (from < words.length) {
    const word = words[from] ?? "";
    const prefix = PREFIXES.has(nameOf(word)) || /^\w+=/.test(word) || (from > 0 && /^(-|\d+[smh]?$)/.test(word));
    if (!prefix) break;
    from += 1;
  }
  const rest = words.slice(from);
  const name = nameOf(rest[0] ?? "");
  if (name === "eval") return simpleCommands(rest.slice(1).join(" "), depth + 1);
  if (!SHELLS.has(name)) return rest.length === 0 ? [] : [rest];
  const flag = rest.findIndex((word, index) => index > 0 && /^-\w*c$/.test(word));
  return flag === -1 ? [rest] : simpleCommands(rest[flag + 1] ?? "", depth + 1);
};

const GUARDED: ReadonlySet<string> = new Set(["create", "new", "ready", "merge"]);
/** Flags of `gh` that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(["-R", "--repo", "--hostname"]);

/** `gh pr create`, `gh pr ready`, `gh pr merge`: which of them a command line would run, in order. */
export const guardedIn = (commandLine: string): readonly string[] =>
  simpleCommands(commandLine).flatMap((words) => {
    if (nameOf(words[0] ?? "") !== "gh") return [];
    const plain: string[] = [];
    for (let index = 1; index < words.length; index += 1) {
      const word = words[index] ?? "";
      if (WITH_VALUE.has(word)) index += 1;
      else if (!word.startsWith("-")) plain.push(word);
    }
    const asksForHelp = words.includes("--help") || words.includes("-h");
    const [group, act] = plain;
    return group === "pr" && act !== undefined && GUARDED.has(act) && !asksForHelp ? [`gh pr ${act}`] : [];
  });
