/**
 * Built-in commands: what a user may ask of the session itself, as a prompt that begins with a slash. No model is asked,
 * unless the command itself asks one. One file per command, and `loaded-commands.ts` for those with a file in `answers/`; `table.ts` lists
 * them.
 */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { Session } from "../session.ts";

/** What commands may reach of the engine. */
export interface CommandPlace {
  /** The current session: a different one after `clear`. */
  session(): Session;
  /** Ends this session and starts an empty one. */
  clear(): Promise<void>;
  cancel: Cancel;
}

export interface CommandDesk extends CommandPlace {
  commands: readonly Command[];
}

export interface CommandAnswer {
  /** For people, in whole sentences or lines. */
  text: string;
  /** The same for programs, if it is more than text. Plain JSON. */
  data?: unknown;
  isError?: true;
}

export interface Command {
  /** Without the slash. */
  name: string;
  aliases?: readonly string[];
  /** What may follow the name; empty if nothing may. */
  argumentHint: string;
  description: string;
  /** An argument is an error. */
  takesNoArgument?: true;
  /** Does not touch the conversation, so it may run during a turn. */
  mayRunDuringTurn?: true;
  /** Whether this argument makes it a prompt to the model. A skill of the same name takes precedence. */
  isPrompt?(argument: string): boolean;
  run(
    argument: string,
    desk: CommandDesk,
  ): CommandAnswer | Promise<CommandAnswer> | AsyncGenerator<SDKMessage, CommandAnswer>;
}

export function refusal(text: string): CommandAnswer {
  return { text, isError: true };
}
