// Writes docs/transcripts: each rule of the first way of working through the built command line. `--check` compares instead.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { openPlace } from "./transcripts/place.mjs";
import { PLAYS } from "./transcripts/plays.mjs";

const folder = new URL("../docs/transcripts/", import.meta.url);
const check = process.argv.includes("--check");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
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

const differences = (before, after) => {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const out = [];
  for (let line = 0; line < Math.max(old.length, now.length) && out.length < 12; line += 1)
    if (old[line] !== now[line])
      out.push(`  line ${line + 1}: ${JSON.stringify(old[line] ?? null)} is now ${JSON.stringify(now[line] ?? null)}`);
  return out;
};

const said = [];
await mkdir(folder, { recursive: true });
for (const play of plays) {
  const file = new URL(`${play.name}.md`, folder);
  const text = await textOf(play);
  if (!check) await writeFile(file, text);
  else {
    const before = await readFile(file, "utf8").catch(() => "");
    if (before !== text) said.push(`docs/transcripts/${play.name}.md differs:`, ...differences(before, text));
  }
}
if (wanted.length === 0) {
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
