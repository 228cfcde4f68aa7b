// The bin must be executable, and what tsc does not copy goes beside the code that reads it.
import { chmod, cp, mkdir, access } from "node:fs/promises";
import { dirname } from "node:path";

const copies = ["sandbox/server/schema.graphql", "sandbox/server/NOTICE", "sandbox/reviewers/bodies.json"];
for (const from of copies) {
  try {
    await access(from);
  } catch {
    continue;
  }
  await mkdir(dirname(`dist/${from}`), { recursive: true });
  await cp(from, `dist/${from}`);
}
await chmod("dist/cli/main.js", 0o755).catch(() => {});
