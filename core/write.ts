/**
 * The one way out. Whoever acts (the loop, a command, an embedder, a plugin's data) passes here: rules, capability,
 * what leaves is checked, intent on disk, the port, result on disk. A lost answer is settled by looking.
 */
import { ReviewloopError } from "./errors.js";
import { isOurs, markersIn } from "./writing/marker.js";
import type { Entry, Inbox, Message, RunState, Snapshot, Write, WriteOf, WriteResult } from "./model.js";
import { mustNotLeave } from "./writing/outgoing.js";
import type { OutgoingRules } from "./writing/outgoing.js";
import type { Git, Ports } from "./ports.js";
import { shellWord } from "./shell-words.js";

/** An object that was just made may be missing from lists for some seconds. */
const LAG = [1000, 3000, 6000] as const;

const textOf = (write: Write): string | undefined => ("body" in write ? write.body : undefined);

const byMarker = (messages: readonly Message[], key: string, logins: ReadonlySet<string>): WriteResult | undefined => {
  const found = messages.find(
    (message) => logins.has(message.author.login) && markersIn(message.body).some((marker) => marker.key === key),
  );
  return found === undefined ? undefined : { state: "done", id: found.id, url: found.url, found: true };
};

const yes = (held: boolean): WriteResult | undefined => (held ? { state: "done", found: true } : undefined);

/** Pure: does this read show that the write was carried out? Undefined = it does not show it. */
export const settled = (write: Write, snapshot: Snapshot, since: number): WriteResult | undefined => {
  const ours = new Set([snapshot.viewer.login]);
  const { pullRequest } = snapshot;
  switch (write.kind) {
    case "reply":
      return byMarker(snapshot.reviewThreads.find((thread) => thread.id === write.thread)?.messages ?? [], write.key, ours);
    case "comment":
      return byMarker(snapshot.comments, write.key, ours);
    case "review":
      return byMarker(
        snapshot.reviews.map((review) => review.message),
        write.key,
        ours,
      );
    case "edit-comment":
      return yes(snapshot.comments.find((comment) => comment.id === write.comment)?.body === write.body);
    case "edit-description":
      return yes(pullRequest.body === write.body);
    case "resolve":
      return yes(snapshot.reviewThreads.find((thread) => thread.id === write.thread)?.resolved ?? false);
    case "minimise":
      return yes(snapshot.comments.find((comment) => comment.id === write.comment)?.minimised ?? false);
    case "request":
      return write.by === "comment" ? byMarker(snapshot.comments, write.key, ours) : yes(requestShows(write, snapshot, since));
    case "cancel-request":
      return yes(!snapshot.requests.some((request) => request.login === write.login));
    case "mark-ready":
      return yes(!pullRequest.draft);
    case "mark-draft":
      return yes(pullRequest.draft);
    case "push":
      return yes(pullRequest.head.sha === write.to);
    case "open-issue":
    case "open-pull-request":
    case "command":
      return undefined;
  }
};

/** A pending request, or a review that arrived meanwhile. GitHub's times have one-second resolution. */
const requestShows = (write: Extract<WriteOf<"request">, { by: "review-request" }>, snapshot: Snapshot, since: number): boolean => {
  const from = Math.floor(since / 1000) * 1000;
  return (
    snapshot.requests.some((request) => request.login === write.login) ||
    snapshot.reviews.some((review) => review.message.author.login === write.login && (review.submittedAt ?? 0) >= from)
  );
};

/** Rules that no caller can go around. Undefined = the write may go. */
export const forbidden = (write: Write, inbox: Inbox, identities: readonly string[] = []): string | undefined => {
  const { pullRequest } = inbox;
  if (pullRequest.state !== "open" && write.kind !== "command") return `the pull request is ${pullRequest.state}`;
  if (write.preconditions.head !== undefined && write.kind !== "push" && write.preconditions.head !== pullRequest.head.sha)
    return "the head has moved";
  if (write.kind === "reply" || write.kind === "resolve") {
    const thread = inbox.threads.find((each) => each.id === write.thread);
    if (thread === undefined) return "the thread is not on this pull request";
    const { contentHash } = write.preconditions;
    if (contentHash !== undefined && contentHash !== thread.contentHash) return "somebody wrote in the thread since it was read";
    if (write.kind === "resolve" && !thread.answered) return "a thread is resolved only after its reply is visible";
  }
  if (write.kind === "minimise" || write.kind === "edit-comment") {
    const comment = inbox.comments.find((each) => each.id === write.comment);
    if (comment === undefined || !isOurs(comment, { viewer: inbox.viewer, identities }))
      return `only comments of our own are ${write.kind === "minimise" ? "hidden" : "edited"}`;
  }
  return undefined;
};

export interface OutboxOptions {
  readonly ports: Pick<Ports, "forge" | "git" | "shell" | "clock">;
  readonly rules: OutgoingRules;
  /** Accounts that only agents use. */
  readonly identities?: readonly string[];
  /** Nothing is sent; the writes are collected in `planned`. */
  readonly dryRun: boolean;
  readonly append: (entry: Entry) => Promise<void>;
  readonly run: () => RunState;
  readonly onWrite: (write: Write, result: WriteResult) => void;
  readonly read: () => Promise<Snapshot>;
  readonly signal: AbortSignal;
}

export interface Outbox {
  /** All of one kind; results in order. */
  send(writes: readonly Write[], inbox: Inbox): Promise<readonly WriteResult[]>;
  /** Looks for what was begun and never answered. To be called with the first read of a run. */
  settle(writes: readonly Write[], snapshot: Snapshot): Promise<void>;
  readonly planned: readonly Write[];
}

/** Before the first iteration no worktree is open, and the read just made says as much. */
const remoteHead = async (git: Pick<Git, "remoteHead">): Promise<string | undefined> => git.remoteHead().catch(() => undefined);

export const createOutbox = (options: OutboxOptions): Outbox => {
  const { ports, rules, append } = options;
  const planned: Write[] = [];

  const refusal = (write: Write, inbox: Inbox): WriteResult | undefined => {
    const before = options.run().writes[write.key]?.result;
    if (before?.state === "done") return { ...before, found: true };
    const rule = forbidden(write, inbox, options.identities);
    if (rule !== undefined) return { state: "refused", code: "rule", detail: rule };
    if (write.kind !== "push" && write.kind !== "command" && !ports.forge.can.has(write.kind))
      return { state: "refused", code: "unsupported", detail: `there is no ${write.kind} here` };
    const text = textOf(write);
    const leak = text === undefined ? undefined : mustNotLeave(text, rules);
    return leak === undefined ? undefined : { state: "refused", code: "rule", detail: leak };
  };

  const carryOut = async (writes: readonly Write[], inbox: Inbox): Promise<readonly WriteResult[]> => {
    const first = writes[0];
    if (first?.kind === "push") {
      if (ports.git === undefined) return [{ state: "refused", code: "unsupported", detail: "there is no worktree" }];
      // Without the signal: half of a write helps nobody.
      return [await ports.git.write(first, inbox.pullRequest)];
    }
    if (first?.kind === "command") {
      // Words, not a line: what others wrote may be among them. Where the loop was started: the head's own files have no part in it.
      const ran = await ports.shell.run({ command: first.command.map(shellWord).join(" "), cwd: ".", timeout: 60_000 });
      return [ran.exitCode === 0 ? { state: "done" } : { state: "refused", code: "invalid", detail: ran.output }];
    }
    return ports.forge.write(
      writes.filter((write) => write.kind !== "push" && write.kind !== "command"),
      inbox.pullRequest,
    );
  };

  /** Looks until the thing shows, or long enough to know that it is not there. */
  const look = async (write: Write, since: number, known?: Snapshot): Promise<WriteResult> => {
    let snapshot = known ?? (await options.read());
    const atRemote = async (): Promise<WriteResult | undefined> =>
      write.kind === "push" && ports.git !== undefined && (await remoteHead(ports.git)) === write.to
        ? { state: "done", found: true }
        : undefined;
    for (const lag of [0, ...LAG]) {
      // An old intent needs no patience: what it made would show by now.
      if (lag > 0 && ports.clock.now() - since > 60_000 && known !== undefined) break;
      if (lag > 0) {
        await ports.clock.sleep(lag, options.signal);
        snapshot = await options.read();
      }
      const found = settled(write, snapshot, since) ?? (await atRemote());
      if (found !== undefined) return found;
    }
    return { state: "dropped", detail: "it was sent, no answer came, and it is not there", unanswered: true };
  };

  const record = async (write: Write, result: WriteResult): Promise<WriteResult> => {
    await append({ at: ports.clock.now(), type: "result", key: write.key, result });
    options.onWrite(write, result);
    return result;
  };

  const send: Outbox["send"] = async (writes, inbox) => {
    // A write in flight is finished; none is begun once somebody has said stop.
    if (options.signal.aborted) throw new ReviewloopError("ABORTED", {});
    const results = new Map<string, WriteResult>();
    const go: Write[] = [];
    for (const write of writes) {
      const refused = refusal(write, inbox);
      if (refused !== undefined) results.set(write.key, refused);
      else if (options.dryRun) {
        planned.push(write);
        results.set(write.key, { state: "planned" });
      } else go.push(write);
      if (refused !== undefined || options.dryRun) options.onWrite(write, results.get(write.key) ?? { state: "planned" });
    }
    if (go.length > 0) {
      const at = ports.clock.now();
      for (const write of go) await append({ at, type: "intent", write });
      const answers = await carryOut(go, inbox).catch(async (thrown: unknown) => {
        if (ReviewloopError.is(thrown) && thrown.code !== "GITHUB_UNAVAILABLE") {
          if (thrown.code === "ABORTED") throw thrown;
          for (const write of go) await record(write, { state: "refused", code: "forbidden", detail: thrown.message });
          throw thrown;
        }
        if (options.signal.aborted) throw thrown;
        return Promise.all(go.map((write) => look(write, at)));
      });
      for (const [index, write] of go.entries())
        results.set(write.key, await record(write, answers[index] ?? { state: "dropped", detail: "no answer for it" }));
    }
    return writes.map((write) => results.get(write.key) ?? { state: "planned" });
  };

  const settle: Outbox["settle"] = async (writes, snapshot) => {
    for (const write of writes) await record(write, await look(write, options.run().writes[write.key]?.at ?? 0, snapshot));
  };

  return { send, settle, planned };
};
