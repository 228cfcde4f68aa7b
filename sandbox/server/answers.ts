/**
 * Every answer of every sandbox of this process, told on a channel of `node:diagnostics_channel`: a test suite that checks them need not be
 * handed to each sandbox. Costs nothing where nobody listens.
 */
import { channel } from "node:diagnostics_channel";
import type { Exchange, Reply } from "./exchange.js";

/** Published as an `AnswerNotice`. */
export const ANSWER_CHANNEL = "reviewloop:sandbox:answer";

export interface AnswerNotice {
  readonly service: "rest" | "graphql" | "git";
  readonly method: string;
  /** Without `/api/v3`. */
  readonly path: string;
  readonly accept: string;
  /** The request's body as text; empty for git. */
  readonly asked: string;
  readonly status: number;
  readonly contentType: string;
  /** Empty for git. */
  readonly body: string;
  /** What of this request the sandbox does not know, and its own faults: as in `unknownRequests`. */
  readonly unknown: readonly string[];
}

const answers = channel(ANSWER_CHANNEL);

export const tellAnswer = (
  exchange: Exchange,
  service: AnswerNotice["service"],
  reply: Pick<Reply, "status" | "body"> & { readonly headers: Readonly<Record<string, string>> },
  unknown: readonly string[],
): void => {
  if (!answers.hasSubscribers) return;
  const text = (value: Buffer | string): string => (service === "git" ? "" : value.toString("utf8"));
  const notice: AnswerNotice = {
    service,
    method: exchange.method,
    path: exchange.path,
    accept: exchange.headers.accept ?? "",
    asked: text(exchange.body),
    status: reply.status,
    contentType: reply.headers["content-type"] ?? "",
    body: text(reply.body),
    unknown,
  };
  answers.publish(notice);
};
