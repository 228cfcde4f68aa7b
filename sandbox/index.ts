/** `reviewloop/sandbox`: a GitHub on this machine, for tests and to try things out. */
export { startSandbox, type Sandbox, type SandboxOptions } from "./server/start.js";
export type { RequestRecord, WriteNotice } from "./server/handler.js";
export * from "./world/index.js";
