// The agent of the benchmarks: every thread is answered, nothing is changed.
import { readFileSync, writeFileSync } from "node:fs";

const task = JSON.parse(readFileSync(process.env["REVIEWLOOP_INPUT"], "utf8"));
const decide = ({ id }) => ({ thread: id, kind: "informational", why: "read it", reply: "It is meant so.", root: null, question: null });
writeFileSync(process.env["REVIEWLOOP_OUTPUT"], JSON.stringify({ decisions: task.threads.map(decide) }));
