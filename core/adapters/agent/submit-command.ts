/** Where the program lies that takes answers. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BESIDE = fileURLToPath(new URL("./submit-server.js", import.meta.url));
/** From its sources, this package starts the program as it was built. */
const BUILT = fileURLToPath(new URL("../../../dist/core/adapters/agent/submit-server.js", import.meta.url));

/** Command line of the server through which an answer to the task in `input` gets into `output`. */
export const submitCommand = (input: string, output: string): readonly string[] => [
  process.execPath,
  existsSync(BESIDE) ? BESIDE : BUILT,
  input,
  output,
];
