/** Commits made of a tree and a parent, under the name of the user whose clone or machine this is. */
import type { CommitPlan, Instant, Sha, Tree } from "../../model.js";
import { gitFailed, lineOf, objectId, wordsOf, type Place, type RunGit } from "./command.js";

export interface Person {
  readonly name: string;
  readonly email: string;
  /** Git's own form: seconds and offset. */
  readonly date?: string;
}

export interface Identity {
  readonly author: Person;
  readonly committer: Person;
}

/** `Name <mail> seconds offset`. A name may hold anything but angle brackets. */
export const parsePerson = (line: string): Person | undefined => {
  const found = /^(.*?) ?<([^<>]*)>(?: (\d+ [+-]\d{4}))?$/s.exec(line);
  return found === null
    ? undefined
    : { name: found[1] ?? "", email: found[2] ?? "", ...(found[3] === undefined ? {} : { date: found[3] }) };
};

/** Who the user is for git in this repository (its config, then the global one). Throws `GIT_FAILED` where nobody was named. */
export const identityIn = async (run: RunGit, place: Place, signal: AbortSignal | undefined): Promise<Identity> => {
  const ask = async (variable: string): Promise<Person> => {
    const output = await run(place, { args: ["var", variable], answers: "any", signal });
    const person = output.code === 0 ? parsePerson(lineOf(output)) : undefined;
    if (person !== undefined && person.name !== "" && person.email !== "") return { name: person.name, email: person.email };
    throw gitFailed(
      "commit",
      `no name and address for commits is configured${output.code === 0 ? "" : ` (${wordsOf(output.stderr).split("\n").at(-1) ?? ""})`}`,
      'Run git config --global user.name "..." and git config --global user.email "...".',
    );
  };
  return { author: await ask("GIT_AUTHOR_IDENT"), committer: await ask("GIT_COMMITTER_IDENT") };
};

export const messageOf = (plan: CommitPlan): string => {
  const subject = plan.subject.replaceAll("\0", "").split(/\r?\n/).join(" ").trim();
  const body = plan.body?.replaceAll("\0", "").replaceAll("\r\n", "\n").trim() ?? "";
  return body === "" ? `${subject}\n` : `${subject}\n\n${body}\n`;
};

export interface NewCommit {
  readonly tree: Tree;
  readonly parents: readonly Sha[];
  readonly message: string | Uint8Array;
  readonly identity: Identity;
  readonly now: Instant;
}

/** Makes the commit object and nothing else: no hook, no ref, no index. */
export const writeCommit = async (run: RunGit, place: Place, commit: NewCommit, signal: AbortSignal | undefined): Promise<Sha> => {
  const { author, committer } = commit.identity;
  // The sign makes git take any number for seconds, early years of a simulation included.
  const dated = (person: Person): string => `@${person.date ?? `${Math.floor(commit.now / 1000)} +0000`}`;
  const output = await run(place, {
    args: ["commit-tree", objectId(commit.tree), ...commit.parents.flatMap((parent) => ["-p", objectId(parent)]), "-F", "-"],
    input: commit.message,
    environment: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: dated(author),
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: dated(committer),
    },
    signal,
  });
  return objectId(lineOf(output));
};
