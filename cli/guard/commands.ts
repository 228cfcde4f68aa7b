/**
 * What a shell command line would run, as far as a guard against momentum needs it: simple commands with their words, also those inside
 * `bash -c '...'`, substitutions, subshells and what a shell is fed. Not a boundary: who wants to get round it can. Pure, linear.
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
/** Code in words (`bash -c "bash -c ..."`). */
const DEEPEST = 5;
/** Substitutions in substitutions; a deeper one is read as a subshell. */
const NESTED = 50;

type Words = readonly string[];

interface HereDocument {
  readonly end: string;
  readonly tabs: boolean;
  /** Nothing in it is expanded. */
  readonly plain: boolean;
}

const nameOf = (word: string): string => (word.split("/").at(-1) ?? word).replace(/\.exe$/i, "");

/** Without `env A=b sudo` before it. */
const bare = (words: Words): Words => {
  let from = 0;
  while (from < words.length) {
    const word = words[from] ?? "";
    const prefix = PREFIXES.has(nameOf(word)) || /^\w+=/.test(word) || (from > 0 && /^(-|\d+[smh]?$)/.test(word));
    if (!prefix) break;
    from += 1;
  }
  return words.slice(from);
};

const isShell = (words: Words): boolean => SHELLS.has(nameOf(bare(words)[0] ?? ""));

/** What one simple command runs: itself, or the commands in its words. */
const unwrapped = (words: Words, depth: number): readonly Words[] => {
  const rest = bare(words);
  const name = nameOf(rest[0] ?? "");
  if (name === "eval") return simpleCommands(rest.slice(1).join(" "), depth + 1);
  if (!SHELLS.has(name)) return rest.length === 0 ? [] : [rest];
  const flag = rest.findIndex((word, index) => index > 0 && /^-\w*c$/.test(word));
  if (flag !== -1) return simpleCommands(rest[flag + 1] ?? "", depth + 1);
  // A here-string (bash <<< 'a b'); the path of a script is one word.
  return [rest, ...rest.slice(1).flatMap((word) => (/\s/.test(word) ? simpleCommands(word, depth + 1) : []))];
};

/** Simple commands of a line, each as its words with quotes taken away; what substitutions and fed shells run comes along. */
export const simpleCommands = (text: string, depth = 0): readonly Words[] => {
  if (depth > DEEPEST) return [];
  const found: Words[] = [];
  let index = 0;

  /** Inside double quotes and here-documents only substitutions count. */
  const expanded = (until: number | '"', level: number): string => {
    let quoted = "";
    while (index < text.length && (until === '"' ? text[index] !== '"' : index < until)) {
      const sign = text[index] ?? "";
      if (sign === "\\") {
        quoted += text[index + 1] ?? "";
        index += 2;
      } else if (sign === "`" || (sign === "$" && text[index + 1] === "(" && level < NESTED)) {
        index += sign === "`" ? 1 : 2;
        scan(sign === "`" ? "`" : ")", level + 1);
        quoted += "$()";
      } else {
        quoted += sign;
        index += 1;
      }
    }
    return quoted;
  };

  /** Reads the bodies that follow the line; run is what a shell on that line is fed. */
  const bodies = (documents: readonly HereDocument[], fed: boolean, level: number): void => {
    for (const { end, tabs, plain } of documents) {
      const from = index;
      let line = from;
      let close = text.length;
      while (line < text.length) {
        const next = text.indexOf("\n", line);
        const stop = next === -1 ? text.length : next;
        const content = text.slice(line, stop);
        if ((tabs ? content.replace(/^\t+/, "") : content) === end) {
          close = line;
          line = stop + 1;
          break;
        }
        line = stop + 1;
      }
      if (fed) found.push(...simpleCommands(text.slice(from, close), depth + 1));
      else if (!plain) expanded(close, level);
      index = Math.max(line, index);
    }
  };

  const hereDocument = (): HereDocument | undefined => {
    const start = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([\w.-]+))/.exec(text.slice(index, index + 200));
    if (start === null) return undefined;
    index += start[0].length;
    const [opening, tabs, single, double, word] = start;
    return { end: single ?? double ?? word ?? "", tabs: tabs !== "", plain: word === undefined || opening.includes("\\") };
  };

  const scan = (closer: ")" | "`" | undefined, level: number): void => {
    let words: string[] = [];
    let word: string | undefined;
    let open = 0;
    let documents: HereDocument[] = [];
    /** A shell is on the present line. */
    let shell = false;
    const add = (piece: string): void => {
      word = (word ?? "") + piece;
    };
    const endWord = (): void => {
      if (word !== undefined) words.push(word);
      word = undefined;
    };
    const endCommand = (): void => {
      endWord();
      if (words.length > 0) {
        shell ||= isShell(words);
        found.push(...unwrapped(words, depth));
      }
      words = [];
    };
    while (index < text.length) {
      const sign = text[index] ?? "";
      const next = text[index + 1];
      if (sign === "\\") {
        // A line that goes on is one line.
        if (next !== "\n") add(next ?? "");
        index += 2;
      } else if (sign === "'") {
        const end = text.indexOf("'", index + 1);
        add(text.slice(index + 1, end === -1 ? text.length : end));
        index = end === -1 ? text.length : end + 1;
      } else if (sign === '"') {
        index += 1;
        add(expanded('"', level));
        index += 1;
      } else if (sign === "`") {
        index += 1;
        if (closer === "`") {
          endCommand();
          return;
        }
        add("$()");
        scan("`", level + 1);
      } else if (sign === "$" && next === "(" && level < NESTED) {
        index += 2;
        add("$()");
        scan(")", level + 1);
      } else if (sign === "(") {
        endCommand();
        open += 1;
        index += 1;
      } else if (sign === ")") {
        endCommand();
        index += 1;
        if (open > 0) open -= 1;
        else if (closer === ")") return;
      } else if (sign === "<" && next === "<" && text[index + 2] === "<") {
        endWord();
        index += 3;
      } else if (sign === "<" && next === "<") {
        endWord();
        const document = hereDocument();
        if (document === undefined) index += 2;
        else documents.push(document);
      } else if (sign === "#" && word === undefined) {
        const end = text.indexOf("\n", index);
        index = end === -1 ? text.length : end;
      } else if (sign === "\n") {
        endCommand();
        index += 1;
        bodies(documents, shell, level);
        documents = [];
        shell = false;
      } else if (";&|".includes(sign)) {
        endCommand();
        index += 1;
      } else {
        if (sign === " " || sign === "\t" || sign === "\r") endWord();
        else add(sign);
        index += 1;
      }
    }
    endCommand();
  };

  while (index < text.length) scan(undefined, 0);
  return found;
};

const GUARDED: ReadonlySet<string> = new Set(["create", "new", "ready", "merge"]);
/** Flags of `gh` that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(["-R", "--repo", "--hostname"]);

/** Not where it is the value of the flag before it. */
const asksForHelp = (words: Words): boolean =>
  words.some((word, index) => (word === "--help" || word === "-h") && words[index - 1]?.startsWith("-") !== true);

/** `gh pr create`, `gh pr ready`, `gh pr merge`: which of them a command line would run, in order. */
export const guardedIn = (commandLine: string): readonly string[] =>
  simpleCommands(commandLine).flatMap((words) => {
    const name = nameOf(words[0] ?? "");
    // A name that is only known when it runs may be gh.
    if (name !== "gh" && !name.startsWith("$")) return [];
    const plain: string[] = [];
    for (let index = 1; index < words.length; index += 1) {
      const word = words[index] ?? "";
      if (WITH_VALUE.has(word)) index += 1;
      else if (!word.startsWith("-")) plain.push(word);
    }
    const [group, act] = plain;
    return group === "pr" && act !== undefined && GUARDED.has(act) && !asksForHelp(words) ? [`gh pr ${act}`] : [];
  });
