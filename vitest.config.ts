import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    exclude: ["test/package/**", "test/hostile/git.test.ts", "test/agents/**", "node_modules/**", "dist/**"],
    testTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
