// Makes test/sandbox/answers/description.json: what GitHub's OpenAPI description says of the answers to the requests that the sandbox serves.
//
// Source: generated/api.github.com.json of the npm package @octokit/openapi (MIT). It is 385 MB unpacked and so no dependency:
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
//   node scripts/cut-openapi.mjs package/generated/api.github.com.json
// Kept are the schemas of the JSON answers by status, and whatever schemas these need. Words and examples are dropped, nothing is changed.
import { readFile, writeFile } from "node:fs/promises";

const OPERATIONS = `
GET /
GET /zen
GET /versions
GET /meta
GET /rate_limit
GET /user
GET /user/repos
GET /users/{username}
GET /repos/{owner}/{repo}
GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs
GET /repos/{owner}/{repo}/actions/runs
GET /repos/{owner}/{repo}/actions/workflows
GET /repos/{owner}/{repo}/branches
GET /repos/{owner}/{repo}/branches/{branch}
GET /repos/{owner}/{repo}/branches/{branch}/protection
POST /repos/{owner}/{repo}/check-runs
GET /repos/{owner}/{repo}/check-runs/{check_run_id}
PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}
GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations
GET /repos/{owner}/{repo}/collaborators/{username}/permission
GET /repos/{owner}/{repo}/commits/{ref}
GET /repos/{owner}/{repo}/commits/{ref}/check-runs
GET /repos/{owner}/{repo}/commits/{ref}/check-suites
GET /repos/{owner}/{repo}/commits/{ref}/status
GET /repos/{owner}/{repo}/commits/{ref}/statuses
GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls
GET /repos/{owner}/{repo}/compare/{basehead}
GET /repos/{owner}/{repo}/contents/{path}
GET /repos/{owner}/{repo}/deployments
GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses
GET /repos/{owner}/{repo}/git/ref/{ref}
GET /repos/{owner}/{repo}/issues
POST /repos/{owner}/{repo}/issues
GET /repos/{owner}/{repo}/issues/comments/{comment_id}
PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}
DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}
GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
GET /repos/{owner}/{repo}/issues/{issue_number}
PATCH /repos/{owner}/{repo}/issues/{issue_number}
GET /repos/{owner}/{repo}/issues/{issue_number}/comments
POST /repos/{owner}/{repo}/issues/{issue_number}/comments
GET /repos/{owner}/{repo}/issues/{issue_number}/events
GET /repos/{owner}/{repo}/issues/{issue_number}/labels
GET /repos/{owner}/{repo}/issues/{issue_number}/reactions
POST /repos/{owner}/{repo}/issues/{issue_number}/reactions
PUT /repos/{owner}/{repo}/issues/{issue_number}/lock
DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock
GET /repos/{owner}/{repo}/issues/{issue_number}/timeline
GET /repos/{owner}/{repo}/pulls
POST /repos/{owner}/{repo}/pulls
GET /repos/{owner}/{repo}/pulls/comments
GET /repos/{owner}/{repo}/pulls/comments/{comment_id}
PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}
DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}
GET /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions
POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions
GET /repos/{owner}/{repo}/pulls/{pull_number}
PATCH /repos/{owner}/{repo}/pulls/{pull_number}
GET /repos/{owner}/{repo}/pulls/{pull_number}/comments
POST /repos/{owner}/{repo}/pulls/{pull_number}/comments
POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies
GET /repos/{owner}/{repo}/pulls/{pull_number}/commits
GET /repos/{owner}/{repo}/pulls/{pull_number}/files
GET /repos/{owner}/{repo}/pulls/{pull_number}/merge
PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge
GET /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
DELETE /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews
POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews
GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}
PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}
DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}
GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments
PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals
POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events
PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch
GET /repos/{owner}/{repo}/readme
GET /repos/{owner}/{repo}/rules/branches/{branch}
POST /repos/{owner}/{repo}/statuses/{sha}`
  .trim()
  .split("\n");

const [, , from] = process.argv;
if (from === undefined) throw new Error("Give the path of api.github.com.json: see the first lines of this file.");
const source = JSON.parse(await readFile(from, "utf8"));

const WORDS = new Set(["description", "example", "examples", "title", "externalDocs", "deprecated", "default"]);
const PREFIX = "#/components/schemas/";
const wanted = new Set(["basic-error"]);

/** A schema without words; `named` = the keys are names of properties and not words of the schema language. */
const bare = (value, named = false) => {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$ref === "string" && !named) {
    if (!value.$ref.startsWith(PREFIX)) throw new Error(`A reference elsewhere: ${value.$ref}`);
    wanted.add(value.$ref.slice(PREFIX.length));
    return { $ref: value.$ref };
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => named || !(WORDS.has(key) || key.startsWith("x-")))
      .map(([key, one]) => [key, key === "enum" || key === "required" ? one : bare(one, !named && key === "properties")]),
  );
};

const responseOf = (response) => {
  const found = response.$ref === undefined ? response : source.components.responses[response.$ref.split("/").at(-1)];
  return found.content?.["application/json"]?.schema ?? null;
};

const paths = {};
for (const operation of OPERATIONS) {
  const [method, path] = operation.split(" ");
  const found = source.paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`The description has no ${operation}.`);
  paths[path] ??= {};
  paths[path][method] = Object.fromEntries(
    Object.entries(found.responses).map(([status, response]) => {
      const schema = responseOf(response);
      return [status, schema === null ? null : bare(schema)];
    }),
  );
}
const schemas = {};
for (let done = 0; done < wanted.size;) {
  const name = [...wanted][done];
  schemas[name] = bare(source.components.schemas[name]);
  done += 1;
}
const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
const text = JSON.stringify({ source: `@octokit/openapi ${source.info.version}`, answers: paths, schemas: sorted }, null, 1);
await writeFile("test/sandbox/answers/description.json", `${text}\n`);
process.stdout.write(`${OPERATIONS.length} operations, ${wanted.size} schemas, ${Math.round(text.length / 1024)} KB\n`);
