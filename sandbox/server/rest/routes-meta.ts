/** The root, the signed-in account, limits, repositories. */
import { failure, json } from "../exchange.js";
import { limitHeaders, type Limits, type LimitState } from "../limits.js";
import { visibleRepository } from "../view.js";
import { rootLinks } from "./links.js";
import { repositoryShape, user, userShape, worldLogin } from "./present.js";
import { notFound, paged, repositoryOf, route, type RestRequest, type Route } from "./routing.js";

const limitShape = ({ limit, used, remaining, reset }: LimitState) => ({
  limit,
  used,
  remaining,
  reset: Math.ceil(reset / 1000),
});

const root = ({ view }: RestRequest) =>
  json(200, { ...rootLinks(view.api), current_user_authorizations_html_url: `${view.web}/settings/connections/applications{/client_id}` });

/** What an account's own page tells beside its shape elsewhere. */
const PROFILE = {
  name: null,
  company: null,
  blog: "",
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: "2011-01-25T18:44:36Z",
  updated_at: "2011-01-25T18:44:36Z",
};

const signedIn = ({ view }: RestRequest) => {
  const { login, grant } = view.session;
  if (login === "") return failure(401, "Requires authentication");
  // An app's installation is nobody here.
  if (grant.token === "app" || grant.token === "actions") return failure(403, "Resource not accessible by integration");
  return json(200, { ...userShape(view, view.state.account(login)), ...PROFILE });
};

export const metaRoutes = (limits: Limits): readonly Route[] => [
  route("GET", "/", root),
  route("GET", "/zen", () => ({
    status: 200,
    headers: { "content-type": "text/plain;charset=utf-8" },
    body: "Half measures are as bad as nothing at all.",
  })),
  route("GET", "/versions", () => json(200, ["2022-11-28", "2026-03-10"])),
  route("GET", "/meta", () => json(200, { verifiable_password_authentication: false })),
  route("GET", "/rate_limit", ({ view }) => {
    const now = view.state.clock.now();
    const core = limits.read(view.session.login, "core", now);
    const graphql = limits.read(view.session.login, "graphql", now);
    return json(
      200,
      {
        resources: {
          core: limitShape(core),
          graphql: limitShape(graphql),
          search: limitShape({ limit: 30, used: 0, remaining: 30, reset: now + 60_000 }),
        },
        rate: limitShape(core),
      },
      limitHeaders(core, "core"),
    );
  }),
  route("GET", "/user", signedIn),
  route("GET", "/users/:login", ({ view, params }) => {
    const login = worldLogin(view, params["login"] ?? "");
    const shape = user(view, login);
    if (shape === null) throw notFound();
    return json(200, { ...shape, ...PROFILE });
  }),
  route("GET", "/user/repos", (request) => {
    const { view } = request;
    const seen = [...view.world.repositories.values()].filter((one) => visibleRepository(view, one.fullName) !== undefined);
    return paged(request, seen, (one) => repositoryShape(view, one));
  }),
  route("GET", "/repos/:owner/:repo", (request) => {
    const { view } = request;
    const repository = repositoryOf(request);
    const parent = repository.forkOf === undefined ? undefined : visibleRepository(view, repository.forkOf);
    const of = parent === undefined ? {} : { parent: repositoryShape(view, parent), source: repositoryShape(view, parent) };
    return json(200, { ...repositoryShape(view, repository), ...of, network_count: 0, subscribers_count: 0 });
  }),
  route("GET", "/repos/:owner/:repo/collaborators/:login/permission", (request) => {
    const { view, params } = request;
    const repository = repositoryOf(request);
    const login = worldLogin(view, params["login"] ?? "");
    if (login === undefined) throw notFound();
    const role = view.state.roleOf(repository, login);
    const coarse = role === "maintain" ? "write" : role === "triage" ? "read" : role;
    return json(200, { permission: coarse, role_name: role, user: { ...user(view, login), role_name: role } });
  }),
];
