// The plays: each shows rules of the first way of working (docs/ways-of-working.md) through the built command line.

import { SCENES } from "../../dist/sandbox/index.js";

const RUN = ["run", "PR", "--yes"];
const thread = (at, by, body, line = 2) => at.world.addThread(by, at.pullRequest, { path: "src/a.js", line, body });

const GREPTILE = "greptile-apps";
const summary = (at, score, { prompt = "" } = {}) =>
  `<h3>Greptile Summary</h3>\n\nCounts to n.\n\n<h3>Confidence Score: ${score}/5</h3>\n\n${prompt}<sub>Reviews (1): Last reviewed commit: ["Count"](https://github.test/ada/shop/commit/${at.pullRequest.head.sha})</sub>`;
const prompt = `<details><summary>Prompt To Fix All With AI</summary>\n\n\`\`\`\`\`markdown\n### Issue 1 of 1\nsrc/a.js:2\n**Off by one in the loop**\n\nIt runs once too often.\n\`\`\`\`\`\n\n</details>\n\n`;

/** Reviews after each mention, with a check run, once it is awaited. */
const greptile = (at, { score = 5, check = true } = {}) => {
  at.world.addBot(GREPTILE);
  const comment = at.world.comment(GREPTILE, at.pullRequest, summary(at, 3, { prompt }));
  at.world.on("commented", (event) => {
    if (!event.body.startsWith("@greptile-apps review\n<!--")) return;
    const { repository, head } = at.pullRequest;
    const run = check
      ? at.world.createCheck(GREPTILE, { repository, head: head.sha, name: "Greptile Review", status: "IN_PROGRESS" })
      : undefined;
    at.atWait(() => {
      at.world.editComment(GREPTILE, comment, summary(at, score));
      if (run !== undefined) at.world.updateCheck(GREPTILE, run, { conclusion: "SUCCESS" });
    });
  });
};

export const PLAYS = [
  {
    name: "people",
    title: "Threads of people: fixed or answered, and left to them",
    async play(at) {
      thread(at, "grace", "Off by one.");
      thread(at, "grace", "Why one?", 1);
      at.world.review("grace", at.pullRequest, { state: "CHANGES_REQUESTED", body: "Could you say what it counts?" });
      at.world.comment("grace", at.pullRequest, "Thanks, this looks great!");
      await at.config();
      await at.run(RUN);
      at.show();
      at.say(
        "Her review is not dismissed. She was asked once to look again, after every point was answered; a second run finds nothing to do.",
      );
      await at.run(["status", "PR"]);
    },
  },
  {
    name: "judgment",
    title: "What only a person can decide stays open, without a write",
    async play(at) {
      thread(at, "grace", "Please decide: speed or memory?");
      await at.config();
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "bodies",
    title: "Points in a review body and in the conversation are threads: open until answered; heard ones hold nothing",
    async play(at) {
      at.world.comment("grace", at.pullRequest, "Could you rename n?");
      at.world.comment("grace", at.pullRequest, "Thanks, this looks great!");
      at.world.comment("grace", at.pullRequest, "Rebased onto main.");
      at.world.review("grace", at.pullRequest, { state: "COMMENTED", body: "What does it count?" });
      at.world.comment("grace", at.pullRequest, "Why a loop?");
      await at.config();
      await at.run(RUN);
      at.show();
      at.say("What was followed up before the first run is opened again by `--all`.");
      await at.run([...RUN, "--all"]);
    },
  },
  {
    name: "bots",
    title: "Threads of bots: fixed or answered, then resolved, each asserted; one that fails is still open",
    async play(at) {
      at.world.addBot("odd-bot");
      thread(at, "odd-bot", "Off by one.");
      thread(at, "odd-bot", "Is one meant to be a word?", 1);
      await at.config({ commit: { subject: "Review, round {iteration}" } });
      at.say("GitHub refuses to resolve the second of the two, once.");
      at.world.faults.set("partial-alias-failure", { positions: [2] });
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "reopened",
    title: "A thread that is opened again after it was resolved is a person's",
    async play(at) {
      at.world.addBot("odd-bot");
      const made = thread(at, "odd-bot", "Is one meant to be a word?", 1);
      await at.config();
      await at.run([...RUN, "--quiet"]);
      at.world.unresolve("grace", made);
      await at.run(RUN);
    },
  },
  {
    name: "no-gate",
    title: "Without a gate nothing is pushed; gate: false says otherwise, and is repeated in the report",
    async play(at) {
      thread(at, "grace", "Off by one.");
      await at.config({ gate: undefined });
      await at.run(RUN);
      await at.config({ gate: false });
      await at.run(RUN);
    },
  },
  {
    name: "claim",
    title: "What is said to be fixed and changed nothing is not fixed",
    place: { files: { "src/a.js": "one\nn words\n" } },
    async play(at) {
      thread(at, "grace", "Say which words.");
      await at.config();
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "evidence",
    title: "Evidence: one result for (tree, command), used again after an answer without a push",
    async play(at) {
      thread(at, "grace", "Why is it <= here?");
      await at.config();
      await at.run(RUN);
      at.say("Another question comes. The tree is the same, so the gate is not run again.");
      thread(at, "grace", "Why one?", 1);
      await at.run(RUN);
    },
  },
  {
    name: "gates",
    title: "Several gates: in order or at once, each with its log and its last lines; still red is the stop gate-red",
    async play(at) {
      thread(at, "grace", "Why is it <= here?");
      await at.config({
        gate: [
          { name: "lint", run: "echo no warnings", together: true },
          { name: "types", run: "echo 'src/a.js(2,1): error TS2304'; exit 2", together: true },
          { name: "unit", run: "echo never reached" },
        ],
        limits: { repairs: 1 },
      });
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "red-first",
    title: "A red first gate goes to fix alone, before review comments are touched",
    place: { files: { "src/a.js": "one\nfor (i = 0; i <= BROKEN; i++)\n" } },
    async play(at) {
      thread(at, "grace", "Off by one.");
      await at.config();
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "red-fix",
    title: "After a change the gate runs again: a red one is repaired before anything leaves",
    async play(at) {
      thread(at, "grace", "Use the risky bound.");
      await at.config();
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "gate-failed",
    title: "A gate that can't start is failed, not red",
    async play(at) {
      thread(at, "grace", "Off by one.");
      await at.config({ gate: "no-such-program --all" });
      await at.run(RUN);
    },
  },
  {
    name: "sync-merge",
    title: "Sync by merge: in the worktree, pushed after a green gate",
    async play(at) {
      thread(at, "grace", "Off by one.");
      at.world.commitAndPush("grace", { repository: "ada/shop", branch: "main", files: { "src/b.js": "b\n" }, message: "Meanwhile" });
      await at.config();
      await at.run([...RUN, "--sync", "merge"]);
      at.show();
    },
  },
  {
    name: "sync-red",
    title: "What was synced is pushed only after a green gate",
    async play(at) {
      at.world.commitAndPush("grace", {
        repository: "ada/shop",
        branch: "main",
        files: { "check.mjs": 'console.error("the licence of a.js is missing");\nprocess.exit(1);\n' },
        message: "Stricter",
      });
      thread(at, "grace", "Off by one.");
      await at.config();
      await at.run([...RUN, "--sync", "merge"]);
      at.show();
    },
  },
  {
    name: "sync-rebase",
    title: "Sync by rebase: pushed only with the exact expected head",
    async play(at) {
      thread(at, "grace", "Off by one.");
      at.world.commitAndPush("grace", { repository: "ada/shop", branch: "main", files: { "src/b.js": "b\n" }, message: "Meanwhile" });
      await at.config();
      await at.run([...RUN, "--sync", "rebase"]);
      at.show();
    },
  },
  {
    name: "sync-conflict",
    title: "A conflict is a stop that names the files",
    async play(at) {
      thread(at, "grace", "Off by one.");
      at.world.commitAndPush("grace", {
        repository: "ada/shop",
        branch: "main",
        files: { "src/a.js": "one\nmine\n" },
        message: "Meanwhile",
      });
      await at.config();
      await at.run([...RUN, "--sync", "merge"]);
      at.show();
    },
  },
  {
    name: "greptile",
    title: "Greptile: asked once per push, a result only when it is one, a fresh 5/5, older triggers hidden",
    async play(at) {
      at.world.addUser("ada-agent");
      at.world.comment("ada-agent", at.pullRequest, "I worked through it, @greptile-apps, please look again.");
      at.world.comment("grace", at.pullRequest, "@greptile-apps review");
      greptile(at);
      await at.config({ identities: ["ada-agent"] });
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "greptile-stale",
    title: "Greptile: a check that ended beside an unchanged summary is no result",
    async play(at) {
      at.world.addBot(GREPTILE);
      at.world.comment(GREPTILE, at.pullRequest, summary(at, 5, { prompt }));
      at.world.on("commented", (event) => {
        if (!event.body.startsWith("@greptile-apps review\n<!--")) return;
        const { repository, head } = at.pullRequest;
        at.world.createCheck(GREPTILE, { repository, head: head.sha, name: "Greptile Review", conclusion: "SUCCESS" });
      });
      await at.config({ reviewers: { greptile: { wait: { timeout: "1s" } } } });
      await at.run(RUN);
    },
  },
  {
    name: "greptile-running",
    title: "Greptile: no trigger while a run is in progress",
    async play(at) {
      at.world.addBot(GREPTILE);
      const { repository, head } = at.pullRequest;
      const run = at.world.createCheck(GREPTILE, { repository, head: head.sha, name: "greptile review", status: "IN_PROGRESS" });
      await at.config();
      await at.run(["status", "PR"]);
      await at.run(["request", "PR"]);
      at.say("It ends.");
      at.world.comment(GREPTILE, at.pullRequest, summary(at, 5));
      at.world.updateCheck(GREPTILE, run, { conclusion: "SUCCESS" });
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "greptile-no-check",
    title: "Greptile: where no check run appears in three looks, the newer summary with a score is the result",
    async play(at) {
      greptile(at, { check: false });
      await at.config();
      await at.run(RUN);
    },
  },
  {
    name: "greptile-description",
    title: "Greptile: a summary in the description counts between its markers, by its own edit, for the commit that it names",
    async play(at) {
      at.world.addBot(GREPTILE);
      at.world.setAccess("ada/shop", GREPTILE, "write");
      const described = (score) => `Counts to n.\n\n<!-- greptile_comment -->\n${summary(at, score)}\n<!-- /greptile_comment -->`;
      at.world.editDescription("ada", at.pullRequest, described(5));
      await at.config({ reviewers: { greptile: { wait: { timeout: "1s" } } } });
      at.say("Pasted by somebody else it is nothing.");
      await at.run([...RUN, "--report-only"]);
      at.world.editDescription(GREPTILE, at.pullRequest, `${described(5)}\n`);
      at.say("Greptile's own:");
      await at.run([...RUN, "--report-only"]);
    },
  },
  {
    name: "greptile-low",
    title: "Greptile: less than 5/5 holds the target, and is told",
    async play(at) {
      greptile(at, { score: 4 });
      await at.config();
      await at.run(RUN);
    },
  },
  {
    name: "timeout",
    title: "A wait that runs out is a stop; nothing is counted that was not said",
    async play(at) {
      at.world.addBot(GREPTILE);
      at.world.comment(GREPTILE, at.pullRequest, summary(at, 3, { prompt }));
      await at.config({ reviewers: { greptile: { wait: { timeout: "1s" } } } });
      await at.run(RUN);
    },
  },
  {
    name: "devin-draft",
    title: "Devin: a draft never gets one; markReadyFor flips it and says so; hidden flags are told",
    place: { draft: true },
    async play(at) {
      const DEVIN = "devin-ai-integration";
      at.world.addBot(DEVIN);
      at.world.on("ready", () =>
        at.atWait(() =>
          at.world.review(DEVIN, at.pullRequest, {
            state: "COMMENTED",
            commit: at.pullRequest.head.sha,
            body: "**Devin Review** found 0 new potential issues.\n\n[View 2 additional findings in Devin Review.](https://app.devin.ai/review/ada/shop/pull/1)",
          }),
        ),
      );
      await at.config({ reviewers: { devin: {} } });
      await at.run(RUN);
      await at.config({ reviewers: { devin: {} }, markReadyFor: ["devin"] });
      await at.run(RUN);
    },
  },
  {
    name: "devin-push",
    title: "Devin: everything actionable is fixed in one pass; it is asked by the push, never by a comment",
    async play(at) {
      const DEVIN = "devin-ai-integration";
      at.world.addBot(DEVIN);
      thread(at, DEVIN, "Off by one.");
      thread(at, DEVIN, "The bound is not what its comment says.", 1);
      at.world.on("pushed", (event) =>
        at.atWait(() =>
          at.world.review(DEVIN, at.pullRequest, {
            state: "COMMENTED",
            commit: event.after,
            body: "**Devin Review** found 0 new potential issues.",
          }),
        ),
      );
      await at.config();
      await at.run(RUN);
      at.show();
    },
  },
  {
    name: "codex-reactions",
    title: "Codex: eyes say that it is at work, a thumb up on the request is its clean review",
    async play(at) {
      const CODEX = "chatgpt-codex-connector";
      at.world.addBot(CODEX);
      at.world.on("commented", (event) => {
        if (!event.body.startsWith("@codex review\n<!--")) return;
        at.atWait(() => {
          at.world.react(CODEX, event.comment, "EYES");
          at.world.after(500, () => {
            at.world.unreact(CODEX, event.comment, "EYES");
            at.world.react(CODEX, event.comment, "THUMBS_UP");
          });
        });
      });
      await at.config({ reviewers: { codex: {} } });
      await at.run(RUN);
    },
  },
  {
    name: "not-callable",
    title: "A required reviewer that starts by a push alone and gives no sign: nobody can call it, and the stop says so",
    async play(at) {
      await at.config({ reviewers: { seer: { wait: { start: "1s" } } } });
      await at.run(RUN);
      await at.run(["status", "PR"]);
    },
  },
  {
    name: "stall",
    title: "Stall: a reviewer that keeps raising an answered point",
    async play(at) {
      at.world.addBot("devin-ai-integration");
      thread(at, "devin-ai-integration", "Is this bound meant to be inclusive?");
      let times = 0;
      at.world.on("resolved", () => {
        times += 1;
        if (times < 9) thread(at, "devin-ai-integration", "Is this bound meant to be inclusive?");
      });
      await at.config({ reviewers: { devin: { required: false, missing: "go-on", wait: { start: "1ms", timeout: "1ms" } } } });
      await at.run(RUN);
    },
  },
  {
    name: "max-iterations",
    title: "A cap is the caller's: no further iteration begins",
    async play(at) {
      thread(at, "grace", "Off by one.");
      at.world.on("replied", (event) => {
        if (event.actor === "ada" && at.pullRequest.threads.length === 1) thread(at, "grace", "Could one be a word?", 1);
      });
      await at.config();
      await at.run([...RUN, "--max-iterations", "1"]);
    },
  },
  {
    name: "active-time",
    title: "Work has an end without a cap, too: limits.activeTime",
    async play(at) {
      at.world.addBot(GREPTILE);
      at.world.comment(GREPTILE, at.pullRequest, summary(at, 3, { prompt }));
      await at.config({ limits: { activeTime: "1ms" } });
      await at.run(RUN);
    },
  },
  {
    name: "sign-in",
    title: "A sign-in that fails is found before anything else",
    async play(at) {
      thread(at, "grace", "Off by one.");
      await at.config();
      await at.run(RUN, { environment: { GH_TOKEN: "test-token" } });
      at.show();
    },
  },
  {
    name: "open-for-review",
    title: "open-for-review: not a draft, and focused proof; reviewers are not waited for",
    async play(at) {
      greptile(at);
      await at.config({
        extends: "open-for-review",
        gate: [
          { name: "quick", run: "node check.mjs", proof: true },
          { name: "all", run: "node check.mjs && echo all" },
        ],
      });
      await at.run(RUN);
    },
  },
  {
    name: "merge-ready",
    title: "merge-ready: checks settled, a clean merge state, required reviews",
    async play(at) {
      at.world.protect("ada/shop", "main", { requiredApprovals: 1 });
      at.world.addBot("ci");
      at.world.createCheck("ci", { repository: "ada/shop", head: at.pullRequest.head.sha, name: "build", conclusion: "SUCCESS" });
      await at.config({ extends: "merge-ready" });
      await at.run(RUN);
      at.say("An approval comes.");
      at.world.review("grace", at.pullRequest, { state: "APPROVED", body: "" });
      await at.run(RUN);
    },
  },
  {
    name: "sticky",
    title: "sticky-comment: one comment, edited in place",
    async play(at) {
      thread(at, "grace", "Why is it <= here?");
      await at.config({ plugins: ["sticky-comment"] });
      await at.run(RUN);
      thread(at, "grace", "Why one?", 1);
      await at.run([...RUN, "--quiet"]);
      at.show();
    },
  },
  {
    name: "plain-words",
    title: "plain-words: replies without filler, praise and boilerplate, or as a command of one's own leaves them",
    async play(at) {
      thread(at, "grace", "Why so politely?");
      await at.config();
      await at.run([...RUN, "--quiet"]);
      at.show();
      const shout = await at.write("shout.mjs", 'process.stdin.on("data", (text) => process.stdout.write(String(text).toUpperCase()));\n');
      thread(at, "grace", "Why so politely again?", 1);
      await at.config({ plugins: [["plain-words", { run: `node ${shout}` }]] });
      await at.run([...RUN, "--quiet"]);
      at.show();
    },
  },
  {
    name: "quiet-verbose",
    title: "Long work shows itself: as much or as little as asked for",
    async play(at) {
      thread(at, "grace", "Off by one.");
      await at.config();
      await at.run([...RUN, "--quiet"]);
      await at.run([...RUN, "--verbose", "--log", "events.jsonl"]);
    },
  },
  {
    name: "scenes",
    title: "The scenes of reviewloop sandbox --list: every thread of every source and reviewer, where it stands and who must act",
    async play(at) {
      for (const { name } of SCENES) await at.scene(name, "status");
    },
  },
  {
    name: "doctor",
    title: "doctor: what would keep a run from working, each line with its fix",
    async play(at) {
      await at.clone();
      await at.write("shop/.git/hooks/pre-push", "#!/bin/sh\nnpm run lint\n");
      await at.config({ gate: "no-such-program --all", reviewers: { greptile: {} } });
      await at.run(["doctor", "PR"]);
      await at.config({ gate: ["npm run lint", "node check.mjs"], reviewers: { greptile: { required: false } } });
      await at.run(["doctor", "PR"]);
    },
  },
];
