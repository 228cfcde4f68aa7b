/** `git http-backend` as a CGI program: one process for each request, bytes in and bytes out. */
import { spawn, type ChildProcess } from "node:child_process";
import type { Exchange, Reply } from "../exchange.js";
import { gitEnvironment } from "./run-git.js";

export interface GitBackend {
  /** `path` is `/owner/name.git/...` under the folder of all repositories. */
  run(
    exchange: Exchange,
    path: string,
    options: { readonly login: string | undefined; readonly decline?: string | undefined },
  ): Promise<Reply>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

const parse = (output: Buffer): Reply => {
  const crlf = output.indexOf("\r\n\r\n");
  const lf = output.indexOf("\n\n");
  const [at, gap] = crlf >= 0 && (lf < 0 || crlf < lf) ? [crlf, 4] : [lf, 2];
  if (at < 0) return { status: 500, headers: { "content-type": "text/plain" }, body: "git http-backend gave no answer\n" };
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of output.subarray(0, at).toString("latin1").split(/\r?\n/u)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number.parseInt(value, 10);
    else if (name !== "") headers[name] = value;
  }
  return { status, headers, body: output.subarray(at + gap) };
};

export const gitBackend = (folder: string): GitBackend => {
  const running = new Set<ChildProcess>();
  return {
    async run(exchange, path, { login, decline }) {
      const header = (name: string): string => {
        const value = exchange.headers[name];
        return Array.isArray(value) ? value.join(",") : (value ?? "");
      };
      const child = spawn("git", ["http-backend"], {
        cwd: folder,
        env: {
          ...gitEnvironment(),
          GIT_PROJECT_ROOT: folder,
          GIT_HTTP_EXPORT_ALL: "1",
          REQUEST_METHOD: exchange.method,
          PATH_INFO: path,
          QUERY_STRING: exchange.query.toString(),
          CONTENT_TYPE: header("content-type"),
          CONTENT_LENGTH: String(exchange.body.length),
          HTTP_CONTENT_ENCODING: header("content-encoding"),
          // Without it there is no protocol version 2.
          GIT_PROTOCOL: header("git-protocol"),
          REMOTE_ADDR: "127.0.0.1",
          ...(login === undefined ? {} : { REMOTE_USER: login }),
          ...(decline === undefined ? {} : { SANDBOX_DECLINE: decline }),
        },
        stdio: ["pipe", "pipe", "ignore"],
      });
      running.add(child);
      const parts: Buffer[] = [];
      child.stdout.on("data", (part: Buffer) => parts.push(part));
      // The program may end before it has read all of the body.
      child.stdin.on("error", () => {});
      child.stdin.end(exchange.body);
      await new Promise<void>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", () => resolve());
      }).finally(() => running.delete(child));
      return parse(Buffer.concat(parts));
    },
    async close() {
      await Promise.all(
        [...running].map(
          (child) =>
            new Promise<void>((resolve) => {
              child.once("close", () => resolve());
              child.kill("SIGKILL");
            }),
        ),
      );
    },
  };
};
