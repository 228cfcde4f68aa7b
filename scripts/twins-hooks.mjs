// Module hooks: below `?twin=NUMBER` each module of the compiled project is loaded anew, with that twin's edits in it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

let twins = new Map();
let root = "";

export const initialize = (data) => {
  root = data.root;
  twins = new Map(data.twins.map((twin) => [twin.id, twin]));
};

export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context);
  const name = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get("twin");
  if (name === null || !found.url.startsWith(root) || found.url.includes("?")) return found;
  return { ...found, url: `${found.url}?twin=${name}` };
};

export const load = async (url, context, next) => {
  const name = url.startsWith(root) ? new URL(url).searchParams.get("twin") : null;
  if (name === null || context.importAttributes?.type === "json") return next(url, context);
  const path = url.split("?")[0];
  let source = await readFile(fileURLToPath(path), "utf8");
  for (const edit of twins.get(name)?.edits ?? []) {
    if (path !== `${root}${edit.file}`) continue;
    if (source.split(edit.from).length !== 2)
      throw new Error(`twin ${name}: its text does not stand exactly once in ${edit.file}: ${edit.from}`);
    source = source.replace(edit.from, () => edit.to);
  }
  return { format: "module", source, shortCircuit: true };
};
