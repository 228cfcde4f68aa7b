/** What the command line gets of the process; tests give it something else. */
import type { Readable } from "node:stream";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Surroundings {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Registers what Ctrl-C does; gives back how to unregister it. */
  readonly onInterrupt: (act: () => void) => () => void;
}
