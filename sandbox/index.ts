/** `reviewloop/sandbox`: a GitHub on this machine, for tests and to try things out. */
export { startSandbox, type Sandbox, type SandboxOptions } from "./server/start.js";
export { throwAwayCertificate } from "./server/certificate.js";
export type { RequestRecord, WriteNotice } from "./server/handler.js";
export { ANSWER_CHANNEL, type AnswerNotice } from "./server/answers.js";
export * from "./world/index.js";
export { buildScene, SCENES, type Scene, type SceneOptions } from "./scenes/index.js";
export { serveScene, type ServedScene, type ServeOptions } from "./scenes/serve.js";
