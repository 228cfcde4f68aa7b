/** From flags to a request: every flag is laid over the config, none has a meaning of its own. */
import { milliseconds as inMilliseconds } from "../index.js";
import type { Config, Duration, Request } from "../index.js";
import type { Surroundings } from "./surroundings.js";

export type Flags = Readonly<Record<string, unknown>>;

export const text = (flags: Flags, name: string): string | undefined => (typeof flags[name] === "string" ? flags[name] : undefined);
export const on = (flags: Flags, name: string): boolean => flags[name] === true;
export const number = (flags: Flags, name: string): number | undefined => (typeof flags[name] === "number" ? flags[name] : undefined);
/** A duration as given, in milliseconds. */
export const milliseconds = (flags: Flags, name: string): number | undefined => {
  const given = text(flags, name);
  return given === undefined ? undefined : inMilliseconds(given);
};

const overrides = (flags: Flags): Config | undefined => {
  const gate = text(flags, "gate");
  const sync = text(flags, "sync");
  const iterations = number(flags, "maxIterations");
  const poll = text(flags, "poll");
  const timeout = text(flags, "timeout");
  const wait = {
    ...(poll === undefined ? {} : { poll: poll as Duration }),
    ...(timeout === undefined ? {} : { timeout: timeout as Duration }),
  };
  const config: Config = {
    ...(gate === undefined ? {} : { gate }),
    ...(sync === "none" || sync === "merge" || sync === "rebase" ? { sync } : {}),
    ...(iterations === undefined ? {} : { limits: { iterations } }),
    ...(Object.keys(wait).length === 0 ? {} : { wait }),
    ...(on(flags, "waitForPeople") ? { people: { wait: true } } : {}),
  };
  return Object.keys(config).length === 0 ? undefined : config;
};

export const requestOf = (flags: Flags, reference: string | undefined, surroundings: Surroundings): Request => {
  const laid = overrides(flags);
  const config = text(flags, "config");
  const preset = text(flags, "preset");
  return {
    folder: surroundings.folder,
    environment: surroundings.environment,
    ...(reference === undefined ? {} : { pullRequest: reference }),
    ...(config === undefined ? {} : { config }),
    ...(preset === undefined ? {} : { preset }),
    ...(laid === undefined ? {} : { overrides: laid }),
    ...(text(flags, "followUp") === "issue" ? { followUp: "issue" as const } : {}),
  };
};
