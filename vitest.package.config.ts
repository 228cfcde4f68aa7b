import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    setupFiles: ["test/sandbox/answers/watch.ts"],
    include: ["test/package/**/*.test.ts", "test/hostile/git.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
