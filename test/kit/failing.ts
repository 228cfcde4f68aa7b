import type { ContractCase } from "../../sandbox/kit/index.js";

/** Names of the cases that fail, with the one line that each says. */
export const failing = async (cases: readonly ContractCase[]): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {};
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (thrown) {
      found[name] = thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  return found;
};
