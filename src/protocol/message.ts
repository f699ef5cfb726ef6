/**
 * The messages of a conversation. Content blocks keep the wire's field names, because assistant content is stored and sent back byte for
 * byte; the fields around the blocks are pawl's own.
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
  /** Absent if the block was cut before its signature, or its model signs none. Only models that sign none get such a block back. */
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

/** A block of a type this version does not know (server tools, compaction, …). It is stored and sent back exactly as it came. */
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
  /** The structured output of the tool whose result this message carries. For clients and hooks; never sent. */
  toolUseResult?: unknown;
  /** A placeholder for the result of a call that a hook deferred: the call has not run, and is taken up with the next prompt. */
  deferred?: true;
  /** The prompt was recorded before its `UserPromptSubmit` hooks ran. If the process dies in between, a resumed session runs them. */
  awaitsHooks?: true;
  /** The id a client gave the message, if that id already belongs to a message that was removed from the conversation. */
  sourceUuid?: string;
  /** A summary that replaces the messages compacted away. */
  isCompactSummary?: true;
  /** The API's own signed block of this summary, byte for byte. Models that accept it get it, not the text. Only on the first message. */
  compactionBlock?: Record<string, unknown>;
}

/** One completed block of a response, or several if the source delivers them together. Blocks of one response share `messageId`. */
export interface AssistantMessage extends MessageBase {
  type: "assistant";
  messageId: string;
  /** The model that was requested. It decides whether the thinking may be sent again. */
  model: string;
  content: ContentBlock[];
  requestId?: string;
  /** Set on a message the loop made to show a failure. Its text is for people and is never sent. */
  apiError?: { kind: FailureKind; status?: number };
  /** Set if an interruption cut the block. */
  aborted?: true;
  /** The usage the server reported when it began to answer. Present only on the message as yielded, never in its transcript record. */
  usageSoFar?: Usage;
}

/** The end of one response, with its real usage, on which every later token measurement is based. Never sent. */
export interface ResponseEndMessage extends MessageBase {
  type: "response_end";
  messageId: string;
  model: string;
  stopReason: string | null;
  usage: Usage;
  costUsd: number;
  requestId?: string;
  /** A digest of the request's system prompt and tools: thinking may be bound to them. */
  prefixDigest?: string;
}

export interface CompactBoundaryMessage extends MessageBase {
  type: "compact_boundary";
  /** `rewound`: nothing was summarised; the session continues from one of its earlier messages, the last of `messages`. */
  trigger: "auto" | "manual" | "reactive" | "rewound";
  preTokens: number;
  postTokens: number;
  /** The last message the summary covers. */
  lastSummarizedUuid: string | null;
  /** The whole conversation from here on, summary first; resume reads nothing older. */
  messages: Message[];
  /** Nothing was summarised: images or documents were left out instead. */
  leftOut?: "media";
}

/** Tokens that were removed but are still included in one response's count. Measurement subtracts them from that count only. */
export interface CountedTokens {
  /** The `uuid` of the `response_end` with that count. */
  responseEnd: string;
  tokens: number;
}

/** Who asked for the snip: the program that holds the session, its user, or the model through a tool of that program. */
export type SnipAuthor = "host" | "user" | "model";

/** A span of history was taken out, from its first message to its last. A resume takes it out again. Never sent. */
export interface SnipBoundaryMessage extends MessageBase {
  type: "snip_boundary";
  fromUuid: string;
  toUuid: string;
  by: SnipAuthor;
  reason?: string;
  /** Estimated. */
  savedTokens: number;
  /** Null if no response's count includes the span. */
  counted: CountedTokens | null;
}

/**
 * Takes a snip's span out of a conversation. Takes and returns the whole conversation; undefined means the snip was not executed and
 * nothing changed. Pure: the same span is taken out again whenever the session is resumed. The other messages stay the same objects in the
 * same order.
 */
export type SnipReplay = (
  boundary: SnipBoundaryMessage,
  messages: readonly Message[],
) => readonly Message[] | undefined;

/** Replaces results of old calls by a one-line marker each; the calls and their ids stay. Never sent; the markers are. */
export interface ResultsClearedMessage extends MessageBase {
  type: "results_cleared";
  /** `money`: it was cheaper. `cache_expired`: none of it was cached any more. `room`: the window was nearly full. */
  why: "money" | "cache_expired" | "room";
  /** Oldest first. */
  cleared: { toolUseId: string; marker: string }[];
  /** Estimated. */
  savedTokens: number;
  counted: CountedTokens | null;
  /** The number of requests assumed by the figures below, including the next one. */
  expectedRequests: number;
  /** USD of input saved over those requests, less the cost of rewriting the cache and of leaving out thinking; null without prices. */
  netUsd: number | null;
}

/** A span of finished work was replaced by a summary. This record is never sent; the replacement is. */
export interface CollapseCommitMessage extends MessageBase {
  type: "collapse_commit";
  /** The `uuid` of every message that was replaced. */
  targets: string[];
  /** The replacement, at the position of the first replaced message: the summary, and the answer the user was given. */
  messages: (UserMessage | AssistantMessage)[];
  /** Tokens of the request before and after. */
  preTokens: number;
  postTokens: number;
  counted: CountedTokens | null;
}

/** Marks the history up to here as rewritten: thinking before this record is not sent again. */
export interface ThinkingStrippedMessage extends MessageBase {
  type: "thinking_stripped";
  reason: "rejected" | "model_changed" | "rewritten";
}

export type Attachment =
  | { kind: "queued_command"; prompt: ContentBlock[]; sourceUuid: string }
  /** `mtimeMs`: the time of the reported change; null if the file is gone. */
  | { kind: "file_changed"; path: string; snippet: string; mtimeMs?: number | null }
  /** `call`: names the call this is about, in words, if the message has several. */
  | { kind: "hook_context"; event: string; text: string; toolUseId?: string; call?: string }
  | { kind: "max_turns_reached"; maxTurns: number; turnCount: number }
  | { kind: "hook_stopped_continuation"; event: string; message: string }
  | Reminder;

/** Something that joined the conversation between requests. `normalize` decides which kinds the model sees. */
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

/** The earlier messages named in `targets` were replaced: drop them. */
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
