/** What the cases ask the server, in its own words. */
import type { Stand } from "./stand.js";

interface Answer {
  readonly data?: { readonly repository?: { readonly pullRequest?: unknown } | null } | null;
  readonly errors?: readonly { readonly type?: string; readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** Fields of the pull request. */
export const pull = async ({ client, scene }: Stand, fields: string): Promise<unknown> => {
  const { owner, name, number } = scene.pullRequestRef;
  const { answer } = await client.graphql(
    `{ repository(owner: "${owner}", name: "${name}") { pullRequest(number: ${number}) { ${fields} } } }`,
  );
  const { data, errors } = answer as Answer;
  return errors === undefined ? data?.repository?.pullRequest : { ...errorsOf(answer), pullRequest: data?.repository?.pullRequest };
};

export const errorsOf = (answer: unknown): { readonly errors: readonly string[] } => ({
  errors: ((answer as Answer | undefined)?.errors ?? []).map((error) => error.type ?? error.extensions?.code ?? "fault of the server"),
});

/** A comment: how it was answered, and how often it stands there. */
export const comment = async ({ client, scene }: Stand): Promise<unknown> => {
  const before = scene.pullRequest.comments.length;
  const answered = await client
    .rest(`/repos/ada/shop/issues/7/comments`, { method: "POST", body: { body: "A word" } })
    .then(({ status }) => status)
    .catch(() => "broken");
  return { answered, posted: scene.pullRequest.comments.length - before };
};

/** Any read, twice. */
export const reads = async ({ client }: Stand): Promise<unknown> => {
  const one = async () => {
    const { status, answer } = await client.graphql("{ viewer { login } }");
    return { status, ...errorsOf(answer) };
  };
  return [await one(), await one()];
};

/** All threads resolved in one request: how it was answered, and which of them are. */
export const resolveAll = async ({ client, scene }: Stand): Promise<unknown> => {
  const { threads } = scene.pullRequest;
  const parts = threads.map(
    (thread, index) => `t${index}: resolveReviewThread(input: { threadId: "${thread.id}" }) { thread { isResolved } }`,
  );
  const { status, answer } = await client.graphql(`mutation { ${parts.join(" ")} }`);
  return { status, ...errorsOf(answer), resolved: threads.map((thread) => thread.resolved) };
};

export const THREADS = "reviewThreads(first: 100) { totalCount }";
