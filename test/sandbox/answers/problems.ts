/** What of given answers does not fit, each problem once. */
import { createHash } from "node:crypto";
import type { AnswerNotice } from "../../../sandbox/server/answers.js";
import { loadSchema } from "../../../sandbox/server/graphql/schema.js";
import { graphqlProblems } from "./graphql.js";
import { restProblems } from "./rest.js";

/** The same answer comes again and again: it is looked at once. */
const seen = new Set<string>();

const isNew = ({ method, path, status, asked, body, accept, contentType }: AnswerNotice): boolean => {
  const key = createHash("sha1")
    .update(JSON.stringify([method, path, status, asked, body, accept, contentType]))
    .digest("base64");
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const problemsOf = async (answers: readonly AnswerNotice[]): Promise<readonly string[]> => {
  const problems = new Set<string>();
  for (const answer of answers) {
    if (answer.service === "git" || answer.unknown.length > 0 || !isNew(answer)) continue;
    const found =
      answer.service === "rest"
        ? restProblems(answer)
        : graphqlProblems(await loadSchema(), { asked: parsed(answer.asked), status: answer.status, body: answer.body });
    for (const problem of found) problems.add(problem);
  }
  return [...problems].slice(0, 30);
};
