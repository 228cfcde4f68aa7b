/** The environment of this process, in one place. */
import type { Environment } from "./shell/environment.js";

export const systemEnvironment = (): Environment => process.env;
