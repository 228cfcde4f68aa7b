// A small command agent whose manner is its argument. It reads the task on standard input, as a real one would.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [manner, note] = process.argv.slice(2);
const text = readFileSync(0, "utf8");
const task = JSON.parse(text);
const print = (value) => process.stdout.write(typeof value === "string" ? value : JSON.stringify(value));
const decide = (thread) => ({ thread, kind: "false-positive", why: "checked", reply: "It is guarded above.", root: null, question: null });
const good = () =>
  task.kind === "triage"
    ? { decisions: task.threads.map((thread) => decide(thread.id)) }
    : { changed: task.threads.map((thread) => ({ thread: thread.id, summary: "Mended.", files: ["a.txt"] })), unfixed: [] };
const again = note !== undefined && existsSync(note);
if (note !== undefined) appendFileSync(note, `${JSON.stringify({ problems: task.problems ?? null })}\n`);

const manners = {
  good: () => print(good()),
  "to-file": () => {
    console.log("thinking aloud");
    writeFileSync(process.env.REVIEWLOOP_OUTPUT, JSON.stringify(good()));
  },
  "from-file": () => print(readFileSync(process.env.REVIEWLOOP_INPUT, "utf8") === text ? good() : {}),
  chatty: () => print(`Here is my answer:\n\n\`\`\`json\n${JSON.stringify(good(), null, 2)}\n\`\`\`\nBye.\n`),
  usage: () => print({ ...good(), usage: { tokens: 12, money: 0.5 } }),
  "bad-json": () => print("{ decisions: nope"),
  "wrong-kind": () => print({ decisions: task.threads.map((thread) => ({ ...decide(thread.id), kind: "whatever" })) }),
  missing: () => print({ decisions: [] }),
  invented: () => print({ decisions: [...good().decisions, decide("invented-1")] }),
  twice: () => print({ decisions: [...good().decisions, ...good().decisions] }),
  "long-reply": () => print({ decisions: task.threads.map((thread) => ({ ...decide(thread.id), reply: "x".repeat(5000) })) }),
  silent: () => setInterval(() => {}, 1000),
  huge: () => {
    const block = "x".repeat(65536);
    const more = () => process.stdout.write(block, more);
    more();
  },
  crash: () => {
    print(good());
    process.stderr.write("it broke\n");
    process.exitCode = 7;
  },
  child: () => {
    // A child in a session of its own that keeps the pipe open.
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      detached: true,
      stdio: ["ignore", "inherit", "ignore"],
    });
    writeFileSync(join(process.cwd(), "child.pid"), String(child.pid));
    child.unref();
    print(good());
    process.exit(0);
  },
  environment: () => {
    writeFileSync(join(process.cwd(), "environment.json"), JSON.stringify(process.env));
    print(good());
  },
  "second-time": () => print(again ? good() : "not yet"),
  "edit-then-fail": () => {
    appendFileSync(join(process.cwd(), "a.txt"), "half\n");
    print("{}");
  },
};
manners[manner]();
