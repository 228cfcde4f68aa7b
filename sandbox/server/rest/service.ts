/** REST: all routes in one table, and how a request is answered by it. */
import type { Exchange, Reply } from "../exchange.js";
import { failure } from "../exchange.js";
import type { Limits } from "../limits.js";
import type { View } from "../view.js";
import { checkRoutes } from "./routes-checks.js";
import { commitRoutes } from "./routes-commits.js";
import { issueRoutes } from "./routes-issues.js";
import { metaRoutes } from "./routes-meta.js";
import { pullRoutes } from "./routes-pulls.js";
import { runRoutes } from "./routes-runs.js";
import { reviewRoutes } from "./routes-reviews.js";
import { match, refused, type Route } from "./routing.js";

export interface RestService {
  /** Is there a route? If not, it is a request that the sandbox does not know. */
  knows(exchange: Exchange): boolean;
  run(view: View, exchange: Exchange): Reply;
}

/** Links name a repository by its number; redirects of renamed ones do so too. */
const namedPath = (view: View | undefined, path: string): string => {
  const [, number, rest = ""] = /^\/repositories\/(\d+)(\/.*)?$/u.exec(path) ?? [];
  if (number === undefined) return path;
  if (view === undefined) return `/repos/any/any${rest}`;
  const found = [...view.world.repositories.values()].find((one) => String(one.databaseId) === number);
  return `/repos/${found?.fullName ?? "none/none"}${rest}`;
};

const bodyOf = (exchange: Exchange): Readonly<Record<string, unknown>> | undefined => {
  if (exchange.body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(exchange.body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

export const allRoutes = (limits: Limits): readonly Route[] => [
  ...metaRoutes(limits),
  ...reviewRoutes,
  ...pullRoutes,
  ...issueRoutes,
  ...checkRoutes,
  ...runRoutes,
  ...commitRoutes,
];

export const restService = (limits: Limits): RestService => {
  const routes = allRoutes(limits);
  const method = (exchange: Exchange): string => (exchange.method === "HEAD" ? "GET" : exchange.method);
  return {
    knows: (exchange) => match(routes, method(exchange), namedPath(undefined, exchange.path)) !== undefined,
    run(view, exchange) {
      const found = match(routes, method(exchange), namedPath(view, exchange.path));
      if (found === undefined) return failure(404, "Not Found");
      const body = bodyOf(exchange);
      if (body === undefined) return failure(400, "Problems parsing JSON");
      try {
        return found.route.handle({ view, exchange, params: found.params, body });
      } catch (error) {
        return refused(error, found.route.refusal);
      }
    },
  };
};
