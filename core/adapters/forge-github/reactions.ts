/** Reactions on their way to being complete: each emoji of each thing is a list of its own. */
import type { Reaction } from "../../model.js";
import { assertGoesOn, Incomplete, present } from "./gathered.js";
import { normalised } from "./snapshot.js";
import type { WireReacted, WireReactions } from "./wire.js";

const CONTENTS: Readonly<Record<string, Reaction["content"]>> = {
  THUMBS_UP: "+1",
  THUMBS_DOWN: "-1",
  LAUGH: "laugh",
  CONFUSED: "confused",
  HEART: "heart",
  HOORAY: "hooray",
  ROCKET: "rocket",
  EYES: "eyes",
};

/** A list that goes on. */
export interface MoreReactors {
  readonly on: string;
  readonly content: string;
  readonly cursor: string;
}

class Reactors {
  cursor: string | null = null;
  more = false;
  private readonly found = new Map<string, Reaction>();

  /** Counts are not held against it: they may include accounts that GitHub does not show, and less than all approves nothing. */
  take(on: string, { content, reactors }: WireReactions): void {
    const part = `reactions ${content} to ${on}`;
    const page = present(reactors, part);
    const edges = present(page.edges, part).map((edge) => present(edge, `${part}, one entry`));
    const info = present(page.pageInfo, `${part}, page information`);
    assertGoesOn(part, { entries: edges.length, more: info.hasNextPage, cursor: info.endCursor, before: this.cursor });
    for (const { reactedAt, node } of edges) {
      const known = CONTENTS[content];
      const { __typename: type, login, databaseId } = present(node, `${part}, who`);
      // An emoji of a later day says nothing to us.
      if (known === undefined) continue;
      this.found.set(`${type} ${login}`, {
        on,
        content: known,
        login: normalised(login),
        // Nobody can choose a name with this ending.
        bot: type === "Bot" || login.endsWith("[bot]"),
        ...(databaseId === null || databaseId === undefined ? {} : { account: databaseId }),
        at: Date.parse(reactedAt),
      });
    }
    this.more = info.hasNextPage;
    this.cursor = info.endCursor ?? this.cursor;
  }

  get all(): readonly Reaction[] {
    return [...this.found.values()];
  }
}

/** Times are whole seconds; within one the order is a fixed one. */
const byTime = (a: Reaction, b: Reaction): number => {
  const [one, other] = [a, b].map(({ on, content, login }) => `${on} ${content} ${login}`) as [string, string];
  return a.at - b.at || (one < other ? -1 : 1);
};

export class Reactions {
  private readonly lists = new Map<string, Map<string, Reactors>>();

  /** Takes what came along with the thing itself; what was known of it is read anew. */
  meet(on: string, { reactionGroups }: WireReacted): void {
    const lists = new Map<string, Reactors>();
    this.lists.set(on, lists);
    if (reactionGroups === undefined) return;
    for (const group of present(reactionGroups, `reactions to ${on}`)) {
      const list = new Reactors();
      list.take(on, group);
      lists.set(group.content, list);
    }
  }

  /** Lists that go on, at most so many. */
  more(most: number): readonly MoreReactors[] {
    const all = [...this.lists].flatMap(([on, lists]) =>
      [...lists].flatMap(([content, { more, cursor }]) => (more && cursor !== null ? [{ on, content, cursor }] : [])),
    );
    return all.slice(0, most);
  }

  /** The next page of one list. The other emojis in the answer are from another place of theirs. */
  takeMore({ on, content }: MoreReactors, answer: (WireReacted & { readonly id?: string }) | null | undefined): void {
    const found = present(answer, `reactions to ${on}`);
    if (found.id !== on) throw new Incomplete(`reactions to ${on}`, "GitHub answered for another one");
    const group = present(found.reactionGroups, `reactions to ${on}`).find((each) => each.content === content);
    this.lists
      .get(on)
      ?.get(content)
      ?.take(on, present(group, `reactions ${content} to ${on}`));
  }

  /** To these things, oldest first. */
  to(ids: readonly string[]): readonly Reaction[] {
    return ids.flatMap((id) => [...(this.lists.get(id)?.values() ?? [])].flatMap((list) => list.all)).toSorted(byTime);
  }
}
