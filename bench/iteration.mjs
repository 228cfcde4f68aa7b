// Processor time and peak of memory of a process that runs one iteration, and of one that only parses what it was answered.
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, run } from "./process.mjs";
import { sceneWith } from "./scene.mjs";

const CHILD = fileURLToPath(new URL("child.mjs", import.meta.url));

/** A fresh scene for each: an iteration leaves nothing to do. With `after`, the answers are kept, in the file that it is given. */
const iterated = async (threads, after) => {
  const scene = await sceneWith(threads);
  try {
    const file = join(scene.folder, "answers.json");
    const args = [process.execPath, CHILD, "run", scene.url, ...(after === undefined ? [] : [file])];
    const found = JSON.parse(await run(args, { cwd: scene.folder, env: scene.environment }));
    if (found.stop !== "met" || scene.open() > 0) throw new Error(`The iteration on ${threads} threads ended with ${found.stop}`);
    await after?.(file);
    return found;
  } finally {
    await scene.close();
  }
};

export const iteration = async (threads, runs) => {
  const parsed = [];
  let kibibytes = 0;
  await iterated(threads, async (file) => {
    kibibytes = Math.round(statSync(file).size / 1024);
    for (let index = 0; index < runs; index += 1) parsed.push(JSON.parse(await run([process.execPath, CHILD, "parse", file])));
  });
  const ran = [];
  for (let index = 0; index < runs; index += 1) ran.push(await iterated(threads));
  const middle = (all, field) => median(all.map((one) => one[field]));
  const ratio = (field) => middle(ran, field) / middle(parsed, field);
  return { threads, kibibytes, processor: ratio("processor"), memory: ratio("memory"), mebibytes: middle(ran, "memory") / 1024 };
};
