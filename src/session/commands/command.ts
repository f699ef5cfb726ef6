/**
 * Built-in commands: what a user may ask of the session itself, as a prompt that begins with a slash. No model is asked, but where the
 * command is one to the model. One file a command; `table.ts` lists them.
 */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { Session } from "../session.ts";

/** What commands may reach of the engine. */
export interface CommandPlace {
  /** The session as it is now: another one after `clear`. */
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
  /** The same for programs, where it is more than text. Plain JSON. */
  data?: unknown;
  isError?: true;
}

export interface Command {
  /** Without the slash. */
  name: string;
  aliases?: readonly string[];
  /** What may follow the name; empty for nothing. */
  argumentHint: string;
  description: string;
  /** Words behind it are a mistake. */
  takesNothing?: true;
  /** Touches nothing of the conversation: it may run while a turn does. */
  isBeside?: true;
  /** Such an argument makes it a prompt to the model; a skill of that name counts instead. */
  isPrompt?(argument: string): boolean;
  run(
    argument: string,
    desk: CommandDesk,
  ): CommandAnswer | Promise<CommandAnswer> | AsyncGenerator<SDKMessage, CommandAnswer>;
}

export function refusal(text: string): CommandAnswer {
  return { text, isError: true };
}
