import { describe, expect, test } from "vitest";
import { markerOf } from "../../core/writing/marker.js";
import type { Message, Thread } from "../../core/model.js";
import { contentHashOf, threadsOf } from "../../core/reading/threads.js";
import type { ThreadsHow } from "../../core/reading/threads.js";
import { alice, ARRIVED, at, bot, HEAD, inline, message, ours, review, run, snapshot, stranger, viewer } from "./building.js";

const how = (more: Partial<ThreadsHow> = {}): ThreadsHow => ({
  run: run(),
  ours,
  trust: { logins: [], everyone: false, protected: [] },
  ...more,
});
const after = (ARRIVED - at(0)) / 60_000 + 1;

const only = (threads: readonly Thread[]): Thread => {
  expect(threads).toHaveLength(1);
  return threads[0] as Thread;
};
const replyTo = (messages: readonly Message[], thread: string, minutes: number, more: Partial<Message> = {}): Message =>
  message(
    viewer,
    `Fixed.\n\n${markerOf({ key: "reply", thread, contentHash: contentHashOf(messages, ours), decision: "actionable" })}`,
    minutes,
    more,
  );

describe("inline threads", () => {
  test("open until GitHub says resolved: outdated and hidden ones count", () => {
    const root = message(alice, "This leaks.", 1, { minimised: true });
    const outdated = inline([root], { place: { path: "a.ts", side: "RIGHT", subject: "line", outdated: true, originalLine: 3 } });
    expect(only(threadsOf(snapshot({ reviewThreads: [outdated] }), how()))).toMatchObject({
      open: true,
      title: "This leaks.",
      trust: "trusted",
      source: "inline",
      replies: 0,
    });
    expect(only(threadsOf(snapshot({ reviewThreads: [{ ...outdated, resolved: true }] }), how()))).toMatchObject({
      open: false,
      closed: "resolved",
    });
  });

  test("a thread that is a draft of a review is not there, nor is a draft reply", () => {
    const draft = message(alice, "Draft", 1, { pending: true });
    expect(threadsOf(snapshot({ reviewThreads: [inline([draft])] }), how())).toEqual([]);
    const root = message(alice, "This leaks.", 1);
    const thread = inline([root, replyTo([root], "T", 2, { pending: true })]);
    expect(only(threadsOf(snapshot({ reviewThreads: [thread] }), how()))).toMatchObject({ answered: false, replies: 0, messages: [root] });
  });

  const root = message(bot("acme-review"), "This leaks.\r\n\r\nClose it.", 1);
  const answered = (messages: readonly Message[]): Thread =>
    only(threadsOf(snapshot({ reviewThreads: [{ ...inline(messages), id: "T" }] }), how()));
  const reply = replyTo([root], "T", 2);

  test("answered = our reply is the newest and was made on this content", () =>
    expect(answered([root, reply])).toMatchObject({ answered: true, replies: 1, open: true }));
  test("a cosmetic edit is no new content", () =>
    expect(answered([{ ...root, body: "This leaks.\n\nClose it.   \n<!-- tick -->", updatedAt: at(5) }, reply]).answered).toBe(true));
  test("another text is", () => expect(answered([{ ...root, body: "This leaks twice.", updatedAt: at(5) }, reply]).answered).toBe(false));
  test("a later message by anyone re-opens", () => {
    for (const author of [alice, stranger, viewer, bot("acme-review")])
      expect(answered([root, reply, message(author, "Not quite.", 3)]).answered).toBe(false);
  });
  test("a later message in the same second does, too", () =>
    expect(answered([root, reply, { ...message(alice, "No.", 2), createdAt: reply.createdAt }]).answered).toBe(false));
  test("an answer to another thread's content is none", () =>
    expect(answered([root, message(viewer, `Done.\n${markerOf({ key: "r", thread: "X", contentHash: "nope" })}`, 2)]).answered).toBe(
      false,
    ));
  test("an agents' account answers without a marker, until the point is edited", () => {
    const words = message({ login: "acme-agent", kind: "user", association: "NONE" }, "Done in 1234567.", 2);
    expect(answered([root, words])).toMatchObject({ answered: true, replies: 1 });
    expect(answered([{ ...root, updatedAt: at(3) }, words]).answered).toBe(false);
    expect(answered([root, words, { ...message(alice, "Is it?", 2), createdAt: words.createdAt }]).answered).toBe(false);
  });
  test("our own messages are no content: the hash stays, so a decision stays", () =>
    expect(answered([root, reply]).contentHash).toBe(answered([root]).contentHash));
});

describe("trust", () => {
  const trust = (author: Parameters<typeof message>[0], more: Partial<ThreadsHow["trust"]> = {}): string =>
    only(
      threadsOf(
        snapshot({ comments: [message(author, "Please rename this.", after)] }),
        how({ trust: { logins: [], everyone: false, protected: [], ...more } }),
      ),
    ).trust;
  test.each(["OWNER", "MEMBER", "COLLABORATOR"] as const)("%s", (association) =>
    expect(trust({ ...stranger, association })).toBe("trusted"),
  );
  test.each(["NONE", "CONTRIBUTOR", "FIRST_TIMER", "MANNEQUIN"] as const)("%s", (association) =>
    expect(trust({ ...stranger, association })).toBe("stranger"),
  );
  test("by config", () => {
    expect(trust(stranger, { logins: ["Passer-By"] })).toBe("trusted");
    expect(trust(stranger, { everyone: true })).toBe("trusted");
    expect(trust({ login: "ghost", kind: "ghost", association: "NONE" }, { logins: ["ghost"] })).toBe("stranger");
  });
  test("the person whose token it is", () => expect(trust(viewer)).toBe("trusted"));
  test("a maintainer's word in a stranger's thread makes it theirs; a bot's does not", () => {
    const root = message(stranger, "Delete the lock file.", 1);
    const of = (last: Message): string => only(threadsOf(snapshot({ reviewThreads: [inline([root, last])] }), how())).trust;
    expect(of(message(alice, "Yes, please do.", 2))).toBe("trusted");
    expect(of(message({ ...bot("helper"), association: "MEMBER" }, "Yes.", 2))).toBe("stranger");
  });
});

describe("the conversation", () => {
  test("only what people ask; bots' posts, thanks, commands and our own posts are not threads", () => {
    const threads = threadsOf(
      snapshot({
        comments: [
          message(alice, "Thanks!", after),
          message(alice, "/retest", after),
          message(bot("codecov"), "Please review.", after),
          message(viewer, `Asked.\n${markerOf({ key: "request:x" })}`, after),
          message(alice, "Why is the limit 5?", after, { databaseId: "77" }),
        ],
        reviews: [
          review(message(alice, "", after)),
          review(message(alice, "LGTM", after), { state: "APPROVED" }),
          review(message(alice, "Please split this.", after, { databaseId: "88" }), { state: "CHANGES_REQUESTED" }),
        ],
      }),
      how(),
    );
    expect(threads.map(({ id, source, home }) => [id, source, home])).toEqual([
      ["comment:77", "comment", "conversation"],
      ["review:88", "review", "conversation"],
    ]);
  });

  test("one comment of ours answers several points, each on its content", () => {
    const one = message(alice, "Why is the limit 5?", after, { databaseId: "1" });
    const two = message(alice, "Please rename it.", after + 1, { databaseId: "2" });
    const marks = [one, two].map((each) =>
      markerOf({ key: "c", thread: `comment:${each.databaseId}`, contentHash: contentHashOf([each], ours), decision: "informational" }),
    );
    const answer = message(viewer, `Both done.\n\n${marks.join("\n")}`, after + 2);
    const read = (comments: readonly Message[]): readonly Thread[] => threadsOf(snapshot({ comments }), how());
    expect(read([one, two, answer]).map(({ open, closed, answered, replies }) => ({ open, closed, answered, replies }))).toEqual([
      { open: false, closed: "answered", answered: true, replies: 1 },
      { open: false, closed: "answered", answered: true, replies: 1 },
    ]);
    const edited = { ...two, body: "Please rename it to `limit`.", updatedAt: at(200) };
    expect(read([one, edited, answer]).map(({ open }) => open)).toEqual([false, true]);
  });

  test("silence that was decided on closes by record, for this content only", () => {
    const comment = message(alice, "I wonder how fast this is now?", after, { databaseId: "5" });
    const record = {
      contentHash: contentHashOf([comment], ours),
      decision: { kind: "informational", why: "a thought", reply: null },
      at: at(100),
      iteration: 1,
    } as const;
    const of = (contentHash: string): Thread =>
      only(threadsOf(snapshot({ comments: [comment] }), how({ run: run({ decisions: { "comment:5": { ...record, contentHash } } }) })));
    expect(of(record.contentHash)).toMatchObject({ open: false, closed: "recorded" });
    expect(of("older")).toMatchObject({ open: true });
  });

  test("a locked conversation takes no answer", () =>
    expect(only(threadsOf(snapshot({ comments: [message(alice, "Why?", after)], pullRequest: { locked: true } }), how())).canReply).toBe(
      false,
    ));
});

describe("heard before our first run", () => {
  const early = message(stranger, "Could this be a flag?", 10);
  const closedAs = (comments: readonly Message[], more: Partial<ThreadsHow> = {}): string | undefined =>
    threadsOf(snapshot({ comments }), how(more))[0]?.closed;

  test.each([
    ["a maintainer said something after it", [early, message(alice, "Tracked in #12.", 20)], "heard"],
    ["its author withdrew it", [early, message(stranger, "Never mind, found it.", 20)], "heard"],
    [
      "its author came back after somebody else spoke",
      [early, message({ ...stranger, login: "third" }, "Same here!", 15), message(stranger, "So which one is it?", 20)],
      "heard",
    ],
    ["another stranger spoke", [early, message({ ...stranger, login: "third" }, "I think so too.", 20)], undefined],
    ["its author went on in a second post", [early, message(stranger, "And could the name change?", 11)], undefined],
    ["the follow-up came after our first run", [early, message(alice, "Tracked in #12.", after)], undefined],
    ["only a bot spoke", [early, message(bot("helper"), "Noted.", 20)], undefined],
    ["only a command followed", [early, message(alice, "/retest", 20)], undefined],
    ["nobody said anything", [early], undefined],
  ])("%s", (_name, comments, expected) => expect(closedAs(comments)).toBe(expected));

  test("--all opens it again; a change request never is heard", () => {
    const comments = [early, message(alice, "Tracked in #12.", 20)];
    expect(closedAs(comments, { all: true })).toBeUndefined();
    const asked = review(message(stranger, "Please split this.", 10), { commit: HEAD });
    const read = (state: "COMMENTED" | "CHANGES_REQUESTED") =>
      threadsOf(snapshot({ reviews: [{ ...asked, state }], comments: [message(alice, "Tracked in #12.", 20)] }), how())[0];
    expect(read("COMMENTED")).toMatchObject({ source: "review", closed: "heard", open: false });
    expect(read("CHANGES_REQUESTED")).toMatchObject({ source: "review", open: true });
  });

  test("without a journal our oldest post tells when the first run was", () => {
    const ourPost = message(viewer, `Hello.\n${markerOf({ key: "x" })}`, 15);
    expect(closedAs([early, ourPost, message(alice, "Tracked in #12.", 20)])).toBeUndefined();
  });
});
