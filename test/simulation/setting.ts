/** Where a simulated day takes place: the pull request, its checks, and the faults, counted where they hit. */
import { scenario } from "../../sandbox/kit/index.js";
import type { Scene } from "../../sandbox/kit/index.js";
import { BROKEN } from "./judge.js";
import type { Plan } from "./plan.js";
import { voiceOf } from "./voices.js";

export const VIEWERS = { author: "ada", maintainer: "hedy", reader: "rita", bot: "loop-app" };

export const sceneOf = (plan: Plan): Scene => {
  const lines = (path: string): string =>
    plan.flaws
      .filter((flaw) => flaw.path === path)
      .map((flaw) => `v${flaw.number} <= ${flaw.number};\n`)
      .join("");
  const builder = scenario()
    .pullRequest({ author: "ada", draft: plan.draft })
    .user("grace")
    .user("hedy")
    .user("rita", "read")
    .step(({ world }) => void world.addUser("mallory"))
    .viewer(plan.viewer === "bot" ? "loop-app[bot]" : VIEWERS[plan.viewer])
    .file("README.md", "# shop\n", "# A shop\n")
    .file(
      "src/a.ts",
      "one\n",
      `one\n${lines("src/a.ts")}${plan.gate === "red-at-first" || plan.gate === "red-for-good" ? `// ${BROKEN}\n` : ""}`,
    )
    .file("src/b.ts", null, `two\n${lines("src/b.ts")}`)
    .file("lib/c.ts", "three\n", `three\n${lines("lib/c.ts")}`);
  for (const bot of plan.bots) {
    const { login, asked } = voiceOf(plan, bot.name);
    builder.bot(login, { requestable: asked === "review-request" });
  }
  builder.bot("ci-app");
  if (plan.target === "merge-ready" && plan.seed % 3 === 0) builder.protect({ requiresConversationResolution: true });
  if (plan.target === "merge-ready" && plan.seed % 5 === 0) builder.protect({ requiredChecks: ["build"] });
  return builder.build();
};

export const ciOf = (plan: Plan, scene: Scene, act: (what: () => void) => void): void => {
  if (plan.ci === "none") return;
  const { world, pullRequest } = scene;
  const begin = (): void => {
    const at = { repository: pullRequest.repository, head: pullRequest.head.sha, name: "build" } as const;
    world.setCheck("ci-app", { ...at, status: "IN_PROGRESS" });
    const conclusion = plan.ci === "red" ? "FAILURE" : "SUCCESS";
    world.after(plan.ci === "slow" ? 700_000 : 20_000, () => act(() => void world.setCheck("ci-app", { ...at, conclusion })));
  };
  act(begin);
  world.subscribe((event) => {
    if (event.type === "pushed" && event.pullRequest !== undefined) world.after(2_000, () => act(begin));
  });
};

/** Counts faults where they hit, not where they are set. */
export const countFaults = (scene: Scene, count: (what: string) => void): void => {
  const { faults } = scene.world;
  const nextWrite = faults.nextWrite.bind(faults);
  faults.nextWrite = () => {
    const fate = nextWrite();
    if (fate.fate !== "normal") count(`fault:${fate.fate}`);
    return fate;
  };
  const nextRead = faults.nextRead.bind(faults);
  faults.nextRead = () => {
    const fate = nextRead();
    if (fate.fate !== "normal") count(`fault:${fate.fate === "bad-gateway" ? "bad-gateway-read" : fate.fate}`);
    return fate;
  };
  const broken = faults.broken.bind(faults);
  faults.broken = (kind, field) => {
    const hit = broken(kind, field);
    if (hit) count(`fault:${kind}`);
    return hit;
  };
  const alias = faults.alias.bind(faults);
  faults.alias = (index) => {
    const hit = alias(index);
    if (hit !== undefined) count("fault:partial-alias-failure");
    return hit;
  };
  const drops = faults.dropsRequest.bind(faults);
  faults.dropsRequest = (login) => {
    const hit = drops(login);
    if (hit) count("fault:review-request-dropped");
    return hit;
  };
  // Those that the world itself answers with are asked for where they act.
  const get = faults.get.bind(faults);
  faults.get = (name) => {
    const options = get(name);
    if (options !== undefined && ["resolve-without-effect", "merge-state-unknown", "no-checks-yet"].includes(name)) count(`fault:${name}`);
    return options;
  };
  const reviewer = faults.reviewer.bind(faults);
  faults.reviewer = (login) => {
    const answer = reviewer(login);
    if (answer.silent) count("fault:silent-reviewer");
    if (answer.delay > 0) count("fault:slow-reviewer");
    return answer;
  };
};
