/** What a session says of its own commands: those that begin with a slash and are answered without the model. */
interface SDKCommandBase {
  uuid: string;
  session_id: string;
}

/** What a built-in command says: no model was asked for it. */
export interface SDKLocalCommandOutput extends SDKCommandBase {
  type: "system";
  subtype: "local_command_output";
  content: string;
  /** Its name, without the slash. */
  command: string;
  /** The same as data, where it is more than text: `ContextUsage` of `context`. */
  data?: unknown;
}

/** The conversation was emptied: what follows has another id. */
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
  /** What may follow the name; empty for nothing. */
  argumentHint: string;
  aliases?: string[];
  builtin: boolean;
}
