/**
 * A way in for `gh`: it speaks to github.com only, or to what it takes for it behind a socket file. The socket hands every byte on to the sandbox.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

export interface GhEntrance {
  /** For `GH_CONFIG_DIR`. */
  readonly configFolder: string;
  readonly socket: string;
  close(): Promise<void>;
}

/** Opens a socket in this folder, and writes a config for `gh` that uses it. */
export const openForGh = async (url: string, folder: string): Promise<GhEntrance> => {
  const socket = join(folder, "gh.sock");
  const configFolder = join(folder, "gh");
  mkdirSync(configFolder, { recursive: true });
  writeFileSync(join(configFolder, "config.yml"), `http_unix_socket: ${socket}\nprompt: disabled\n`);
  const port = Number(new URL(url).port);
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  });
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  return {
    configFolder,
    socket,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
};
