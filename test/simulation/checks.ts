/** The rules, each held against what happened. A check has a name of its own and knows nothing of how the product works. */
import { exitOf, markersIn, matchesProtected, STOPS } from "../../core/index.js";
import type { Entry } from "../../core/index.js";
import { TRIGGERS } from "./voices.js";
import type { Day, Fact, FactOf } from "./facts.js";
import { FOLDER, SECRET } from "./judge.js";

export interface Violation {
  readonly check: string;
  readonly rule: number;
  readonly detail: string;
}
export interface Check {
  readonly name: string;
  /** Number of the rule in the design. */
  readonly rule: number;
  readonly holds: (day: Day) => readonly string[];
}

const worldOf = (day: Day): readonly FactOf<"world">[] => day.facts.filter((fact): fact is FactOf<"world"> => fact.is === "world");
const ours = (day: Day): readonly FactOf<"world">[] => worldOf(day).filter((fact) => fact.ours);
const posts = (day: Day): readonly { readonly body: string; readonly id: string; readonly at: number; readonly fact: FactOf<"world"> }[] =>
  ours(day).flatMap((fact) =>
    fact.event.type === "commented" || fact.event.type === "replied"
      ? [{ body: fact.event.body, id: fact.event.comment.id, at: fact.at, fact }]
      : [],
  );
const short = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 80);
const isBot = (day: Day, login: string): boolean => login.endsWith("-app") || day.bots.some((bot) => bot.voice.login === login);

/** The newest complete read of any process before this fact. */
const readBefore = (day: Day, index: number): Extract<FactOf<"read">, { ok: true }> | undefined => {
  for (let at = index - 1; at >= 0; at -= 1) {
    const fact = day.facts[at];
    if (fact?.is === "read" && fact.ok) return fact;
  }
  return undefined;
};

/** What comes after the rules: how one behaves in other people's pull requests. */
export const MANNERS = 18;

const check = (rule: number, name: string, holds: Check["holds"]): Check => ({ rule, name, holds });

/** Goes through the facts with a memory. */
const through = (day: Day, see: (fact: Fact, index: number, say: (problem: string) => void) => void): readonly string[] => {
  const found: string[] = [];
  for (const [index, fact] of day.facts.entries()) see(fact, index, (problem) => found.push(problem));
  return found;
};

const isFix = (thread: { readonly comments: readonly { readonly author: string }[] }): string => thread.comments[0]?.author ?? "";

export const CHECKS: readonly Check[] = [
  check(1, "nothing-written-on-an-incomplete-read", (day) => {
    const bad = new Set<number>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "read") {
        if (fact.ok) bad.delete(fact.process);
        else bad.add(fact.process);
      }
      if (fact.is === "sent" && bad.has(fact.process)) say(`${fact.writes[0]?.kind ?? "a write"} was sent although the last read failed`);
    });
  }),
  check(1, "an-incomplete-read-is-named", (day) => {
    const incomplete = new Set<number>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "read" && !fact.ok && fact.incomplete) incomplete.add(fact.process);
      if (fact.is === "end" && incomplete.has(fact.process) && !["incomplete-read", "aborted"].includes(fact.report.stop ?? ""))
        say(`the process whose read was incomplete ended as ${fact.report.stop ?? "parked"}`);
    });
  }),
  check(2, "met-only-if-it-is", (day) => {
    let unmet: readonly string[] = [];
    return through(day, (fact, _index, say) => {
      if (fact.is === "read" && fact.ok) unmet = fact.picture.unmet;
      if (fact.is === "end" && fact.report.stop === "met" && unmet.length > 0) say(`met, although: ${unmet.join("; ")}`);
    });
  }),
  check(5, "asked-once-per-head", (day) => {
    const asked = new Set<string>();
    return through(day, (fact, _index, say) => {
      if (fact.is !== "world" || !fact.ours) return;
      const { event } = fact;
      const bot =
        event.type === "review-requested"
          ? event.login
          : event.type === "commented"
            ? TRIGGERS.find((trigger) => event.body.toLowerCase().includes(trigger))
            : undefined;
      if (bot === undefined) return;
      const key = `${bot} for ${fact.head.slice(0, 10)}`;
      if (asked.has(key)) say(`asked ${key} twice`);
      asked.add(key);
    });
  }),
  check(5, "only-who-takes-part-is-asked", (day) =>
    ours(day).flatMap(({ event, at }) => {
      const bot = day.bots.find((each) =>
        event.type === "review-requested"
          ? event.login === each.voice.login
          : event.type === "commented" && event.body.startsWith(each.voice.trigger ?? "\0"),
      );
      if (bot === undefined) return [];
      const seen = bot.plan.present || worldOf(day).some((other) => other.event.actor === bot.voice.login && other.at <= at);
      return seen || day.plan.required ? [] : [`${bot.voice.login} was asked and never seen`];
    }),
  ),
  check(5, "a-trigger-is-only-the-mention", (day) =>
    posts(day).flatMap(({ body }) => {
      const trigger = TRIGGERS.find((each) => body.startsWith(each));
      return trigger === undefined || body.replace(/<!--[\s\S]*?-->/g, "").trim() === trigger
        ? []
        : [`a trigger with more in it: ${short(body)}`];
    }),
  ),
  check(6, "resolved-only-after-a-visible-reply", (day) =>
    through(day, (fact, index, say) => {
      if (fact.is !== "world" || !fact.ours || fact.event.type !== "resolved") return;
      const { thread } = fact.event;
      const read = readBefore(day, index);
      if (read === undefined || read.picture.unanswered.has(thread.id))
        say(`resolved without a reply that was read back: ${short(thread.comments[0]?.body ?? "")}`);
    }),
  ),
  check(6, "only-green-trees-are-pushed", (day) => {
    const green = new Set<string>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "gate") {
        if (fact.green) green.add(fact.tree);
        else green.delete(fact.tree);
      }
      if (fact.is !== "world" || !fact.ours || fact.event.type !== "pushed" || day.plan.gate === "off") return;
      const tree = day.world.git.commit(day.pullRequest.repository, fact.event.after)?.tree ?? "";
      if (!green.has(tree)) say(`pushed ${fact.event.after.slice(0, 10)}, whose tree no gate found green`);
    });
  }),
  check(6, "no-gate-no-push", (day) =>
    day.plan.gate === "none" || day.plan.gate === "missing"
      ? ours(day).flatMap(({ event }) => (event.type === "pushed" ? ["pushed without a gate"] : []))
      : [],
  ),
  check(6, "pushed-onto-the-head-that-was-read", (day) =>
    through(day, (fact, index, say) => {
      if (fact.is !== "world" || !fact.ours || fact.event.type !== "pushed") return;
      const read = readBefore(day, index);
      if (fact.event.before !== read?.picture.head) say("pushed onto a head that was never read");
    }),
  ),
  check(7, "a-persons-thread-stays-open", (day) =>
    ours(day).flatMap(({ event }) => {
      if (event.type !== "resolved" || day.plan.peopleResolve === "after-reply") return [];
      return isBot(day, isFix(event.thread)) ? [] : [`a thread of ${isFix(event.thread)}'s was resolved`];
    }),
  ),
  check(7, "others-words-are-never-touched", (day) =>
    ours(day).flatMap(({ event }) => {
      if (event.type === "dismissed") return ["a review was dismissed"];
      if (event.type === "comment-deleted") return ["a comment was deleted"];
      if ((event.type === "minimised" || event.type === "edited") && event.subject.author !== day.viewer)
        return [`${event.type}: a post of ${event.subject.author}'s`];
      if (
        event.type === "minimised" &&
        event.subject.kind === "issue-comment" &&
        !TRIGGERS.some((trigger) => event.subject.body.startsWith(trigger))
      )
        return [`hidden: ${short(event.subject.body)}`];
      return [];
    }),
  ),
  check(8, "judgment-gets-no-write", (day) => {
    const judged = new Map<string, string>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "lost-journal") judged.clear();
      if (fact.is === "entry" && fact.entry.type === "decision") judged.set(fact.entry.thread, fact.entry.decision.kind);
      if (fact.is !== "world" || !fact.ours) return;
      const { event } = fact;
      if ((event.type === "replied" || event.type === "resolved") && judged.get(event.thread.id) === "judgment")
        say(`${event.type}: ${short(event.thread.comments[0]?.body ?? "")}`);
    });
  }),
  check(9, "no-post-twice", (day) => {
    const seen = new Map<string, string>();
    return through(day, (fact, _index, say) => {
      if (fact.is !== "world") return;
      const { event } = fact;
      // Whoever deletes an answer gets it again: nothing shows that it was there.
      if (event.type === "comment-deleted") for (const [key, id] of seen) if (id === event.subject.id) seen.delete(key);
      if (!fact.ours || (event.type !== "commented" && event.type !== "replied")) return;
      for (const { key } of markersIn(event.body)) {
        if (seen.has(key) && seen.get(key) !== event.comment.id) say(`two posts have the key ${key}`);
        seen.set(key, event.comment.id);
      }
    });
  }),
  check(9, "no-reply-twice", (day) => {
    const last = new Map<string, string>();
    let unread = new Set<string>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "read" && fact.ok) unread = new Set();
      if (fact.is !== "world") return;
      const { event } = fact;
      if (event.type === "edited" || event.type === "comment-deleted") {
        last.clear();
        if (event.subject.kind === "review-comment") unread.add(event.subject.thread);
      }
      if (event.type !== "replied") return;
      const thread = event.thread.id;
      if (fact.ours && last.get(thread) === day.viewer) say(`two replies in a row: ${short(event.body)}`);
      if (event.body.startsWith("Acknowledged")) return;
      // Somebody wrote between our read and our reply: that is still to be answered.
      last.set(thread, fact.ours && !unread.has(thread) ? day.viewer : "somebody else");
      if (!fact.ours) unread.add(thread);
    });
  }),
  check(9, "intent-before-the-act", (day) => {
    const intended = new Set<string>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "entry" && fact.entry.type === "intent") intended.add(fact.entry.write.key);
      if (fact.is === "sent")
        for (const write of fact.writes) if (!intended.has(write.key)) say(`${write.kind} was sent before its intent was on disk`);
    });
  }),
  check(9, "no-key-is-sent-twice", (day) => {
    const done = new Set<string>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "entry" && fact.entry.type === "result" && fact.entry.result.state === "done") done.add(fact.entry.key);
      if (fact.is === "lost-journal") done.clear();
      if (fact.is === "sent")
        for (const write of fact.writes) if (done.has(write.key)) say(`${write.key} was sent again after it was done`);
    });
  }),
  check(9, "the-journal-is-ended", (day) => {
    if (day.last === undefined || day.last.stop === "aborted" || day.last.error !== undefined) return [];
    const open = new Map<string, Entry>();
    for (const entry of day.journal) {
      if (entry.type === "intent") open.set(entry.write.key, entry);
      if (entry.type === "result") open.delete(entry.key);
    }
    return [...open.keys()].map((key) => `the fate of ${key} is not in the journal`);
  }),
  check(10, "one-writer", (day) => {
    const running = new Set<number>();
    const strangers = new Set<number>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "start" && fact.beside) {
        if (running.size > 0) strangers.add(fact.process);
      } else if (fact.is === "start" && !fact.looking) running.add(fact.process);
      if (fact.is === "end" || fact.is === "killed" || fact.is === "threw") running.delete(fact.process);
      if (fact.is === "sent" && strangers.has(fact.process)) say("a second process wrote beside the first");
      if (fact.is === "end" && strangers.has(fact.process) && fact.report.error?.code !== "LEASE_HELD")
        say(`a second process was let in, and ended as ${fact.report.stop ?? "parked"}`);
    });
  }),
  check(11, "no-force-push", (day) =>
    ours(day).flatMap(({ event }) => (event.type === "pushed" && event.forced && day.plan.sync !== "rebase" ? ["a force push"] : [])),
  ),
  check(11, "only-what-a-fix-changed-is-pushed", (day) =>
    ours(day).flatMap(({ event }) => {
      if (event.type !== "pushed" || event.before === undefined) return [];
      const repository = day.pullRequest.repository;
      const paths = day.world.git.changedFiles(repository, event.before, event.after).map((file) => file.path);
      return paths.flatMap((path) => {
        if (matchesProtected(path, [".github/workflows/**"])) return [`pushed the protected path ${path}`];
        if (path.startsWith("coverage/")) return [`pushed a leftover of the gate: ${path}`];
        return /^(src|lib)\/[abc]\.ts$/.test(path) || day.plan.sync !== "none" ? [] : [`pushed ${path}, which no fix changed`];
      });
    }),
  ),
  check(12, "no-secret-leaves", (day) => [
    ...posts(day).flatMap(({ body }) => (body.includes(SECRET) ? [`posted: ${short(body)}`] : [])),
    ...day.facts.flatMap((fact) =>
      fact.is === "entry" && JSON.stringify(fact.entry).includes(SECRET) ? [`in the journal: ${fact.entry.type}`] : [],
    ),
    ...day.facts.flatMap((fact) => (fact.is === "end" && JSON.stringify(fact.report).includes(SECRET) ? ["in the report"] : [])),
  ]),
  check(13, "a-strangers-words-cause-nothing", (day) =>
    day.facts.flatMap((fact) => {
      if (fact.is !== "entry" || fact.entry.type !== "work") return [];
      return fact.entry.fixed.flatMap((fix) => {
        const thread = day.pullRequest.threads.find((each) => each.id === fix.thread);
        return thread?.comments[0]?.author === "mallory" ? ["an edit because of a stranger's words"] : [];
      });
    }),
  ),
  check(14, "bounded", (day) => [
    ...day.facts.flatMap((fact) => (fact.is === "hung" ? [fact.why] : [])),
    ...day.pullRequest.threads.flatMap((thread) => {
      const replies = thread.comments.filter((comment) => comment.author === day.viewer && markersIn(comment.body).length > 0).length;
      return replies > day.plan.limits.replies ? [`${replies} replies in one thread`] : [];
    }),
  ]),
  check(15, "what-leaves-is-harmless", (day) =>
    posts(day).flatMap(({ body }) => {
      const text = body.replaceAll(/<!--[\s\S]*?-->/g, "");
      const isTrigger = TRIGGERS.some((trigger) => body.startsWith(trigger));
      if (!isTrigger && TRIGGERS.some((trigger) => body.toLowerCase().includes(trigger))) return [`a trigger by accident: ${short(body)}`];
      if (/\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\s+#\d/i.test(text)) return [`a closing keyword: ${short(body)}`];
      if (body.includes(`${FOLDER}/`)) return [`a local path: ${short(body)}`];
      if (/^\/review/m.test(text)) return [`a command: ${short(body)}`];
      return [];
    }),
  ),
  check(15, "a-claimed-fix-is-pushed", (day) => {
    const pushed = new Set<string>();
    return through(day, (fact, _index, say) => {
      if (fact.is !== "world") return;
      if (fact.event.type === "pushed")
        for (const commit of day.world.git.commitsBetween(
          day.pullRequest.repository,
          fact.event.before ?? day.pullRequest.base.sha,
          fact.event.after,
        ))
          pushed.add(commit.slice(0, 10));
      if (!fact.ours || (fact.event.type !== "replied" && fact.event.type !== "commented")) return;
      for (const claim of fact.event.body.matchAll(/\bFixed in ([0-9a-f]{10})\b/g))
        if (!pushed.has(claim[1] ?? "")) say(`claims a fix in ${claim[1] ?? ""}, which was not pushed`);
    });
  }),
  check(17, "handed-over-only-when-it-is-ready", (day) =>
    through(day, (fact, index, say) => {
      if (fact.is !== "world" || !fact.ours || fact.event.type !== "ready") return;
      const held = readBefore(day, index)?.picture.notReady ?? ["nothing was read"];
      if (held.length > 0) say(`handed over, although: ${held.join("; ")}`);
    }),
  ),
  check(9, "one-issue-for-what-is-left", (day) => {
    const opened = ours(day).filter(({ event }) => event.type === "issue-opened");
    if (opened.length > 1) return [`${opened.length} issues for what is left`];
    if (opened.length === 1 && day.plan.handover.followUp === false) return ["an issue that nobody asked for"];
    const bodies = opened.flatMap(({ event }) => (event.type === "issue-opened" ? [event.issue.body] : []));
    return bodies.flatMap((body) => (body.includes("- [ ] ") ? [] : ["an issue for nothing that is left"]));
  }),
  check(16, "always-one-stop-and-one-report", (day) =>
    through(day, (fact, index, say) => {
      if (fact.is === "threw") say(`the run threw: ${fact.problem}`);
      if (fact.is !== "end") return;
      const { stop, error } = fact.report;
      if (stop !== null && !STOPS.includes(stop)) say(`no such stop: ${stop}`);
      if (error?.code === "INTERNAL") say(`an error of the program: ${error.message}`);
      if (![0, 1, 2, 3, 4, 130].includes(exitOf(stop))) say(`no such exit: ${exitOf(stop)}`);
      const stops = day.facts
        .slice(0, index)
        .filter((other) => other.is === "entry" && other.process === fact.process && other.entry.type === "stop");
      const started = day.facts.find((other) => other.is === "start" && other.process === fact.process);
      const writes = started?.is === "start" && !started.looking;
      if (writes && error === undefined && stops.length !== (stop === null ? 0 : 1))
        say(`${stops.length} stops in the journal of a process that ended as ${stop ?? "parked"}`);
      if (stop !== null && stop !== "met" && stop !== "report-only" && fact.report.detail === "") say(`${stop} without a word why`);
    }),
  ),
  check(16, "a-failure-comes-from-outside", (day) =>
    day.facts.flatMap((fact) => {
      if (fact.is !== "end" || fact.report.stop !== "failed") return [];
      const { error } = fact.report;
      // The only thing here that can fail by itself is a gate that is not installed.
      return error?.code === "COMMAND_NOT_STARTED" && day.plan.gate === "missing"
        ? []
        : [`failed: ${error?.code ?? ""} ${error?.message ?? fact.report.detail}`];
    }),
  ),
  check(16, "a-look-writes-nothing", (day) => {
    const looking = new Set<number>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "start" && (fact.looking || !fact.approved)) looking.add(fact.process);
      if (fact.is === "sent" && looking.has(fact.process))
        say(`${fact.writes[0]?.kind ?? "a write"} was sent by a process that may only look`);
    });
  }),
  check(16, "nothing-after-the-end", (day) => {
    const ended = new Set<number>();
    return through(day, (fact, _index, say) => {
      if (fact.is === "end" || fact.is === "killed") ended.add(fact.process);
      if ((fact.is === "sent" || fact.is === "entry") && ended.has(fact.process)) say(`process ${fact.process} acted after its end`);
    });
  }),
  check(6, "only-known-acts", (day) => {
    const known = new Set([
      "commented",
      "replied",
      "resolved",
      "minimised",
      "review-requested",
      "pushed",
      "edited",
      "ready",
      "reviewed",
      "issue-opened",
    ]);
    return ours(day).flatMap(({ event }) => (known.has(event.type) ? [] : [`did: ${event.type}`]));
  }),
  check(MANNERS, "only-ones-own-pull-request-is-pushed-to", (day) =>
    day.plan.pushAny || day.plan.viewer === "author" || day.plan.viewer === "bot"
      ? []
      : ours(day).flatMap(({ event }) => (event.type === "pushed" ? [`${day.viewer} pushed to somebody else's pull request`] : [])),
  ),
  check(17, "ready-only-with-the-settle-window-over", (day) => {
    let wrote = -Infinity;
    return through(day, (fact, _index, say) => {
      // When we wrote last stands in the journal only.
      if (fact.is === "lost-journal") wrote = -Infinity;
      if (fact.is === "world" && fact.ours) wrote = fact.at;
      if (fact.is === "end" && fact.report.stop === "met" && fact.at - wrote < day.plan.settle - 2_000)
        say(`met ${fact.at - wrote} ms after the last write`);
    });
  }),
];

export const violationsOf = (day: Day): readonly Violation[] =>
  CHECKS.flatMap((each) => [...new Set(each.holds(day))].map((detail) => ({ check: each.name, rule: each.rule, detail })));
