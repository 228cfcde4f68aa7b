import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/sandbox/answers/watch.ts"],
    exclude: ["test/package/**", "test/hostile/git.test.ts", "test/agents/**", "node_modules/**", "dist/**"],
    testTimeout: 30_000,
    // Tests with real processes share two cores in CI: one that fails there is run once more, and said.
    retry: process.env["CI"] === undefined ? 0 : 1,
    pool: "forks",
    maxWorkers: 2,
  },
});
