/** The hourly limits: REST by requests, GraphQL by points, each for one account. */
import type { Instant } from "../../core/index.js";

export type Resource = "core" | "graphql";

export interface LimitState {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** When it is full again. */
  readonly reset: Instant;
}

const HOUR = 3_600_000;
const LIMITS: Readonly<Record<Resource, number>> = { core: 5_000, graphql: 5_000 };

export interface Limits {
  read(login: string, resource: Resource, now: Instant): LimitState;
  /** False = not enough is left, and nothing was charged. */
  charge(login: string, resource: Resource, points: number, now: Instant): boolean;
  /** Uses all up; full again after so many milliseconds. */
  exhaust(login: string, resource: Resource, now: Instant, resetAfter: number): void;
}

export const createLimits = (): Limits => {
  const windows = new Map<string, { used: number; reset: Instant }>();
  const window = (login: string, resource: Resource, now: Instant): { used: number; reset: Instant } => {
    const key = `${resource} ${login}`;
    const found = windows.get(key);
    if (found !== undefined && found.reset > now) return found;
    const fresh = { used: 0, reset: now + HOUR };
    windows.set(key, fresh);
    return fresh;
  };
  return {
    read(login, resource, now) {
      const { used, reset } = window(login, resource, now);
      const limit = LIMITS[resource];
      return { limit, used, remaining: Math.max(0, limit - used), reset };
    },
    charge(login, resource, points, now) {
      const open = window(login, resource, now);
      if (open.used + points > LIMITS[resource]) return false;
      open.used += points;
      return true;
    },
    exhaust(login, resource, now, resetAfter) {
      const open = window(login, resource, now);
      open.used = LIMITS[resource];
      open.reset = now + resetAfter;
    },
  };
};

/** As GitHub sends them with every answer. */
export const limitHeaders = (state: LimitState, resource: Resource): Record<string, string> => ({
  "x-ratelimit-limit": String(state.limit),
  "x-ratelimit-remaining": String(state.remaining),
  "x-ratelimit-reset": String(Math.ceil(state.reset / 1000)),
  "x-ratelimit-used": String(state.used),
  "x-ratelimit-resource": resource,
});
