/** The settings of one config over the defaults, without files and plugins: for embedders with ports of their own, and for tests. */
import type { Config } from "./define.js";
import type { Settings } from "../settings.js";
import { settingsOf, settle } from "./settings.js";

export interface SettingsKnown {
  /** Name of the target in force. Default: `review-clean`. */
  readonly target?: string;
  /** Is there an agent? Default: true. */
  readonly hasAgent?: boolean;
  /** Did somebody configure this repository? Default: true; with false a first run asks before it writes. */
  readonly configured?: boolean;
}

/** Pure. Only the settings of the config are looked at; its plugins, presets and agents are whoever calls `runLoop`'s. Not checked. */
export const settingsFor = (config: Config = {}, known: SettingsKnown = {}): Settings =>
  settingsOf(settle([{ from: "settingsFor", file: "", at: "", folder: ".", config }]), {
    target: known.target ?? "review-clean",
    hasAgent: known.hasAgent ?? true,
    configured: known.configured ?? true,
  });
