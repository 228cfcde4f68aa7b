/** What a push asks for, read from the start of its body: lines `old new ref` in git's packet format. */
import { gunzipSync } from "node:zlib";

export interface PushCommand {
  readonly before: string;
  readonly after: string;
  readonly ref: string;
}

export const pushCommands = (body: Buffer, encoding: string | undefined): readonly PushCommand[] => {
  const bytes = encoding === "gzip" || encoding === "x-gzip" ? gunzipSync(body) : body;
  const commands: PushCommand[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = Number.parseInt(bytes.subarray(at, at + 4).toString("latin1"), 16);
    if (!(length > 4)) break;
    const [line = ""] = bytes
      .subarray(at + 4, at + length)
      .toString("utf8")
      .split("\0");
    const match = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+?)\n?$/u.exec(line);
    if (match !== null) commands.push({ before: match[1] ?? "", after: match[2] ?? "", ref: match[3] ?? "" });
    at += length;
  }
  return commands;
};
