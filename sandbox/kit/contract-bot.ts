/** A reviewer under contract as it lives on a pull request: what it posts, heads that come and go, and what its plugin makes of it. */
import type { Asks, Blocker, Config, Inbox, Plugin, Post, ReviewState, Sha, Signal, Thread, WriteOf } from "../../core/index.js";
import type { IssueCommentRecord } from "../world/records.js";
import { must } from "./contract.js";
import { FILE } from "./contract-inputs.js";
import { begun, handle, journaled, standOf } from "./contract-stand.js";
import { scenario, type Scene } from "./scenario.js";

/** One post of the reviewer's: a text alone is a conversation comment. */
export type SamplePost =
  | string
  | (Pick<Post, "source" | "body"> & {
      /** Where it is not the first login of the plugin's own. */
      readonly login?: string;
      /** For a review. Default: COMMENTED. */
      readonly state?: Exclude<ReviewState, "PENDING" | "DISMISSED">;
      /** For a review: bodies of its inline threads, one a line of `src/main.ts`. */
      readonly threads?: readonly string[];
      /** For a check: its name, and how it ended; `body` is its summary. */
      readonly check?: { readonly name: string; readonly state: "pending" | "success" | "neutral" | "failure" };
    });
export type Sample = SamplePost | readonly SamplePost[];

export const postsIn = (sample: Sample): readonly Exclude<SamplePost, string>[] =>
  (Array.isArray(sample) ? (sample as readonly SamplePost[]) : [sample as SamplePost]).map((post) =>
    typeof post === "string" ? { source: "issue_comment", body: post } : post,
  );

/** The lines of `src/main.ts`, all of them changed. */
const LINES = 40;
const text = (word: string): string =>
  Array.from({ length: LINES }, (_, index) => `export const ${word}${index + 1} = ${index + 1};\n`).join("");

const MINUTE = 60_000;

/** What the plugin makes of one read. */
export interface Seen {
  readonly inbox: Inbox;
  readonly signal: Signal | undefined;
  /** Of the plugin's own. */
  readonly blockers: readonly Blocker[];
  readonly asks: Asks;
  readonly requests: readonly WriteOf<"request">[];
  /** Open points of the plugin's own. */
  readonly points: readonly Thread[];
}

/** Nothing of the reviewer's is in the way: what must never come of a text that is no review. */
export const approves = (seen: Seen): boolean => seen.blockers.length === 0 && seen.points.length === 0;

export class Bot {
  readonly scene: Scene;
  readonly login: string;
  /** Does an account that is no person's post for it? */
  readonly isBot: boolean;
  private thread = 0;
  private pushes = 0;

  constructor(
    readonly plugin: Plugin,
    options: { readonly draft?: boolean } = {},
  ) {
    const identity = plugin.reviewer?.identities[0];
    must(identity !== undefined, "owns", "nobody posts for it: name a login, or pass options that do");
    this.login = identity.logins[0] ?? "scribe";
    this.isBot = identity.bot;
    const made = scenario().file(FILE, text("before"), text("after")).user("bob").bot("other-bot");
    if (options.draft === true) made.pullRequest({ draft: true });
    const all = plugin.reviewer?.identities.filter((each) => each.bot).flatMap((each) => each.logins) ?? [];
    for (const login of all) made.bot(login, { requestable: true });
    if (!this.isBot) made.user(this.login);
    this.scene = made.build();
  }

  /** A journal that has seen this head, as a run that goes on has. */
  static async on(plugin: Plugin, options: { readonly draft?: boolean } = {}): Promise<Bot> {
    const bot = new Bot(plugin, options);
    await begun(bot.scene);
    bot.pass();
    return bot;
  }

  get head(): Sha {
    return this.scene.pullRequest.head.sha;
  }

  /** Time goes by, so that no two things happen at once. */
  pass(milliseconds = MINUTE): void {
    this.scene.clock.jump(milliseconds);
  }

  /** Posts as the reviewer; the last conversation comment of the sample is given back. */
  post(sample: Sample, as?: string): IssueCommentRecord | undefined {
    const { world, pullRequest } = this.scene;
    let comment: IssueCommentRecord | undefined;
    for (const each of postsIn(sample)) {
      const login = as ?? each.login?.replace(/\[bot\]$/, "") ?? this.login;
      if (!world.accounts.has(login)) {
        if (each.login?.endsWith("[bot]") === true) world.addBot(login);
        else world.addUser(login);
      }
      switch (each.source) {
        case "issue_comment":
          comment = world.comment(login, pullRequest, each.body);
          break;
        case "review":
          world.review(login, pullRequest, {
            state: each.state ?? "COMMENTED",
            body: each.body,
            comments: (each.threads ?? []).map((body) => ({ path: FILE, line: this.nextLine(), body })),
          });
          break;
        case "review_comment":
          world.addThread(login, pullRequest, { path: FILE, line: this.nextLine(), body: each.body });
          break;
        case "check":
          this.check(login, each);
          break;
        case "pr_body":
          world.setAccess(pullRequest.repository, login, "write");
          world.editDescription(login, pullRequest, each.body);
      }
      this.pass(1000);
    }
    this.pass();
    return comment;
  }

  private check(login: string, { body, check }: Exclude<SamplePost, string>): void {
    must(check !== undefined, "samples", "a post of source check needs the check's name and state");
    const { world, pullRequest } = this.scene;
    const conclusions = { success: "SUCCESS", neutral: "NEUTRAL", failure: "FAILURE" } as const;
    world.createCheck(login, {
      repository: pullRequest.repository,
      head: this.head,
      name: check.name,
      summary: body,
      ...(check.state === "pending" ? { status: "IN_PROGRESS" } : { conclusion: conclusions[check.state] }),
    });
  }

  private nextLine(): number {
    this.thread = (this.thread % LINES) + 1;
    return this.thread;
  }

  /** Somebody pushes, and a run sees it. */
  async push(): Promise<Sha> {
    const { world, pullRequest, clock } = this.scene;
    this.pushes += 1;
    world.commitAndPush("ada", {
      repository: pullRequest.repository,
      branch: pullRequest.head.branch,
      files: { "notes.txt": `push ${this.pushes}\n` },
      message: "Another push",
    });
    await journaled(this.scene, { at: clock.now(), type: "head", head: this.head });
    this.pass();
    return this.head;
  }

  /** Reads the pull request and lets the plugin's handlers say what they make of it. `change` stands between GitHub and the plugin. */
  async see(
    plugin: Plugin = this.plugin,
    { config, change }: { readonly config?: Config; readonly change?: (inbox: Inbox) => Inbox } = {},
  ): Promise<Seen> {
    const stand = await standOf(this.scene, plugin, config === undefined ? {} : { config });
    const inbox = await handle(stand, "fetch", change === undefined ? stand.inbox : change(stand.inbox));
    const ctx = { ...stand.ctx, inbox };
    const blockers = await handle({ plugin, ctx }, "check", [], inbox);
    const asks = await handle({ plugin, ctx }, "rerequest", { requests: [], waits: [], tidy: [] }, inbox);
    return {
      inbox,
      signal: inbox.signals.find((signal) => signal.reviewer === plugin.name),
      blockers,
      asks,
      requests: asks.requests,
      points: inbox.threads.filter((thread) => thread.open && thread.reviewer === plugin.name),
    };
  }

  /** Carries a request out as the core does: intent, write, result. */
  async ask(request: WriteOf<"request">, inbox: Inbox): Promise<void> {
    const { clock, ports } = this.scene;
    await journaled(this.scene, { at: clock.now(), type: "intent", write: request });
    const [result] = await ports.forge.write([request], inbox.pullRequest);
    must(
      result?.state === "done",
      "rerequest",
      `its request is not done: ${result !== undefined && "detail" in result ? result.detail : "no answer"}`,
    );
    await journaled(this.scene, { at: clock.now(), type: "result", key: request.key, result });
    this.pass();
  }
}
