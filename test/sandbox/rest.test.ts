import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectUnknownRequests } from "./answers/watch.js";
import { api, FILE, startScene, type Scene } from "./scene.js";

let scene: Scene;
let head: string;
beforeAll(async () => {
  scene = await startScene();
  const { world, pullRequest } = scene;
  head = pullRequest.head.sha;
  world.review("copilot-pull-request-reviewer", pullRequest, {
    state: "COMMENTED",
    body: "Overview",
    comments: [{ path: FILE, line: 3, startLine: 2, body: "Hm" }],
  });
  world.comment("grace", pullRequest, "Please look.");
  world.createCheck("github-actions", {
    repository: "ada/shop",
    head,
    name: "test",
    conclusion: "FAILURE",
    title: "1 failed",
    summary: "cart",
    log: "boom\n",
    workflow: { name: "CI", event: "push" },
  });
  world.createCheck("greptile-apps", { repository: "ada/shop", head, name: "Greptile Review", status: "IN_PROGRESS" });
  world.setStatus("grace", { repository: "ada/shop", head, context: "preview", state: "PENDING" });
});
afterAll(async () => {
  await scene.sandbox.close();
});

const pulls = "/repos/ada/shop/pulls/7";
const issues = "/repos/ada/shop/issues/7";
const read = async (path: string, options: Parameters<typeof api>[2] = {}): Promise<unknown> => (await api(scene, path, options)).json();

describe("the objects have the keys that GitHub's description requires", () => {
  const USER =
    "avatar_url events_url followers_url following_url gists_url gravatar_id html_url id node_id login organizations_url received_events_url repos_url site_admin starred_url subscriptions_url type url";
  const KEYS: Readonly<Record<string, { readonly path: string; readonly pick: (value: never) => unknown; readonly keys: string }>> = {
    "pull request": {
      path: pulls,
      pick: (value) => value,
      keys: `_links additions assignee author_association auto_merge base body changed_files closed_at comments comments_url commits commits_url created_at deletions diff_url
        head html_url id issue_url labels locked maintainer_can_modify merge_commit_sha mergeable mergeable_state merged merged_at merged_by milestone node_id number patch_url
        review_comment_url review_comments review_comments_url state statuses_url title updated_at url user draft requested_reviewers requested_teams`,
    },
    user: { path: pulls, pick: (value: { user: unknown }) => value.user, keys: USER },
    "issue comment": {
      path: `${issues}/comments`,
      pick: ([value]: unknown[]) => value,
      keys: "id node_id url html_url body user created_at updated_at issue_url author_association performed_via_github_app reactions",
    },
    review: {
      path: `${pulls}/reviews`,
      pick: ([value]: unknown[]) => value,
      keys: "id node_id user body state html_url pull_request_url _links submitted_at commit_id author_association",
    },
    "review comment": {
      path: `${pulls}/comments`,
      pick: ([value]: unknown[]) => value,
      keys: `url id node_id pull_request_review_id diff_hunk path commit_id original_commit_id user body created_at updated_at html_url pull_request_url author_association _links
        line original_line start_line original_start_line side start_side position original_position subject_type reactions`,
    },
    "check run": {
      path: "/repos/ada/shop/commits/topic/check-runs",
      pick: (value: { check_runs: unknown[] }) => value.check_runs[0],
      keys: "id head_sha node_id external_id url html_url details_url status conclusion started_at completed_at output name check_suite app pull_requests",
    },
    commit: {
      path: `${pulls}/commits`,
      pick: ([value]: unknown[]) => value,
      keys: "url sha node_id html_url comments_url commit author committer parents",
    },
    file: {
      path: `${pulls}/files`,
      pick: ([value]: unknown[]) => value,
      keys: "sha filename status additions deletions changes blob_url raw_url contents_url patch",
    },
    repository: {
      path: "/repos/ada/shop",
      pick: (value) => value,
      keys: "id node_id name full_name owner private html_url description fork url clone_url default_branch archived permissions created_at pushed_at",
    },
    status: {
      path: `/repos/ada/shop/commits/topic/statuses`,
      pick: ([value]: unknown[]) => value,
      keys: "url avatar_url id node_id state description target_url context created_at updated_at creator",
    },
  };
  test.each(Object.entries(KEYS))("%s", async (_name, { path, pick, keys }) => {
    const value = pick((await read(path)) as never);
    expect(Object.keys(value as object)).toEqual(expect.arrayContaining(keys.split(/\s+/u)));
  });
});

describe("who and where", () => {
  test("Copilot has its own spelling on each surface", async () => {
    expect(await read(`${pulls}/reviews`)).toMatchObject([
      { user: { login: "copilot-pull-request-reviewer[bot]", type: "Bot", id: 175_728_472 } },
    ]);
    expect(await read(`${pulls}/comments`)).toMatchObject([
      { user: { login: "Copilot" }, start_line: 2, line: 3, side: "RIGHT", subject_type: "line" },
    ]);
  });

  test("the paths of an Enterprise server answer too, and link to themselves", async () => {
    const value = await read(`/api/v3${pulls}`);
    expect(value).toMatchObject({
      number: 7,
      url: `${scene.sandbox.url}/api/v3${pulls}`,
      html_url: `${scene.sandbox.url}/ada/shop/pull/7`,
    });
  });

  test("a repository without access, a wrong number and a slash at the end are 404", async () => {
    scene.world.addRepository("grace/secret", { private: true });
    for (const path of ["/repos/grace/secret", "/repos/ada/shop/pulls/99", `${pulls}/`]) {
      const response = await api(scene, path, { as: "stranger" });
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toEqual({ message: "Not Found", documentation_url: expect.any(String), status: "404" });
    }
    expect((await api(scene, "/repos/grace/secret", { as: "grace" })).status).toBe(200);
  });

  test("signed out: public reads only; a wrong token: 401", async () => {
    expect((await api(scene, pulls, { as: "" })).status).toBe(200);
    expect((await api(scene, `${issues}/comments`, { as: "", method: "POST", body: { body: "x" } })).status).toBe(401);
    const wrong = await api(scene, pulls, { as: "", headers: { authorization: "token wrong-token" } });
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { message: "Bad credentials" }]);
  });

  test("the signed-in account, its scopes and its limits", async () => {
    const user = await api(scene, "/user");
    expect(await user.json()).toMatchObject({ login: "ada", type: "User" });
    expect((await api(scene, "/")).headers.get("x-oauth-scopes")).toContain("repo");
    expect((await api(scene, "/user", { as: "greptile-apps" })).status).toBe(403);
    const before = Number((await api(scene, pulls)).headers.get("x-ratelimit-remaining"));
    const limits = (await read("/rate_limit")) as { resources: { core: { remaining: number; limit: number } } };
    expect(limits.resources.core).toMatchObject({ remaining: before, limit: 5_000 });
  });

  test("a request without a user agent, or for a version that does not exist, is refused", async () => {
    const agentless = await api(scene, pulls, { headers: { "user-agent": "" } });
    expect(agentless.status).toBe(403);
    expect((await api(scene, pulls, { headers: { "x-github-api-version": "2001-01-01" } })).status).toBe(400);
  });
});

describe("lists", () => {
  test("30 a page, 100 at most, links to all others", async () => {
    for (let index = 0; index < 120; index += 1) scene.world.comment("grace", scene.pullRequest, `Note ${index}`);
    const first = await api(scene, `${issues}/comments`);
    expect(await first.json()).toHaveLength(30);
    const id = scene.world.repository("ada/shop").databaseId;
    expect(first.headers.get("link")).toBe(
      `<${scene.sandbox.url}/repositories/${id}/issues/7/comments?page=2>; rel="next", <${scene.sandbox.url}/repositories/${id}/issues/7/comments?page=5>; rel="last"`,
    );
    const big = await api(scene, `${issues}/comments?per_page=500`);
    expect(await big.json()).toHaveLength(100);
    const next = /<([^>]+)>; rel="next"/u.exec(big.headers.get("link") ?? "")?.[1] ?? "";
    const last = await api(scene, next.replace(scene.sandbox.url, ""));
    expect(await last.json()).toHaveLength(21);
    expect(last.headers.get("link")).not.toContain(`rel="next"`);
    expect((await api(scene, `${pulls}/reviews`)).headers.get("link")).toBeNull();
  });

  test("pull requests by state, head and base", async () => {
    expect(await read("/repos/ada/shop/pulls?head=ada:topic&base=main")).toMatchObject([{ number: 7 }]);
    expect(await read("/repos/ada/shop/pulls?head=grace:topic")).toEqual([]);
    expect(await read("/repos/ada/shop/pulls?state=closed")).toEqual([]);
  });
});

describe("an unchanged answer", () => {
  test("is a 304 that costs nothing", async () => {
    const first = await api(scene, `${pulls}/reviews`);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"/u);
    const again = await api(scene, `${pulls}/reviews`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("x-ratelimit-remaining")).toBe(first.headers.get("x-ratelimit-remaining"));
    expect(scene.sandbox.requests.at(-1)).toMatchObject({ status: 304, cost: 0 });
    scene.world.review("grace", scene.pullRequest, { state: "APPROVED" });
    expect((await api(scene, `${pulls}/reviews`, { headers: { "if-none-match": etag } })).status).toBe(200);
  });
});

test("the diff is git's own", async () => {
  const response = await api(scene, pulls, { headers: { accept: "application/vnd.github.v3.diff" } });
  expect(response.headers.get("content-type")).toContain("diff");
  const text = await response.text();
  expect(text).toContain(`diff --git a/${FILE} b/${FILE}`);
  expect(text).toContain("+export const line1 = 1 + 1;");
  const patch = await api(scene, pulls, { headers: { accept: "application/vnd.github.patch" } });
  expect(await patch.text()).toContain("Subject: [PATCH] Count one more");
});

describe("checks", () => {
  test("runs of a head by name and filter, suites, combined status", async () => {
    expect(await read("/repos/ada/shop/commits/topic/check-runs?check_name=test")).toMatchObject({
      total_count: 1,
      check_runs: [
        {
          name: "test",
          status: "completed",
          conclusion: "failure",
          output: { title: "1 failed" },
          app: { slug: "github-actions" },
          pull_requests: [{ number: 7 }],
        },
      ],
    });
    expect(await read(`/repos/ada/shop/commits/${head}/check-suites`)).toMatchObject({ total_count: 2 });
    expect(await read(`/repos/ada/shop/commits/${head}/status`)).toMatchObject({ state: "pending", total_count: 1, sha: head });
    const main = scene.sandbox.repositories.head("ada/shop", "main") ?? "";
    expect(await read(`/repos/ada/shop/commits/${main}/status`)).toMatchObject({ state: "pending", total_count: 0 });
    expect((await api(scene, `/repos/ada/shop/commits/${"0".repeat(40)}/check-runs`)).status).toBe(422);
  });

  test("a newer run of the same name hides the older one of its suite, unless all are asked for", async () => {
    scene.world.createCheck("github-actions", {
      repository: "ada/shop",
      head,
      name: "test",
      conclusion: "SUCCESS",
      workflow: { name: "CI", event: "push" },
    });
    expect(await read("/repos/ada/shop/commits/topic/check-runs?check_name=test")).toMatchObject({
      total_count: 1,
      check_runs: [{ conclusion: "success" }],
    });
    expect(await read("/repos/ada/shop/commits/topic/check-runs?check_name=test&filter=all")).toMatchObject({ total_count: 2 });
  });

  test("only an app makes one", async () => {
    const body = { head_sha: head, name: "lint", status: "completed", conclusion: "success", output: { title: "Fine", summary: "" } };
    expect((await api(scene, "/repos/ada/shop/check-runs", { method: "POST", body })).status).toBe(403);
    const made = await api(scene, "/repos/ada/shop/check-runs", { as: "github-actions", method: "POST", body });
    expect(made.status).toBe(201);
    const run = (await made.json()) as { id: number };
    const changed = await api(scene, `/repos/ada/shop/check-runs/${run.id}`, {
      as: "github-actions",
      method: "PATCH",
      body: { conclusion: "failure" },
    });
    expect(await changed.json()).toMatchObject({ id: run.id, conclusion: "failure" });
  });

  test("the log of a job", async () => {
    const { check_runs } = (await read("/repos/ada/shop/commits/topic/check-runs?check_name=test&filter=all")) as {
      check_runs: { id: number }[];
    };
    expect(await (await api(scene, `/repos/ada/shop/actions/jobs/${check_runs[0]?.id}/logs`)).text()).toBe("boom\n");
  });
});

test("compare, rules of a branch, contents", async () => {
  expect(await read("/repos/ada/shop/compare/main...topic")).toMatchObject({
    status: "ahead",
    ahead_by: 1,
    behind_by: 0,
    total_commits: 1,
  });
  expect(await read("/repos/ada/shop/compare/topic...ada:main")).toMatchObject({ status: "behind", ahead_by: 0, behind_by: 1 });
  expect((await api(scene, "/repos/ada/shop/compare/main...none")).status).toBe(404);
  expect(await read("/repos/ada/shop/rules/branches/main")).toEqual([]);
  scene.world.protect("ada/shop", "release", { requiredChecks: ["test"], requiresConversationResolution: true, requiredApprovals: 1 });
  expect(await read("/repos/ada/shop/rules/branches/release")).toMatchObject([
    { type: "pull_request", parameters: { required_review_thread_resolution: true, required_approving_review_count: 1 } },
    { type: "required_status_checks", parameters: { required_status_checks: [{ context: "test" }] } },
  ]);
  const contents = (await read("/repos/ada/shop/contents/README.md")) as { content: string };
  expect(Buffer.from(contents.content, "base64").toString()).toBe("# Shop\n");
});

test("a request that the sandbox does not know is 501, and is noted", async () => {
  expect(scene.sandbox.unknownRequests).toEqual([]);
  const response = await api(scene, "/repos/ada/shop/pages");
  expect(response.status).toBe(501);
  expectUnknownRequests();
  expect(scene.sandbox.unknownRequests).toEqual(["GET /repos/ada/shop/pages: no such endpoint in the sandbox"]);
});
