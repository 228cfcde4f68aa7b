// What every reviewer promises, run on this one: `node --test`, vitest, or any other runner that has `test`.
import { test } from "vitest";
import { pluginContract, reviewerContract } from "reviewloop/testing";
import { acme } from "./acme.js";

const cases = [
  ...pluginContract(acme),
  ...reviewerContract(acme, {
    reviewed: (head) => `Acme grade: A for ${head}`,
    findings: (head) => `Acme grade: C for ${head}\n\n- [high] \`src/main.ts:3\` Counts one too many`,
  }),
];
for (const { name, run } of cases) test(name, run);
