/** Rules of the one way out that no caller can go around, a stranger's plugin neither. */
import { describe, expect, test } from "vitest";
import type { Inbox, Thread, Write } from "../../core/model.js";
import { threadsOf } from "../../core/reading/threads.js";
import { markerOf } from "../../core/writing/marker.js";
import { forbidden } from "../../core/write.js";
import { DEFAULTS } from "../loop/settings.js";
import { alice, bot, HEAD, inline, message, ours, OLD, run, snapshot, viewer } from "./building.js";

const inboxOf = (parts: Parameters<typeof snapshot>[0]): Inbox => {
  const of = snapshot(parts);
  const threads = threadsOf(of, { run: run(), ours, trust: DEFAULTS.trust });
  return { ...of, threads, signals: [], parties: [], unknownBots: [], notes: [] };
};
const base = { key: "k", why: "a test", preconditions: {} } as const;
const answer = (thread: { readonly id: string; readonly contentHash: string }) =>
  message(viewer, `It is meant so.\n${markerOf({ key: "k", thread: thread.id, contentHash: thread.contentHash })}`, 5);
const resolve = (thread: Thread | undefined, more: Partial<Write["preconditions"]> = {}): Write => ({
  ...base,
  kind: "resolve",
  thread: thread?.id ?? "",
  preconditions: more,
});

describe("resolve", () => {
  const asked = [message(alice, "Why?", 1)];
  const raised = inline(asked);
  const open = inboxOf({ reviewThreads: [raised] });
  const [unanswered] = open.threads;
  const done = unanswered === undefined ? open : inboxOf({ reviewThreads: [{ ...raised, messages: [...asked, answer(unanswered)] }] });

  test("only after the answer is visible", () => {
    expect(forbidden(resolve(unanswered), open)).toContain("only after its reply");
    expect(done.threads[0]?.answered).toBe(true);
    expect(forbidden(resolve(done.threads[0]), done)).toBeUndefined();
  });

  test("not where somebody wrote since it was read, nor on another pull request", () => {
    expect(forbidden(resolve(done.threads[0], { contentHash: "another" }), done)).toContain("somebody wrote");
    expect(forbidden({ ...base, kind: "resolve", thread: "T_elsewhere" }, done)).toContain("not on this pull request");
  });

  test("not when the head has moved, and not once it is merged", () => {
    expect(forbidden(resolve(done.threads[0], { head: OLD }), done)).toBe("the head has moved");
    expect(forbidden(resolve(done.threads[0], { head: HEAD }), done)).toBeUndefined();
    const merged = { ...done, pullRequest: { ...done.pullRequest, state: "merged" as const } };
    expect(forbidden(resolve(done.threads[0]), merged)).toBe("the pull request is merged");
  });
});

describe("hiding and editing", () => {
  const trigger = message(viewer, `@acme review\n${markerOf({ key: "request:acme:1" })}`, 1);
  const comments = [trigger, message(viewer, "@acme review", 2), message(alice, "@acme review", 3), message(bot("acme"), "Fine.", 4)];
  const inbox = inboxOf({ comments });

  test.each(["minimise", "edit-comment"] as const)(
    "%s is for our own posts: not a person's, not a bot's, not the account's own words",
    (kind) => {
      const may = comments.filter((comment) => {
        const write: Write =
          kind === "minimise"
            ? { ...base, kind, comment: comment.id, classifier: "OUTDATED" }
            : { ...base, kind, comment: comment.id, body: "x" };
        return forbidden(write, inbox) === undefined;
      });
      expect(may).toEqual([trigger]);
    },
  );
});
