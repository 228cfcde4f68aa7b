// The config of a repository: one target, one gate, one agent. Everything else has a default; `reviewloop config` prints what is in force.
import { defineConfig } from "reviewloop";

export default defineConfig({
  extends: "review-clean",
  // Run before anything is pushed, and again on every tree that a fix makes. A red gate is never pushed.
  gate: "npm test",
  // Judges the threads and mends the files; it holds no GitHub credential.
  agent: "claude",
  // Copilot must have looked once; its review of any head counts.
  reviewers: { copilot: { rerun: false } },
  people: { wait: true },
});
