/** The options of a conversation at a terminal. */
import type { Environment } from "../../lib/environment.ts";
import type { Theme } from "../../protocol/theme.ts";
import type { WorktreeOption } from "../show/farewell.ts";
import type { StopCause, StopDesk } from "../stop-desk.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";

export interface ConversationOptions
  extends Omit<KeyboardOptions, "kind" | "style" | "modes" | "below" | "answers">, WorktreeOption {
  output: KeyboardOptions["output"] & { isTTY?: boolean; on(event: "error", listener: () => void): unknown };
  env: Environment;
  cwd: string;
  /** Where the screen reader mode was requested; undefined if it was not. */
  screenReader?: "flag" | "env" | "settings" | undefined;
  /** The setting of this name. */
  theme?: Theme | undefined;
  version: string;
  stop: StopDesk;
  /** Called at a second Ctrl+C: exits at once. */
  leaveNow: (cause: StopCause) => void;
}
