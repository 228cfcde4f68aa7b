/** The outward act: one call, one kind, a result each. */
import type { PullRequest, Viewer, WriteKind, WriteOf, WriteResult } from "../../model.js";
import type { Clock, ForgeWrite } from "../../ports.js";
import { refused, saying } from "./outcome.js";
import { comment, openIssue, openPullRequest, reply, review } from "./posts.js";
import { cancelRequest, requestReview } from "./review-requests.js";
import { editComment, editDescription, markDraft, minimise, resolve } from "./state-writes.js";
import type { WriteContext } from "./state-writes.js";
import type { Transport } from "./transport.js";

export const CAN: ReadonlySet<WriteKind> = new Set<WriteKind>([
  "reply",
  "comment",
  "edit-comment",
  "edit-description",
  "resolve",
  "minimise",
  "review",
  "request",
  "cancel-request",
  "mark-ready",
  "mark-draft",
  "open-issue",
  "open-pull-request",
] satisfies ForgeWrite["kind"][]);

const one = async (context: WriteContext, write: ForgeWrite): Promise<readonly WriteResult[]> => {
  switch (write.kind) {
    case "reply":
      return [await reply(context, write)];
    case "comment":
      return [await comment(context, write.body)];
    case "review":
      return [await review(context, write)];
    case "request":
      return [write.by === "comment" ? await comment(context, write.body) : await requestReview(context, write)];
    case "open-issue":
      return [await openIssue(context, write)];
    case "open-pull-request":
      return [await openPullRequest(context, write)];
    case "edit-comment":
      return editComment(context, write);
    case "edit-description":
      return editDescription(context, write);
    case "cancel-request":
      return cancelRequest(context, write);
    case "mark-ready":
    case "mark-draft":
      return markDraft(context, write);
    case "resolve":
      return resolve(context, [write]);
    default:
      return minimise(context, [write satisfies WriteOf<"minimise">]);
  }
};

const all = async (context: WriteContext, writes: readonly ForgeWrite[]): Promise<readonly WriteResult[]> => {
  const resolves = writes.filter((write) => write.kind === "resolve");
  if (resolves.length === writes.length) return resolve(context, resolves);
  const minimises = writes.filter((write) => write.kind === "minimise");
  if (minimises.length === writes.length) return minimise(context, minimises);
  const results: WriteResult[] = [];
  for (const write of writes) results.push(...(await one(context, write)));
  return results;
};

export interface Writing {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly host: string;
  readonly viewer: () => Promise<Viewer>;
}

export const writeAll = async (
  writing: Writing,
  writes: readonly ForgeWrite[],
  on: PullRequest,
  signal: AbortSignal | undefined,
): Promise<readonly WriteResult[]> => {
  const { owner, name, number, host } = on.ref;
  if (host !== writing.host) return writes.map(() => refused("unsupported", `${on.url} is not on ${writing.host}`));
  const ref = `${owner}/${name}#${number}`;
  const what = `${writes[0]?.kind ?? "nothing"} on ${ref}`;
  const subject = { host: writing.host, what, ref };
  return saying(subject, () =>
    all({ transport: writing.transport, clock: writing.clock, viewer: writing.viewer, subject, on, signal }, writes),
  );
};
