/**
 * Broken twins: product code with one thing wrong in it, at least one for each rule, and the check that finds it out. `from` stands once in the
 * compiled file; a twin whose text is gone is an error, so that the list stays true.
 */
import { stillDay } from "./plan.js";
import type { BotPlan, Plan, Truth } from "./plan.js";

export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
export interface Twin {
  readonly rule: number;
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Laid over each day, where what it breaks is rare. */
  readonly day?: Partial<Plan>;
  /** Names of the checks of which one must find it. */
  readonly caughtBy: readonly string[];
}

const twin = (
  rule: number,
  name: string,
  caughtBy: string | readonly string[],
  ...edits: readonly (readonly [string, string, string])[]
): Twin => ({
  rule,
  name,
  caughtBy: typeof caughtBy === "string" ? [caughtBy] : caughtBy,
  edits: edits.map(([file, from, to]) => ({ file, from, to })),
});

const READ = "snapshot = await forge.read(ref, signal);";

const onADay = (day: Partial<Plan>, of: Twin): Twin => ({ ...of, day });
const QUOTA: Partial<Plan> = {
  flaws: [],
  bots: [{ name: "acme", delay: 900, present: true, quota: "always", manner: "quiet", edits: undefined }],
  outside: [{ kind: "other-push", at: 1_000 }],
  faults: [{ name: "primary-rate-limit", options: { reads: [1], resetAfter: 60_000 } }],
  required: false,
  target: "review-clean",
};

const ACME: BotPlan = { name: "acme", delay: 900, present: true, quota: "none", manner: "quiet", edits: undefined };
/** One flaw, found by one bot, mended by the agent. */
const onePoint = (truth: Truth, laid: Partial<Plan> = {}, number = 1): Partial<Plan> =>
  stillDay({ flaws: [{ number, path: "src/b.ts", truth, by: "acme" }], bots: [ACME], ...laid });

/** A person's question; the run waits for her. */
const FROM_GRACE: Partial<Plan> = {
  flaws: [{ number: 1, path: "src/b.ts", truth: "explains", by: "grace" }],
  people: ["away"],
  peopleWait: true,
};

/** The rounds are over from the start, and what is left becomes an issue. */
const HANDOVER: Partial<Plan> = {
  ...onePoint("nitpick"),
  target: "draft-to-ready",
  draft: true,
  nitpicks: "leave",
  handover: { rounds: 1, followUp: "issue" },
};

export const TWINS: readonly Twin[] = [
  onADay(
    onePoint("fixes", { faults: [{ name: "null-connection", options: { field: "reviewThreads", reads: [7, 8] } }] }),
    twin(
      1,
      "an incomplete read is taken for the one before",
      ["nothing-written-on-an-incomplete-read", "an-incomplete-read-is-named"],
      [
        "core/engine.js",
        READ,
        "snapshot = await forge.read(ref, signal).catch((thrown) => { if (this.kept === undefined) throw thrown; return this.kept; }); this.kept = snapshot;",
      ],
    ),
  ),
  onADay(
    onePoint("fixes", { faults: [{ name: "null-connection", options: { field: "reviewThreads", reads: [7, 8] } }] }),
    twin(
      1,
      "an incomplete read is an empty pull request",
      ["nothing-written-on-an-incomplete-read", "an-incomplete-read-is-named"],
      [
        "core/engine.js",
        READ,
        "snapshot = await forge.read(ref, signal).catch((thrown) => { if (this.kept === undefined) throw thrown; return { ...this.kept, reviewThreads: [], comments: [] }; }); this.kept = snapshot;",
      ],
    ),
  ),
  twin(2, "an outdated thread is closed", "met-only-if-it-is", [
    "core/reading/threads.js",
    "open: !thread.resolved,",
    "open: !thread.resolved && !thread.place.outdated,",
  ]),
  twin(2, "an answered thread is closed", "met-only-if-it-is", [
    "core/reading/threads.js",
    "open: !thread.resolved,",
    "open: !thread.resolved && !state.answered,",
  ]),
  onADay(
    QUOTA,
    twin(3, "a reviewer that gave up on an older head gave up on this one", "met-only-if-it-is", [
      "core/wait.js",
      "GAVE_UP.has(signal.state) && (signal.head === undefined || signal.head === inbox.pullRequest.head.sha)",
      "GAVE_UP.has(signal.state)",
    ]),
  ),
  twin(4, "a review is bound to whatever head is there, whichever it names", "met-only-if-it-is", [
    "core/reviewer/signal.js",
    "if (posts.head.startsWith(named))",
    "if (named !== undefined)",
  ]),
  onADay(
    onePoint("fixes", { bots: [{ ...ACME, delay: 120_000 }], ci: "green" }),
    twin(
      5,
      "the journal and the older trigger are not asked before a request",
      ["asked-once-per-head", "no-post-twice", "bounded"],
      ["core/reviewer/asking.js", "if (run.asked.some((each) =>", "if (false && run.asked.some((each) =>"],
      ["core/reviewer/asking.js", "if (inbox.comments.some((message) => isOurs", "if (false && inbox.comments.some((message) => isOurs"],
      ["core/reviewer/asking.js", 'signal?.state === "running" || signal?.state === "requested" || !worthAsking(signal, asking)', "false"],
      ["core/iteration.js", 'party?.awaited === true && !asked && state !== "running" && state !== "requested"', "party?.awaited === true"],
      ["core/write.js", 'if (before?.state === "done")', "if (false)"],
    ),
  ),
  twin(5, "whoever was never seen takes part", "only-who-takes-part-is-asked", ["core/reading/parties.js", "required || seen;", "true;"]),
  twin(5, "a trigger says please", "a-trigger-is-only-the-mention", [
    "core/reviewer/asking.js",
    "body: `${text}\\n$",
    "body: `${text}, please\\n$",
  ]),
  twin(
    6,
    "resolved before the reply is read back",
    "resolved-only-after-a-visible-reply",
    [
      "core/reading/standing.js",
      'thread.home === "inline" && thread.answered && decision.kind',
      'thread.home === "inline" && decision.kind',
    ],
    ["core/reading/standing.js", "if (replyDue(thread, decision, run, settings))", "if (false)"],
    ["core/write.js", 'if (write.kind === "resolve" && !thread.answered)', "if (false)"],
  ),
  twin(6, "a red gate counts as green", "only-green-trees-are-pushed", [
    "core/changing/fixing.js",
    'gates.filter((gate) => gate.result === "red")',
    "gates.filter(() => false)",
  ]),
  twin(6, "evidence of another tree is used", "only-green-trees-are-pushed", [
    "plugins/tools/command-gate.js",
    "each.command === gate.run && each.tree === tree &&",
    "each.command === gate.run &&",
  ]),
  twin(6, "no gate is no obstacle", "no-gate-no-push", ["core/changing/pushing.js", "if (settings.gate === undefined)", "if (false)"]),
  onADay(
    onePoint("fixes", { gateTakes: 40_000, outside: [{ kind: "other-push", at: 60_000 }] }),
    twin(
      6,
      "pushed onto whatever is there",
      "pushed-onto-the-head-that-was-read",
      ["core/changing/commits.js", "expected: head.sha,", "expected: await git.remoteHead(),"],
      ["core/changing/commits.js", 'force: synced?.policy === "rebase",', "force: true,"],
    ),
  ),
  twin(7, "a person's thread is resolved like a bot's", "a-persons-thread-stays-open", [
    "core/reading/standing.js",
    'if (mayResolve && (!isPerson(thread) || settings.people.resolve === "after-reply"))',
    "if (mayResolve)",
  ]),
  onADay(
    onePoint("fixes", { outside: [{ kind: "person-trigger", at: 10 }], gateTakes: 1_000 }),
    twin(
      7,
      "everybody's triggers are hidden",
      "others-words-are-never-touched",
      ["core/reviewer/posts.js", "if (!isOurs(message, ours))", "if (false)"],
      ["core/reviewer/asking.js", ".slice(0, -1)", ""],
      ["core/write.js", "if (comment === undefined || !isOurs(", "if (comment === undefined || false && !isOurs("],
    ),
  ),
  twin(
    8,
    "judgment is answered with the agent's thoughts",
    "judgment-gets-no-write",
    ["core/reading/standing.js", 'if (decision.kind === "judgment")', "if (false)"],
    ["core/reading/standing.js", "return decision.reply !== null;", "return true;"],
    [
      "core/writing/replies.js",
      "return { thread, decision, text: decision.reply };",
      "return { thread, decision, text: decision.reply ?? decision.why };",
    ],
  ),
  onADay(
    onePoint("fixes", { crashes: [{ effect: "git-after", number: 1, pause: 0, loses: false }] }),
    twin(
      9,
      "what a killed process sent is not looked for",
      ["no-post-twice", "killed-and-started-again-ends-the-same"],
      [
        "core/write.js",
        "await record(write, await look(write, options.run().writes[write.key]?.at ?? 0, snapshot));",
        'await record(write, { state: "dropped", detail: "nobody looked" });',
      ],
    ),
  ),
  twin(
    9,
    "a lost answer is sent again",
    ["no-post-twice", "no-reply-twice"],
    ["core/write.js", "return Promise.all(go.map((write) => look(write, at)));", "return carryOut(go, inbox);"],
  ),
  twin(
    9,
    "the intent goes to disk after the act",
    "intent-before-the-act",
    [
      "core/write.js",
      'await append({ at, type: "intent", write });',
      'void Promise.resolve().then(() => carried).then(() => append({ at, type: "intent", write }));',
    ],
    ["core/write.js", "const answers = await carryOut(go, inbox)", "const carried = carryOut(go, inbox); const answers = await carried"],
  ),
  twin(9, "open intents are left open", "the-journal-is-ended", [
    "core/session.js",
    "const unknown = looking ? [] : unsettled(engine.run);",
    "const unknown = [];",
  ]),
  onADay(
    onePoint("fixes", { crashes: [{ effect: "git-before", number: 1, pause: 0, loses: false }] }),
    twin(9, "a worktree that is not open yet ends the run that looks for a push", "a-failure-comes-from-outside", [
      "core/write.js",
      "git.remoteHead().catch(() => undefined);",
      "git.remoteHead();",
    ]),
  ),
  onADay(
    onePoint("fixes", { crashes: [{ effect: "forge-before", number: 3, pause: 0, loses: false }] }),
    twin(9, "a question that was never sent counts as asked", "killed-and-started-again-ends-the-same", [
      "core/run.js",
      'if (result.state === "dropped" && result.unanswered === true)',
      "if (false)",
    ]),
  ),
  twin(10, "a held lease is no obstacle", "one-writer", [
    "core/session.js",
    "await ports.store.open(ref);",
    "await ports.store.open(ref).catch(async () => emptyJournal(await ports.store.peek(ref)));",
  ]),
  twin(11, "protected paths are not", "only-what-a-fix-changed-is-pushed", [
    "core/changing/checked-change.js",
    "each !== undefined && matchesProtected(each, protectedPaths)",
    "false",
  ]),
  twin(
    11,
    "what the gate left behind is committed",
    ["only-what-a-fix-changed-is-pushed", "only-green-trees-are-pushed"],
    [
      "core/changing/fixing.js",
      "    let gates = await engine.gate(inbox, tree);\n    await git.checkout(tree);",
      "    let gates = await engine.gate(inbox, tree);\n    tree = await git.tree();",
    ],
  ),
  twin(
    11,
    "every push is forced",
    "no-force-push",
    ["core/changing/commits.js", 'force: synced?.policy === "rebase",', "force: true,"],
    ["core/changing/commits.js", "let parent = commits.at(-1) ?? head.sha;", "let parent = inbox.pullRequest.base.sha;"],
  ),
  onADay(
    onePoint("nasty-reply", {}, 5),
    twin(
      12,
      "secrets are not looked for",
      "no-secret-leaves",
      ["core/writing/outgoing.js", "if (rules.findSecrets(body).length > 0)", "if (false)"],
      ["core/engine.js", "this.options.outgoing.findSecrets(text).length > 0", "false"],
    ),
  ),
  onADay(
    onePoint("fixes", { gateTakes: 10_000, outside: [{ kind: "stranger-thread", at: 1_000 }] }),
    twin(13, "a stranger is trusted", "a-strangers-words-cause-nothing", [
      "core/reading/threads.js",
      "trust: trustOf(messages, how),",
      'trust: "trusted",',
    ]),
  ),
  twin(14, "there is no limit of replies", "bounded", ["core/reading/standing.js", "thread.replies >= settings.limits.replies;", "false;"]),
  onADay(
    stillDay(FROM_GRACE),
    twin(14, "a wait that is over is still a wait", "bounded", [
      "core/stop.js",
      "!expired.some((other) => sameWait(wait, other))",
      "!expired.includes(wait)",
    ]),
  ),
  onADay(
    onePoint("nasty-reply"),
    twin(
      15,
      "an agent's text goes out as it is",
      "what-leaves-is-harmless",
      ["core/writing/replies.js", "signed(harmless(text, rules)", "signed(text"],
      ["core/writing/outgoing.js", "const folder = rules.folders.find(", "const folder = [].find("],
    ),
  ),
  twin(
    15,
    "a fix is claimed before it is pushed",
    "a-claimed-fix-is-pushed",
    [
      "core/reading/standing.js",
      "found?.contentHash === thread.contentHash && found.pushed ? found",
      "found?.contentHash === thread.contentHash ? found",
    ],
    ["core/iteration.js", "const [result] = await engine.outbox.send([push], inbox);", 'const result = { state: "done" };'],
    ["core/iteration.js", "if (inbox.pullRequest.head.sha !== push.to)", "if (false)"],
  ),
  twin(16, "an error of the run is thrown at the caller", "always-one-stop-and-one-report", [
    "core/session.js",
    "const stop = stopFor(thrown, options.signal.aborted);",
    "if (Date) throw thrown; const stop = stopFor(thrown, options.signal.aborted);",
  ]),
  twin(16, "the stop is not journaled", "always-one-stop-and-one-report", [
    "core/session.js",
    "if (ended.stop !== undefined)",
    "if (false)",
  ]),
  twin(16, "a first run does not wait for a yes", "a-look-writes-nothing", [
    "core/session.js",
    "if (why === undefined)",
    "if (why !== null)",
  ]),
  twin(17, "the settle window is not waited for", "ready-only-with-the-settle-window-over", [
    "core/loop.js",
    "engine.now() - lastWriteAt >= settle)",
    "true)",
  ]),
  onADay(
    { ...HANDOVER, ...onePoint("judgment"), target: "draft-to-ready", draft: true },
    twin(
      17,
      "a draft is handed over whatever else holds it",
      "handed-over-only-when-it-is-ready",
      ["plugins/targets/draft-to-ready.js", "if (holds)", "if (holds && !inbox.pullRequest.draft)"],
      ["plugins/targets/draft-to-ready.js", "return [...all, draftBlocker(", "return [draftBlocker("],
    ),
  ),
  onADay(
    { ...HANDOVER, flaws: [{ number: 1, path: "src/b.ts", truth: "nitpick", by: "grace" }], people: ["away"], bots: [] },
    twin(
      7,
      "the end of the rounds frees people's threads too",
      ["handed-over-only-when-it-is-ready", "met-only-if-it-is"],
      ["plugins/targets/draft-to-ready.js", ".filter(isBots)", ""],
    ),
  ),
  onADay(
    { ...HANDOVER, flaws: [], bots: [{ ...ACME, name: "nova" }] },
    twin(9, "an issue is opened for nothing that is left", "one-issue-for-what-is-left", [
      "plugins/targets/draft-to-ready.js",
      "stopping.leftovers.length > 0",
      "true",
    ]),
  ),
  onADay(
    onePoint("fixes", { viewer: "maintainer", pushAny: false }),
    twin(18, "whoever may write pushes to anybody's pull request", "only-ones-own-pull-request-is-pushed-to", [
      "core/changing/pushing.js",
      'settings.push === "own" &&',
      "false &&",
    ]),
  ),
];
