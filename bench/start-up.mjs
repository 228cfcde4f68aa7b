// Processor time of short commands, as multiples of bare Node.
import { fileURLToPath } from "node:url";
import { run, sum, timed } from "./process.mjs";
import { sceneWith } from "./scene.mjs";

const BIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const ROUNDS = 10;

export const startUp = async () => {
  const scene = await sceneWith(10, { tls: true });
  const { environment, ghEnvironment, folder, pullRequest, repository, url } = scene;
  const ours = { cwd: folder, env: environment, codes: [0, 1, 2] };
  const commands = {
    bare: () => run([process.execPath, "-e", "0"], ours),
    version: () => run(["gh", "--version"], { env: ghEnvironment }),
    help: () => run([process.execPath, BIN, "--help"], ours),
    status: () => run([process.execPath, BIN, "status", url, "--json"], ours),
    view: () =>
      run(["gh", "pr", "view", String(pullRequest.number), "-R", repository, "--json", "number,reviews,comments,statusCheckRollup"], {
        cwd: folder,
        env: ghEnvironment,
      }),
  };
  const took = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  try {
    // In turn, so that whatever else the machine does meets all alike.
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, command] of Object.entries(commands)) took[name].push((await timed(command)).children);
  } finally {
    await scene.close();
  }
  const bare = sum(took.bare);
  return Object.fromEntries(Object.entries(took).map(([name, runs]) => [name, sum(runs) / bare]));
};
