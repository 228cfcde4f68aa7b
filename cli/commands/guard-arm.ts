/** `guard arm`: lets the next guarded act through, once. */
import { ReviewloopError } from "../../index.js";
import type { Flags } from "../flags.js";
import { arm } from "../guard/armed.js";
import type { Surroundings } from "../surroundings.js";
import { print } from "./look.js";

export const armCommand = async (flags: Flags, surroundings: Surroundings): Promise<number> => {
  if ((await arm(surroundings.folder)) === undefined)
    throw new ReviewloopError("USAGE", {
      problem: `${surroundings.folder} is in no git repository: there is nothing to arm.`,
      command: "guard arm",
    });
  print(surroundings, flags, { schemaVersion: 1, armed: true }, () => ["armed: the next gh pr create, ready or merge goes through, once"]);
  return 0;
};
