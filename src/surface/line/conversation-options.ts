/** What a conversation at a terminal is given. */
import type { WorkPlace } from "../show/farewell.ts";
import type { StopCause, StopDesk } from "../stop.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";

export interface ConversationOptions extends Omit<KeyboardOptions, "kind" | "style" | "modes" | "below">, WorkPlace {
  output: KeyboardOptions["output"] & { isTTY?: boolean; on(event: "error", listener: () => void): unknown };
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** What says that a screen reader is to read it; undefined: nothing does. */
  screenReader?: "flag" | "env" | "settings" | undefined;
  version: string;
  stop: StopDesk;
  /** A second Ctrl+C: leave at once. */
  leaveNow: (cause: StopCause) => void;
}
