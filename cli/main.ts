#!/usr/bin/env node
/** The bin: hands the process's surroundings to the command line and sets the exit code. */
import { commandLine } from "./program.js";

// A reader that has seen enough (| head) is no fault.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

process.exitCode = await commandLine(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  environment: process.env,
  folder: process.cwd(),
  onInterrupt: (act) => {
    // Loaded by whoever can be interrupted, not by --help.
    let endAllNow = (): void => undefined;
    const load = async (): Promise<void> => {
      ({ endAllNow } = await import("../core/adapters/shell/process-tree.js"));
    };
    void load();
    let times = 0;
    const handler = (): void => {
      times += 1;
      if (times === 1) return act();
      // The second one means it: the default ends the process at once, and nothing that it started outlives it.
      endAllNow();
      process.removeListener("SIGINT", handler);
      process.kill(process.pid, "SIGINT");
    };
    process.on("SIGINT", handler);
    process.on("SIGTERM", handler);
    return () => {
      process.removeListener("SIGINT", handler);
      process.removeListener("SIGTERM", handler);
    };
  },
});
