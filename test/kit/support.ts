import { virtualClock } from "../../sandbox/kit/index.js";
import { createWorld, WorldError, type Protection, type PullRequestRecord, type World } from "../../sandbox/world/index.js";

export const REPOSITORY = "ada/shop";
export const TEN = `${Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n")}\n`;

export interface Stage {
  readonly world: World;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly pullRequest: PullRequestRecord;
}

/** `ada` owns it, `ben` wrote the change and may only read, `cleo` may write, `dan` triages, `eve` is a stranger, `acme` and `other` are bots. */
export const stage = (options: { readonly draft?: boolean; readonly rules?: Partial<Protection>; readonly head?: string } = {}): Stage => {
  const clock = virtualClock();
  const world = createWorld({ clock });
  for (const login of ["ada", "ben", "cleo", "dan", "eve"]) world.addUser(login);
  world.addBot("acme", { requestable: true });
  world.addBot("other");
  world.addRepository(REPOSITORY, { files: { "src/a.txt": TEN, "src/b.txt": "b\n" } });
  world.setAccess(REPOSITORY, "ben", "read");
  world.setAccess(REPOSITORY, "cleo", "write");
  world.setAccess(REPOSITORY, "dan", "triage");
  if (options.rules !== undefined) world.protect(REPOSITORY, "main", options.rules);
  world.commitAndPush("cleo", {
    repository: REPOSITORY,
    branch: "topic",
    files: { "src/a.txt": options.head ?? TEN.replace("line 5", "line five") },
    message: "Five in words",
  });
  const pullRequest = world.openPullRequest("ben", { repository: REPOSITORY, head: "topic", title: "Five", draft: options.draft ?? false });
  return { world, clock, pullRequest };
};

/** The refusal's type and message, or "done". */
export const outcome = (act: () => unknown): string => {
  try {
    act();
    return "done";
  } catch (thrown) {
    if (thrown instanceof WorldError) return thrown.type;
    throw thrown;
  }
};

export const messageOf = (act: () => unknown): string => {
  try {
    act();
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
};
