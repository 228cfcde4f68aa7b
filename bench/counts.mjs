// What GitHub is asked, counted where it is answered: to read a pull request, and for one whole iteration; beside the recipe by hand.
import { fileURLToPath } from "node:url";
import { run } from "./process.mjs";
import { sceneWith } from "./scene.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const BIN = path("../dist/cli/main.js");

/** What an act on this scene asked for. */
const counted = async (scene, act) => {
  const before = scene.asked();
  const out = await act(scene);
  const { unknownRequests } = scene.sandbox;
  if (unknownRequests.length > 0) throw new Error(`The sandbox does not know: ${unknownRequests.join("\n")}`);
  const { requests, points } = scene.asked();
  return { requests: requests - before.requests, points: points - before.points, out, open: scene.open() };
};

const on = async (threads, tls, act) => {
  const scene = await sceneWith(threads, { tls });
  try {
    return await act(scene);
  } finally {
    await scene.close();
  }
};

const recipe = (scene, act) =>
  counted(scene, ({ folder, ghEnvironment, pullRequest }) =>
    run(["sh", path("recipe.sh"), act, "ada/shop", String(pullRequest.number)], { cwd: folder, env: ghEnvironment }),
  );

/** Both find what is open: other figures would compare different things. */
export const reading = (threads) =>
  on(threads, true, async (scene) => {
    const ours = await counted(scene, ({ environment, folder, url }) =>
      // Not met: exit code 1 or 2 says so.
      run([process.execPath, BIN, "status", url, "--json"], { cwd: folder, env: environment, codes: [0, 1, 2] }),
    );
    const theirs = await recipe(scene, "read");
    const found = JSON.parse(ours.out).threads.open;
    if (found !== threads) throw new Error(`reviewloop found ${found} open threads of ${threads}`);
    if (theirs.out.trim() !== `open: ${threads}`) throw new Error(`The recipe found ${theirs.out.trim()}, not ${threads}`);
    return { threads, ours, recipe: theirs };
  });

export const iterating = async (threads) => {
  const ours = await on(threads, false, (scene) =>
    counted(scene, ({ environment, folder, url }) =>
      run([process.execPath, path("child.mjs"), "run", url], { cwd: folder, env: environment }),
    ),
  );
  const theirs = await on(threads, true, (scene) => recipe(scene, "iterate"));
  for (const [who, { open }] of Object.entries({ reviewloop: ours, "the recipe": theirs }))
    if (open > 0) throw new Error(`${who} left ${open} of ${threads} threads open`);
  return { threads, ours, recipe: theirs };
};
