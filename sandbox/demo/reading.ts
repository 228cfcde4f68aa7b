/** Reads what an agent is given: the text of a thread without its decoration, and the function that it speaks of. */
import { readdirSync, readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentThread } from "../../core/index.js";
import { functionsOf } from "../reviewers/source.js";
import type { SourceFunction } from "../reviewers/source.js";

/** What was said, without fold-outs, suggestions, tags and quotes: those repeat it for other readers. */
export const plainText = (body: string): string => {
  const kept: string[] = [];
  let fence = "";
  let folded = 0;
  for (const line of body.replaceAll("\r\n", "\n").split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== "") {
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = "";
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    folded += line.split("<details").length - 1;
    if (folded === 0 && !line.startsWith(">")) kept.push(line.replaceAll(/<[^>]*>/g, ""));
    folded = Math.max(0, folded - (line.split("</details>").length - 1));
  }
  return kept
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
};

/** All that others said in a thread. */
export const claimOf = (thread: AgentThread): string =>
  [thread.title, ...thread.comments.filter((comment) => !comment.ours).map((comment) => plainText(comment.body))].join("\n");

export interface Place {
  readonly path: string;
  readonly text: string;
  readonly function: SourceFunction;
}

export class Worktree {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Undefined for a file that is not there, and for a path that leads out. */
  read(path: string): string | undefined {
    const full = join(this.root, path);
    return !path.split("/").includes("..") && existsSync(full) ? readFileSync(full, "utf8") : undefined;
  }

  /** Source files, sorted; a small project's worth. */
  sources(): readonly string[] {
    const folder = join(this.root, "src");
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.m?js$/.test(path))
      .map((path) => `src/${path.replaceAll("\\", "/")}`)
      .sort();
  }

  /** The function that a thread speaks of: named in its text, else the one around its line. */
  placeOf(thread: AgentThread): Place | undefined {
    const named = new Set([...claimOf(thread).matchAll(/`(\w+)(?:\(\))?`/g)].map((match) => match[1]));
    const paths = thread.path === null ? this.sources() : [thread.path];
    for (const path of paths) {
      const text = this.read(path);
      if (text === undefined) continue;
      const all = functionsOf(text);
      const around =
        thread.line === null ? undefined : all.find((each) => each.start <= (thread.line ?? 0) && (thread.line ?? 0) <= each.end);
      const found = all.find((each) => named.has(each.name)) ?? around;
      if (found !== undefined) return { path, text, function: found };
    }
    return undefined;
  }
}

/** The file's text with other lines for one function. Line ends stay as they are. */
export const withFunction = (place: Place, lines: readonly string[]): string => {
  const end = place.text.includes("\r\n") ? "\r\n" : "\n";
  const all = place.text.split(/\r?\n/);
  return [...all.slice(0, place.function.start - 1), ...lines, ...all.slice(place.function.end)].join(end);
};
