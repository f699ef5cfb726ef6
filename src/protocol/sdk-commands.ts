/** Messages about a session's built-in commands: those that begin with a slash and are answered without the model. */
interface SDKCommandBase {
  uuid: string;
  session_id: string;
}

/** The output of a built-in command; no model was involved. */
export interface SDKLocalCommandOutput extends SDKCommandBase {
  type: "system";
  subtype: "local_command_output";
  content: string;
  /** The command's name, without the slash. */
  command: string;
  /** The output as data, if there is more than text: `ContextUsage` for `context`. */
  data?: unknown;
}

/** The conversation was cleared: what follows has a new id. */
export interface SDKConversationReset extends SDKCommandBase {
  type: "conversation_reset";
  new_conversation_id: string;
  trigger: "clear";
}

/** A command that can be given as a prompt. */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  description: string;
  /** What may follow the name; empty if nothing. */
  argumentHint: string;
  aliases?: string[];
  builtin: boolean;
}
