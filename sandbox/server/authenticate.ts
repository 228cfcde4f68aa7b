/** Who asks: the token of the `Authorization` header. */
import { WorldError } from "../world/errors.js";
import type { World } from "../world/index.js";
import type { Session } from "../world/records.js";
import type { Exchange } from "./exchange.js";

/** Reads only, of what is public. */
export const NOBODY: Session = { login: "", grant: { token: "fine-grained", permissions: {} } };

export const tokenOf = (exchange: Exchange): string | undefined => {
  const header = exchange.headers.authorization;
  if (header === undefined) return undefined;
  const [, scheme = "", value = ""] = /^(\w+)\s+(.+)$/u.exec(header) ?? [];
  if (scheme.toLowerCase() !== "basic") return value;
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  // The token is the password (`x-access-token:TOKEN`), or the name with no password.
  return text.slice(colon + 1) === "" ? text.slice(0, colon) : text.slice(colon + 1);
};

/** Undefined for nobody, `null` for a token that is not known. */
export const sessionOf = (world: World, exchange: Exchange): Session | undefined | null => {
  const token = tokenOf(exchange);
  if (token === undefined) return undefined;
  try {
    return world.sessionOf(token);
  } catch (error) {
    if (error instanceof WorldError) return null;
    throw error;
  }
};
