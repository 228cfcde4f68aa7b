// Writes docs/transcripts: each rule of the first way of working through the built command line. `--check` compares instead.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { openPlace } from "./transcripts/place.mjs";
import { PLAYS } from "./transcripts/plays.mjs";

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false }, folder: { type: "string" } },
});
const { check } = values;
const folder = values.folder === undefined ? new URL("../docs/transcripts/", import.meta.url) : pathToFileURL(`${values.folder}/`);
const plays = wanted.length === 0 ? PLAYS : PLAYS.filter((play) => wanted.includes(play.name));

const textOf = async ({ title, place, play }) => {
  const at = await openPlace(place);
  try {
    await play(at);
    return `# ${title}\n\nWritten by \`npm run transcripts\`; compared in \`npm run test:full\`. Ids and times are made the same.\n\n${at.text()}\n`;
  } finally {
    await at.close();
  }
};

const MOST = 60;
/** What changed, as git shows it. */
const differences = async (name, before, after) => {
  const place = await mkdtemp(join(tmpdir(), "reviewloop-transcripts-"));
  try {
    const [old, now] = [join(place, "before.md"), join(place, "now.md")];
    await writeFile(old, before);
    await writeFile(now, after);
    const { stdout } = spawnSync("git", ["diff", "--no-index", "--no-color", old, now], { encoding: "utf8" });
    const lines = stdout.trimEnd().split("\n").slice(4);
    return [`docs/transcripts/${name} differs:`, ...lines.slice(0, MOST), ...(lines.length > MOST ? ["..."] : [])];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
};

const said = [];
await mkdir(folder, { recursive: true });
/** Each play has a place of its own, and much of its time is waiting. */
const AT_ONCE = 3;
const left = [...plays];
const worker = async () => {
  for (let play = left.shift(); play !== undefined; play = left.shift()) {
    const file = new URL(`${play.name}.md`, folder);
    const text = await textOf(play);
    if (!check) await writeFile(file, text);
    else {
      const before = await readFile(file, "utf8").catch(() => "");
      if (before !== text) said.push(...(await differences(`${play.name}.md`, before, text)));
    }
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));
if (wanted.length === 0 && values.folder === undefined) {
  const names = [...PLAYS.map((play) => `${play.name}.md`), "README.md"];
  const index = `# Transcripts\n\nEach rule of the first way of working ([ways-of-working.md](../ways-of-working.md)) through the command line.\n\n${PLAYS.map((play) => `- [${play.title}](${play.name}.md)`).join("\n")}\n`;
  const readme = new URL("README.md", folder);
  if (!check) await writeFile(readme, index);
  else if ((await readFile(readme, "utf8").catch(() => "")) !== index) said.push("docs/transcripts/README.md differs");
  for (const name of await readdir(folder)) {
    if (names.includes(name)) continue;
    if (check) said.push(`docs/transcripts/${name} is written by nothing`);
    else await rm(new URL(name, folder));
  }
}
if (said.length > 0) {
  process.stderr.write(`${said.join("\n")}\nnpm run transcripts writes them anew.\n`);
  process.exitCode = 1;
}
