/** The listeners: plain HTTP or TLS on loopback, or a unix socket, all with the same handler. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { HANG_UP, type Exchange, type Outcome } from "./exchange.js";

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface Listener {
  /** `http://127.0.0.1:PORT`; for a unix socket `http://localhost`. */
  readonly origin: string;
  readonly port: number | undefined;
  close(): Promise<void>;
}

/** The largest body that is read; a bigger request is cut off. */
const BODY_LIMIT = 256 * 1024 * 1024;

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_LIMIT) throw new Error("The request is too big.");
    parts.push(part);
  }
  return Buffer.concat(parts);
};

let lastRequest = 0;
/** Groups of upper-case hexadecimal digits, as GitHub's. */
const requestId = (): string => {
  lastRequest += 1;
  const number = lastRequest.toString(16).toUpperCase().padStart(8, "0");
  return `${number.slice(0, 4)}:${number.slice(4)}:5A0B:5A0C:67000000`;
};

const answer = (response: ServerResponse, outcome: Outcome, head: boolean): void => {
  if (outcome === HANG_UP) {
    response.destroy();
    return;
  }
  const body = typeof outcome.body === "string" ? Buffer.from(outcome.body, "utf8") : outcome.body;
  const empty = outcome.status === 204 || outcome.status === 304;
  response.writeHead(outcome.status, { ...outcome.headers, ...(empty ? {} : { "content-length": String(body.length) }) });
  response.end(empty || head ? undefined : body);
};

export const listen = async (
  handle: (exchange: Exchange) => Promise<Outcome>,
  where: { readonly port: number; readonly tls?: Certificate | undefined } | { readonly unixSocket: string },
): Promise<Listener> => {
  const secure = "port" in where ? where.tls : undefined;
  let origin = "http://localhost";
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const host = request.headers.host;
    const scheme = secure === undefined ? "http" : "https";
    const address = new URL(request.url ?? "/", "http://localhost");
    const enterprise = /^\/api\/(?:v3|graphql)(?:\/|$)/u.test(address.pathname);
    const exchange: Exchange = {
      id: requestId(),
      method: request.method ?? "GET",
      path: address.pathname.replace(/^\/api\/v3(?=\/|$)/u, "").replace(/^\/api\/graphql$/u, "/graphql") || "/",
      query: address.searchParams,
      headers: request.headers,
      body: await bodyOf(request),
      origin: host === undefined ? origin : `${scheme}://${host}`,
      enterprise,
    };
    answer(response, await handle(exchange), request.method === "HEAD");
  };
  const onConnection = (request: IncomingMessage, response: ServerResponse): void => {
    // A request that broke off, or a client that is gone: there is nobody to tell.
    onRequest(request, response).catch(() => response.destroy());
  };
  const server: Server =
    secure === undefined ? createServer(onConnection) : createTlsServer({ key: secure.key, cert: secure.cert }, onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if ("port" in where) server.listen(where.port, "127.0.0.1", resolve);
    else {
      rmSync(where.unixSocket, { force: true });
      server.listen(where.unixSocket, resolve);
    }
  });
  const port = "port" in where ? (server.address() as AddressInfo).port : undefined;
  if (port !== undefined) origin = secure === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  return {
    origin,
    port,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
};
