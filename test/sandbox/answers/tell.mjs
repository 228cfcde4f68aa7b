// Loaded into a process of its own (`NODE_OPTIONS=--import ...`): what its sandbox answers goes to a file, a line each, for the test to read.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const file = process.env.REVIEWLOOP_TEST_ANSWERS;
if (file) subscribe("reviewloop:sandbox:answer", (notice) => appendFileSync(file, `${JSON.stringify(notice)}\n`));
