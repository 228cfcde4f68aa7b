/** Not a draft, and focused proof: a green gate on exactly the head's tree. Never waits for reviewers. */
import { defineTarget } from "../../core/index.js";
import type { Blocker, Ctx } from "../../core/index.js";

const by = "open-for-review";

/** The gates that count as proof: those marked so, else all. */
const proofBlockers = async (head: string, ctx: Ctx): Promise<readonly Blocker[]> => {
  const { gate } = ctx.settings;
  if (gate === false) return [];
  if (gate === undefined)
    return [
      { code: "proof-missing", by, detail: 'no gate is configured that could prove the head (gate: "npm test")', lift: { who: "person" } },
    ];
  const wanted = gate.some((each) => each.proof) ? gate.filter((each) => each.proof) : gate;
  const tree = await ctx.git?.treeOf(head).catch(() => undefined);
  const green = wanted.filter((each) =>
    ctx.run.evidence.some(
      (evidence) => evidence.command === each.run && evidence.result === "green" && (evidence.tree === tree || evidence.head === head),
    ),
  );
  if (green.length === wanted.length) return [];
  const names = wanted.filter((each) => !green.includes(each)).map((each) => each.name);
  return [
    {
      code: "gate-missing",
      by,
      detail: `no green result at this head yet: ${names.join(", ")}`,
      lift: { who: ctx.git === undefined ? "person" : "loop" },
    },
  ];
};

export const openForReview = defineTarget({
  name: "open-for-review",
  awaits: "nobody",
  on: {
    check: async (blockers, inbox, ctx) => [
      ...blockers,
      ...(inbox.pullRequest.draft ? [{ code: "draft", by, detail: "the pull request is a draft", lift: { who: "person" } } as const] : []),
      ...(await proofBlockers(inbox.pullRequest.head.sha, ctx)),
    ],
  },
});
