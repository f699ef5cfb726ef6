/**
 * The words of a conversation. Blocks keep the wire's case, because assistant content is stored and sent back byte for byte;
 * everything around them is ours.
 */
import type { EndedTask, MailFacts, Reminder } from "./reminder.ts";
import type { Usage } from "./usage.ts";
import type { Continue, FailureKind } from "./stop.ts";

export type { EndedTask, MailFacts, Reminder };

export interface TextBlock {
  type: "text";
  text: string;
  citations?: unknown[];
}

export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  /** Absent where the block was cut before its signature, and of models that sign none: only those get such a block back. */
  signature?: string;
}

export interface RedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

export type ImageSource =
  | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
  | { type: "url"; url: string }
  | { type: "file"; file_id: string };

export interface ImageBlock {
  type: "image";
  source: ImageSource;
}

export interface DocumentBlock {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string }
    | { type: "file"; file_id: string };
  title?: string;
  context?: string;
}

export type ToolResultContent = string | (TextBlock | ImageBlock | DocumentBlock)[];

export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: ToolResultContent;
  is_error?: boolean;
}

/** A block type this version does not know (server tools, compaction, …): carried as it came, sent back as it came. */
export interface OpaqueBlock {
  type: "opaque";
  wire: Record<string, unknown>;
}

export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | OpaqueBlock;

interface MessageBase {
  /** Unique in the session; the idempotency key of its transcript record. */
  uuid: string;
  /** ISO 8601, from the injected clock. */
  timestamp: string;
}

export type UserOrigin =
  | "human"
  | "queued"
  | "context"
  | "stop_hook"
  | "recovery"
  | "token_budget"
  | "interruption"
  | "compaction"
  | "command";

export interface UserMessage extends MessageBase {
  type: "user";
  content: ContentBlock[];
  /** Written by the loop: the model sees it, the user's view hides it. */
  isMeta?: true;
  origin?: UserOrigin;
  /** The structured output of the tool whose result this message carries; for clients and hooks, never sent. */
  toolUseResult?: unknown;
  /** Holds the place of a call's result that a hook put off: the call has not run, and is taken up with the next prompt. */
  deferred?: true;
  /** A prompt that was recorded before its `UserPromptSubmit` hooks were asked: where the process died meanwhile, a resume asks them. */
  awaitsHooks?: true;
  /** The id that a client gave it, where that is on record for what was taken out. */
  sourceUuid?: string;
  /** A summary that stands for what was compacted away. */
  isCompactSummary?: true;
  /** The API's own signed block of this summary, as it came: sent in place of the text to models that take it. Only on the first message. */
  compactionBlock?: Record<string, unknown>;
}

/** One completed block of a response (or several, where the source gives them together); blocks of one response share `messageId`. */
export interface AssistantMessage extends MessageBase {
  type: "assistant";
  messageId: string;
  /** The model asked for: what decides whether its thinking may be sent again. */
  model: string;
  content: ContentBlock[];
  requestId?: string;
  /** Set on a message the loop made to show a failure; its text is for people and is never sent. */
  apiError?: { kind: FailureKind; status?: number };
  /** Set where an interruption cut the block. */
  aborted?: true;
  /** What the server told when it began to answer: of the message as it is shown, never of its record. */
  usageSoFar?: Usage;
}

/** The close of one response: its real usage, which anchors every later measurement. Never sent. */
export interface ResponseEndMessage extends MessageBase {
  type: "response_end";
  messageId: string;
  model: string;
  stopReason: string | null;
  usage: Usage;
  costUsd: number;
  requestId?: string;
  /** A digest of the system prompt and the tools that it was asked with: thinking may be bound to them. */
  prefixDigest?: string;
}

export interface CompactBoundaryMessage extends MessageBase {
  type: "compact_boundary";
  /** `rewound`: nothing was summed up; the session goes on from one of its earlier messages, the last of `messages`. */
  trigger: "auto" | "manual" | "reactive" | "rewound";
  preTokens: number;
  postTokens: number;
  /** The last message the summary stands for. */
  lastSummarizedUuid: string | null;
  /** Everything the conversation consists of from here on, summary first; resume reads nothing older. */
  messages: Message[];
  /** Nothing was summed up: images or documents were left out. */
  leftOut?: "media";
}

/** Tokens that the count of one response still holds though they are gone: measurement takes them from that count, and from no other. */
export interface CountedTokens {
  /** The `response_end` that has the count. */
  responseEnd: string;
  tokens: number;
}

/** Asked for by the program that holds the session, by its user, or by the model through a tool of the program's. */
export type SnipAuthor = "host" | "user" | "model";

/** A span of history was taken out, from its first message to its last; a resume takes it out again. Never sent. */
export interface SnipBoundaryMessage extends MessageBase {
  type: "snip_boundary";
  fromUuid: string;
  toUuid: string;
  by: SnipAuthor;
  reason?: string;
  /** Estimated. */
  savedTokens: number;
  /** Null where no count holds the span. */
  counted: CountedTokens | null;
}

/**
 * Takes a snip's span out of a conversation, given and answered whole; undefined: it was not executed, and all is as it was.
 * Pure: the same span is taken out again whenever the session is resumed. The rest stays as it is, the same objects in order.
 */
export type SnipReplay = (
  boundary: SnipBoundaryMessage,
  messages: readonly Message[],
) => readonly Message[] | undefined;

/** Results of old calls gave way to a line each: their calls and ids stay. Never sent; the lines are. */
export interface ResultsClearedMessage extends MessageBase {
  type: "results_cleared";
  /** It was cheaper so, nothing of it was cached any more, or the window was nearly full. */
  why: "money" | "cache_expired" | "room";
  /** Oldest first. */
  cleared: { toolUseId: string; marker: string }[];
  /** Estimated. */
  savedTokens: number;
  counted: CountedTokens | null;
  /** Requests the figures below reckon with, the next included. */
  expectedRequests: number;
  /** USD of input saved over those requests, less what is written to the cache anew and thinking that is left out; null without prices. */
  netUsd: number | null;
}

/** A span of finished work gave way to a summary of it. Never sent itself; what stands for the span is. */
export interface CollapseCommitMessage extends MessageBase {
  type: "collapse_commit";
  /** Every message that is gone. */
  targets: string[];
  /** What stands where the first of them stood: the summary, and the answer the user was given. */
  messages: (UserMessage | AssistantMessage)[];
  /** Tokens of the request before and after. */
  preTokens: number;
  postTokens: number;
  counted: CountedTokens | null;
}

/** Marks history as rewritten from here backwards: thinking that came before it is not sent again. */
export interface ThinkingStrippedMessage extends MessageBase {
  type: "thinking_stripped";
  reason: "rejected" | "model_changed" | "rewritten";
}

export type Attachment =
  | { kind: "queued_command"; prompt: ContentBlock[]; sourceUuid: string }
  /** `mtimeMs`: the time of the change that is told; null where the file is gone. */
  | { kind: "file_changed"; path: string; snippet: string; mtimeMs?: number | null }
  /** `call`: which of several calls of one message it is about, in words. */
  | { kind: "hook_context"; event: string; text: string; toolUseId?: string; call?: string }
  | { kind: "max_turns_reached"; maxTurns: number; turnCount: number }
  | { kind: "hook_stopped_continuation"; event: string; message: string }
  | Reminder;

/** Something that joined the conversation at a turn border. `normalize` decides which kinds the model sees. */
export interface AttachmentMessage extends MessageBase {
  type: "attachment";
  attachment: Attachment;
}

/** For people and clients; never sent. */
export interface NoticeMessage extends MessageBase {
  type: "notice";
  level: "info" | "warning" | "error";
  /** A stable name a test or client can rely on, such as `model_fallback` or `stop_hook_cap`. */
  name: string;
  text: string;
  data?: Record<string, unknown>;
}

export interface TransitionMessage extends MessageBase {
  type: "transition";
  transition: Continue;
  turnCount: number;
}

/** Earlier messages were replaced: drop them. */
export interface TombstoneMessage extends MessageBase {
  type: "tombstone";
  targets: string[];
  reason: "retry" | "fallback" | "escalate" | "refusal" | "deferred";
}

export type Message =
  | UserMessage
  | AssistantMessage
  | ResponseEndMessage
  | CompactBoundaryMessage
  | SnipBoundaryMessage
  | ResultsClearedMessage
  | CollapseCommitMessage
  | ThinkingStrippedMessage
  | AttachmentMessage
  | NoticeMessage
  | TransitionMessage
  | TombstoneMessage;

export type MessageType = Message["type"];
