/** Where the token comes from: the environment, else what `gh` is signed in with. It stays in memory. */
import { execa } from "execa";
import { ReviewloopError } from "../../errors.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** `GH_TOKEN`, then `GITHUB_TOKEN`, then `gh auth token --hostname`. Throws `GITHUB_SIGN_IN` where there is none. */
export const findToken = async (host: string, environment: Environment): Promise<string> => {
  const given = [environment["GH_TOKEN"], environment["GITHUB_TOKEN"]].find((token) => token !== undefined && token !== "");
  if (given !== undefined) return given;
  const ran = await execa("gh", ["auth", "token", "--hostname", host], { reject: false, stdin: "ignore", timeout: 10_000 });
  const token = ran.exitCode === 0 ? ran.stdout.trim() : "";
  if (token !== "") return token;
  throw new ReviewloopError("GITHUB_SIGN_IN", { host, problem: "neither GH_TOKEN nor GITHUB_TOKEN is set, and gh gives no token" });
};
