import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    setupFiles: ["test/sandbox/answers/watch.ts"],
    include: ["test/agents/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
