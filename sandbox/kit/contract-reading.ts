/** How a reviewer plugin reads texts: its own, other people's, broken ones. The cases of `reviewerContract` that need no asking. */
import type { Inbox, Plugin, Sha } from "../../core/index.js";
import { brief, must } from "./contract.js";
import { approves, Bot, postsIn, type Sample, type SamplePost, type Seen } from "./contract-bot.js";
import { FILE } from "./contract-inputs.js";

/** The plugin under contract with its samples. */
export interface Reviewing {
  make(laid?: object): Plugin;
  /** Its bot never says that it is done. */
  readonly never: boolean;
  readonly reviewed: (head: Sha) => Sample;
  readonly running: ((head: Sha) => Sample) | undefined;
  readonly findings: ((head: Sha) => Sample) | undefined;
}

export const said = (seen: Seen): string =>
  `signal ${brief({ state: seen.signal?.state, head: seen.signal?.head?.slice(0, 10), reason: seen.signal?.reason })}, blockers ${brief(seen.blockers.map(({ code }) => code))}, open points ${seen.points.length}`;

/** What it makes of a head on which it left these posts. */
export const after = async (plugin: Plugin, sample?: (head: Sha) => Sample): Promise<Seen> => {
  const bot = await Bot.on(plugin);
  if (sample !== undefined) bot.post(sample(bot.head));
  return bot.see();
};

/** Does it hold anything up at all? Where it doesn't, another case says so, and no text can be the reason. */
const holdsWithout = async ({ make }: Reviewing): Promise<boolean> => (await after(make())).blockers.length > 0;

export const claims = async ({ make, findings, reviewed }: Reviewing): Promise<void> => {
  const bot = await Bot.on(make());
  const { world, pullRequest } = bot.scene;
  const fan = `${bot.login}-fan`;
  world.addUser(fan);
  const others = ["bob", "other-bot", fan];
  for (const login of others) world.addThread(login, pullRequest, { path: FILE, line: 1, body: "This line looks odd." });
  const alone = bot.plugin.reviewer?.identities.find((each) => each.bot && each.marker === undefined && each.logins.includes(bot.login));
  if (alone !== undefined) bot.post({ source: "review_comment", body: "This line looks odd." });
  bot.post((findings ?? reviewed)(bot.head));
  const inline = (await bot.see()).inbox.threads.filter((thread) => thread.source === "inline");
  const taken = inline.find((thread) => thread.reviewer === bot.plugin.name && others.includes(thread.author.login));
  must(taken === undefined, "fetch", `claims the thread of ${taken?.author.login}`);
  const missed = inline.find((thread) => thread.reviewer !== bot.plugin.name && !others.includes(thread.author.login));
  must(missed === undefined, "fetch", `does not claim ${missed?.author.login}'s thread ${brief(missed?.title)}`);
  const claimed = (inbox: Inbox): Inbox => ({
    ...inbox,
    threads: inbox.threads.map((thread) => (thread.source === "inline" ? { ...thread, reviewer: "another" } : thread)),
  });
  const { threads } = (await bot.see(bot.plugin, { change: claimed })).inbox;
  const stolen = threads.find((thread) => thread.source === "inline" && thread.reviewer !== "another");
  must(stolen === undefined, "fetch", "takes a thread that another reviewer has claimed");
};

const asPerson = <T extends { readonly author: Inbox["comments"][number]["author"] }>(of: T): T =>
  of.author.kind === "bot" ? { ...of, author: { ...of.author, kind: "user" } } : of;

const personsOnly = (inbox: Inbox): Inbox => ({
  ...inbox,
  reviewThreads: inbox.reviewThreads.map((thread) => ({ ...thread, messages: thread.messages.map(asPerson) })),
  reviews: inbox.reviews.map((review) => ({ ...review, message: asPerson(review.message) })),
  comments: inbox.comments.map(asPerson),
  checks: null,
  threads: inbox.threads.map((thread) => ({ ...asPerson(thread), messages: thread.messages.map(asPerson) })),
});

export const namesake = async (at: Reviewing): Promise<void> => {
  // Where people post for it, a person is whom it takes.
  if (at.make().reviewer?.identities.some((identity) => !identity.bot) === true || !(await holdsWithout(at))) return;
  const bot = await Bot.on(at.make());
  bot.post(at.reviewed(bot.head));
  const seen = await bot.see(bot.plugin, { change: personsOnly });
  const taken = seen.points.length > 0 || seen.blockers.length === 0;
  must(!taken, "fetch", `takes a person of the same login for its bot (${said(seen)})`);
};

/** Ways in which people repeat what a bot wrote. */
const QUOTES: readonly ((body: string) => string)[] = [
  (body) => body.replaceAll(/^/gm, "> "),
  (body) => `It says:\n\n\`\`\`\`\`\`\`\`\n${body}\n\`\`\`\`\`\`\`\`\n\nIs that so?`,
];

const texts = (sample: Sample): readonly string[] =>
  postsIn(sample).flatMap((post) => (post.source === "check" || post.body.trim() === "" ? [] : [post.body]));

export const quoted = async (at: Reviewing): Promise<void> => {
  const holds = await holdsWithout(at);
  for (const sample of [at.reviewed, ...(at.findings === undefined ? [] : [at.findings])]) {
    for (const quote of QUOTES) {
      const bot = await Bot.on(at.make());
      for (const body of texts(sample(bot.head))) bot.post({ source: "issue_comment", body: quote(body) }, "bob");
      const seen = await bot.see();
      must(!holds || seen.blockers.length > 0, "fetch", `takes a person's quote for a review (${said(seen)})`);
      must(seen.points.length === 0, "fetch", `takes a person's quote for a finding (${brief(seen.points[0]?.title)})`);
    }
  }
};

/** Texts that say nothing about a review. */
const GARBAGE: readonly string[] = [
  "👍",
  "LGTM",
  "null",
  "{}",
  "<!-- -->",
  "<!--",
  "```",
  "# ",
  "| a | b |\n|---|---|\n| 5 | 5 |",
  "Score",
  "No.",
  "lorem ipsum ".repeat(5000),
  "\u0000\u202e\ufeff",
  "<details><summary>",
];

export const garbage = async (at: Reviewing): Promise<void> => {
  if (!(await holdsWithout(at))) return;
  for (const body of GARBAGE) {
    for (const source of ["issue_comment", "review"] as const) {
      const seen = await after(at.make(), () => ({ source, body }));
      const what = source === "review" ? "a review" : "a comment";
      must(!approves(seen), "fetch", `takes ${what} ${brief(body.slice(0, 40))} for an approval (${said(seen)})`);
    }
  }
};

/** What a review begins with is no result yet; many bots say the good news in their first sentence. */
const FIRST_WORDS = 12;

/** Where to cut a text of this length. */
const cuts = (length: number): readonly number[] => {
  const steps = Math.min(12, Math.floor(length));
  return [...new Set(Array.from({ length: steps }, (_, index) => Math.floor(((index + 1) * length) / (steps + 1))))].filter((at) => at > 0);
};

const longest = (sample: Sample): number => Math.max(0, ...texts(sample).map((text) => text.length));

const cutAt = (sample: Sample, at: number): readonly SamplePost[] =>
  postsIn(sample).flatMap((post) => {
    if (post.source === "check") return [post];
    const body = post.body.slice(0, at);
    return body.trim() === "" ? [] : [{ ...post, body }];
  });

/** Inline threads stand by themselves: here the text alone has to hold. */
const held = ({ blockers, points, signal }: Seen): boolean =>
  blockers.length > 0 ||
  points.some((point) => point.source !== "inline") ||
  signal?.verdict === "needs-attention" ||
  (signal?.counts?.posted ?? 0) > 0;

export const truncated = async (at: Reviewing): Promise<void> => {
  if (!(await holdsWithout(at))) return;
  const { make, reviewed, findings } = at;
  const some = "f".repeat(40);
  for (const cut of cuts(Math.min(FIRST_WORDS, longest(reviewed(some)) / 4))) {
    const seen = await after(make(), (head) => cutAt(reviewed(head), cut));
    must(!approves(seen), "fetch", `takes the first ${cut} characters of its review for the whole (${said(seen)})`);
  }
  if (findings === undefined || !held(await after(make(), findings))) return;
  for (const cut of cuts(longest(findings(some)))) {
    const seen = await after(make(), (head) => cutAt(findings(head), cut));
    must(held(seen), "fetch", `is content with the first ${cut} characters of a review that finds something (${said(seen)})`);
  }
};

const NOISE = 130;

/** More than a page of everything, none of it the reviewer's. */
const noise = ({ scene }: Bot): void => {
  const { world, pullRequest } = scene;
  for (let index = 0; index < NOISE; index += 1) {
    world.comment("bob", pullRequest, `Remark ${index}`);
    world.resolve("ada", world.addThread("other-bot", pullRequest, { path: FILE, line: (index % 40) + 1, body: `Point ${index}` }));
    world.review("bob", pullRequest, { state: "COMMENTED", body: `Read part ${index}` });
  }
};

export const manyPages = async ({ make, reviewed }: Reviewing): Promise<void> => {
  const alone = await after(make(), reviewed);
  const bot = await Bot.on(make());
  noise(bot);
  bot.post(reviewed(bot.head));
  noise(bot);
  const seen = await bot.see();
  must(seen.signal?.state === alone.signal?.state, "fetch", `loses its review among many posts (${said(seen)})`);
  must(seen.blockers.length === alone.blockers.length, "check", `judges its review otherwise among many posts (${said(seen)})`);
  must(
    seen.points.length === alone.points.length,
    "fetch",
    `has ${seen.points.length} points among many posts, and ${alone.points.length} without them`,
  );
};

export const foundPoints = async ({ make, findings }: Reviewing): Promise<void> => {
  if (findings === undefined) return;
  const seen = await after(make(), findings);
  must(seen.points.length > 0, "fetch", `finds nothing in its sample of findings (${said(seen)})`);
  const untitled = seen.points.find((point) => point.title.trim() === "" || point.messages.length === 0);
  must(untitled === undefined, "fetch", `a point has no title or no message: ${brief(untitled?.id)}`);
  must(new Set(seen.points.map((point) => point.id)).size === seen.points.length, "fetch", "two points have the same id");
};

export const editedInPlace = async ({ make, reviewed, never }: Reviewing): Promise<void> => {
  const posts = postsIn(reviewed("f".repeat(40)));
  if (never || posts.length !== 1 || posts[0]?.source !== "issue_comment") return;
  const alone = await after(make(), reviewed);
  if (alone.blockers.length > 0) return;
  const bot = await Bot.on(make());
  const comment = bot.post(reviewed(bot.head));
  await bot.push();
  const body = postsIn(reviewed(bot.head))[0]?.body ?? "";
  must(comment !== undefined, "samples", "the sample is no comment");
  // A body that names no commit is the same text again: then only the time tells.
  bot.scene.world.editComment(comment.author, comment, "...");
  bot.scene.world.editComment(comment.author, comment, body);
  bot.pass();
  const seen = await bot.see();
  must(seen.blockers.length === 0, "fetch", `does not see a summary that was edited in place for the new head (${said(seen)})`);
};
