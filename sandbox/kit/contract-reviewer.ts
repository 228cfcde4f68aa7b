/** What every reviewer plugin promises, shown with a few posts of its bot. */
import { markersIn, type Plugin, type PluginFactory, type Sha } from "../../core/index.js";
import { brief, casesOf, must, type ContractCase } from "./contract.js";
import { Bot, type Sample } from "./contract-bot.js";
import {
  claims,
  editedInPlace,
  foundPoints,
  garbage,
  manyPages,
  namesake,
  quoted,
  said,
  truncated,
  type Reviewing,
} from "./contract-reading.js";

/** Posts of the bot, as it writes them. `head` is the full id of the commit that the post is about. */
export interface ReviewerSamples {
  /** A review of this head with which the plugin is content; `"never"`: the bot never says that it is done, only its threads are read. */
  readonly reviewed: ((head: Sha) => Sample) | "never";
  /** It is at work on this head. */
  readonly running?: (head: Sha) => Sample;
  /** A review of this head that finds something. */
  readonly findings?: (head: Sha) => Sample;
}

export interface ReviewerContractOptions<O extends object> {
  /** Options to make it with. `required: true` and `rerun: true` are laid over them. */
  readonly options?: Partial<O>;
}

/** Ready to be asked: whatever starts by itself had its time. */
const due = async (plugin: Plugin, options: { readonly draft?: boolean } = {}): Promise<Bot> => {
  const bot = await Bot.on(plugin, options);
  if (plugin.reviewer?.requestBy === "push") bot.pass(plugin.reviewer.wait.start);
  return bot;
};

const carriesKey = ({ key, body }: { readonly key: string; readonly body: string }): boolean =>
  markersIn(body).some((mark) => mark.key === key);

const once = async ({ make }: Reviewing): Promise<void> => {
  const bot = await Bot.on(make());
  const first = await bot.see();
  const by = bot.plugin.reviewer?.requestBy;
  if (by === "push" || by === "run" || by === "none") {
    must(first.requests.length === 0, "rerequest", `asks though it starts by itself (${by})`);
    bot.pass(bot.plugin.reviewer?.wait.start ?? 0);
  }
  const seen = await bot.see();
  const [request] = seen.requests;
  if (bot.plugin.reviewer?.trigger === undefined && by !== "review-request" && by !== "comment") {
    must(seen.requests.length === 0, "rerequest", "asks though nothing starts it");
    return;
  }
  must(request !== undefined, "rerequest", "does not ask for a review that is missing");
  must(seen.requests.length === 1, "rerequest", `asks ${seen.requests.length} times for one head`);
  must(request.reviewer === bot.plugin.name, "rerequest", `asks in the name of ${request.reviewer}`);
  must(request.preconditions.head === bot.head, "rerequest", "its request is not bound to the head: set preconditions.head");
  must((await bot.see()).requests[0]?.key === request.key, "rerequest", "its request has another key each time: one key, one act");
  must(request.by !== "comment" || carriesKey(request), "rerequest", "its comment lacks the marker with its key (markerOf)");
  await bot.ask(request, seen.inbox);
  const again = await bot.see();
  must(again.requests.length === 0, "rerequest", "asks a second time for the same head");
  bot.pass(bot.plugin.reviewer?.wait.start ?? 0);
  must((await bot.see()).requests.length === 0, "rerequest", "asks a second time once a while has passed");
  await bot.push();
  bot.pass(bot.plugin.reviewer?.wait.timeout ?? 0);
  bot.pass(bot.plugin.reviewer?.wait.start ?? 0);
  const later = await bot.see();
  must(later.requests.length === 1 || by === "review-request", "rerequest", "does not ask for a new head");
  must(later.requests[0]?.key !== request.key, "rerequest", "uses the key of the older head's request again");
};

/**
 * The contract of a reviewer plugin, as cases for any test runner. Each case has a pull request in memory on which the bot posts the samples.
 *
 * ```ts
 * const cases = reviewerContract(acme, { reviewed: (head) => `Acme grade: A for ${head}` });
 * for (const { name, run } of cases) test(name, run);
 * ```
 * It comes on top of `pluginContract`, which holds for reviewers too.
 */
export const reviewerContract = <O extends object>(
  factory: PluginFactory<O>,
  samples: ReviewerSamples,
  given: ReviewerContractOptions<O> = {},
): readonly ContractCase[] => {
  const { running, findings } = samples;
  const never = samples.reviewed === "never";
  const reviewed = samples.reviewed === "never" ? (): Sample => [] : samples.reviewed;
  const make = (laid: object = { required: true, rerun: true }): Plugin => factory({ ...given.options, ...laid });
  const at: Reviewing = { make, never, reviewed, running, findings };

  return casesOf(factory.pluginName, {
    "claims its own threads and nobody else's": () => claims(at),
    "takes no person for its bot": () => namesake(at),
    "its review of the head satisfies": async () => {
      if (never) return;
      const bot = await Bot.on(make());
      bot.post(reviewed(bot.head));
      const seen = await bot.see();
      must(
        seen.signal?.state === "reviewed" && seen.signal.head === bot.head,
        "fetch",
        `does not see the review of the head (${said(seen)})`,
      );
      must(
        seen.blockers.length === 0,
        "check",
        `is not content with it: ${brief(seen.blockers.map(({ code, detail }) => `${code}: ${detail}`))}`,
      );
    },
    "no sign of it blocks": async () => {
      const bot = await Bot.on(make());
      const seen = await bot.see();
      must(seen.blockers.length > 0, "check", "is content without any review");
      must(
        seen.blockers.every((blocker) => blocker.by === bot.plugin.name && blocker.code !== "" && blocker.detail !== ""),
        "check",
        "its blocker lacks by, code or detail",
      );
    },
    "a review of an older head never satisfies": async () => {
      const bot = await Bot.on(make());
      bot.post(reviewed(bot.head));
      await bot.push();
      const seen = await bot.see();
      must(seen.blockers.length > 0, "check", `takes the review of an older head for one of this head (${said(seen)})`);
    },
    "while it runs nothing is satisfied, and nothing is asked": async () => {
      if (running === undefined) return;
      const bot = await due(make());
      bot.post(reviewed(bot.head));
      await bot.push();
      if (bot.plugin.reviewer?.requestBy === "push") bot.pass(bot.plugin.reviewer.wait.start);
      bot.post(running(bot.head));
      const seen = await bot.see();
      must(seen.blockers.length > 0, "check", `is content while a review runs (${said(seen)})`);
      must(seen.requests.length === 0, "rerequest", `asks while a review runs (${said(seen)})`);
    },
    "asks once for a head": () => once(at),
    "asks nothing again after a restart": async () => {
      const bot = await due(make());
      const seen = await bot.see();
      const [request] = seen.requests;
      // Without its key in the comment nothing could be found again: asking once tells.
      if (request === undefined || (request.by === "comment" && !carriesKey(request))) return;
      await bot.ask(request, seen.inbox);
      // Another process, and its journal is gone: what stands on the pull request has to be enough.
      bot.scene.store.lose();
      bot.pass(bot.plugin.reviewer?.requestBy === "push" ? bot.plugin.reviewer.wait.start : 0);
      must(
        (await bot.see(make())).requests.length === 0,
        "rerequest",
        "asks again when the journal is lost, though its request stands there",
      );
    },
    "asks nothing while somebody's request is pending": async () => {
      const bot = await due(make());
      const [request] = (await bot.see()).requests;
      if (request === undefined) return;
      const { world, pullRequest } = bot.scene;
      if (request.by === "comment") world.comment("bob", pullRequest, bot.plugin.reviewer?.trigger ?? request.body.split("\n")[0] ?? "");
      else if (request.bot) world.requestBotReview("bob", pullRequest, request.login);
      else world.requestReview("bob", pullRequest, request.login);
      bot.pass(1000);
      must((await bot.see()).requests.length === 0, "rerequest", "asks though a person has just asked");
    },
    "asks only where it brings something": async () => {
      const absent = await due(make({ required: false, rerun: true }));
      must((await absent.see()).requests.length === 0, "rerequest", "asks where it takes no part: neither required nor ever seen here");
      const done = await due(make());
      done.post(reviewed(done.head));
      if (!never) must((await done.see()).requests.length === 0, "rerequest", "asks for a head that it has reviewed");
      if (make().reviewer?.reviewsDrafts === true) return;
      const draft = await due(make(), { draft: true });
      must((await draft.see()).requests.length === 0, "rerequest", "asks for a draft though it reviews none");
    },
    "what it edits in place counts by the time of the edit": () => editedInPlace(at),
    "no text without a review is an approval": () => garbage(at),
    "half a text is never better than the whole": () => truncated(at),
    "a person's quote is nothing": () => quoted(at),
    "more than a page of other things changes nothing": () => manyPages(at),
    "what it finds becomes open threads": () => foundPoints(at),
  });
};
