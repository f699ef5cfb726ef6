/**
 * The script: what the model will say. TypeScript and JSON scripts have the same shapes. Functions and regular expressions exist
 * only in TypeScript; JSON has `{ "regex": … }` and the `$from…` selectors instead.
 */
import type { ModelTraits } from "../models.ts";
import type { Price } from "../billing/prices.ts";
import type { Json, JsonObject, WireBlock } from "../wire/types.ts";
import type { Fault, FaultKind } from "./faults.ts";
import type { RequestView } from "./request-view.ts";

export interface Script {
  /** Replies in order, each used once. A step that is never used makes `assertDone()` fail. */
  steps?: Step[];
  /** Checked before the steps, in order; the first rule that matches answers. Each may be used any number of times. */
  rules?: Rule[];
  /** Answers when no rule matches and the steps are used up. Without a fallback, such a request is refused with a 400. */
  fallback?: ReplySource;
  /**
   * Whether each conversation has its own run through `steps`. `true` distinguishes conversations by their first user message,
   * `{ header }` by a request header. Default: one sequence for the whole server.
   */
  perConversation?: boolean | { header: string };
  /**
   * `consumed` (default): the next unused step. `turns`: the step whose index is the number of assistant messages in the request,
   * so that the same request always gets the same reply, even after either side restarts.
   */
  stepBy?: "consumed" | "turns";
  /** Overrides of, and additions to, the built-in model table. */
  models?: Record<string, Partial<ModelTraits>>;
  /** USD per million tokens by model id; overrides the built-in price list. */
  prices?: Record<string, Price>;
  /** Random faults, the same ones for the same seed. */
  faults?: RandomFaults;
  /** Replaces every model's context window, in tokens. */
  window?: number;
  /** Default pacing of every reply. */
  pace?: Pace;
}

export type ReplySource = string | Reply | ((request: RequestView) => Reply | string);

export type Step = ReplySource;

export interface Rule {
  /** Shown in records and errors. */
  name?: string;
  /** All conditions must hold. An empty object matches everything. */
  when: Match;
  reply: ReplySource;
  /** How often the rule may answer; then it no longer matches. Default: without limit. */
  times?: number;
}

/** A string must be contained; an expression must match. */
export type TextMatch = string | RegExp | { regex: string; flags?: string };

export interface ToolResultMatch {
  /** The tool's name, or alternatives. */
  tool?: string | string[];
  text?: TextMatch;
  isError?: boolean;
}

export interface Match {
  /** The text of the last user message that has text. */
  lastUserText?: TextMatch;
  /** Some tool result in the last message satisfies all of these. */
  lastToolResult?: ToolResultMatch;
  /** Some tool result anywhere in the conversation satisfies all of these. */
  anyToolResult?: ToolResultMatch;
  /** Number of messages in the request. */
  messages?: number | { min?: number; max?: number };
  /** Number of assistant messages in the request. */
  turns?: number | { min?: number; max?: number };
  model?: TextMatch;
  system?: TextMatch;
  /** The nth `/v1/messages` call the server has seen, from 1. */
  call?: number;
  /** A tool of this name (or one of these) is on offer. */
  hasTool?: string | string[];
  /** The request offers tools at all. */
  offersTools?: boolean;
  /** The request asks for a summary (`compaction`) instead of a reply. */
  compacts?: boolean;
  /** TypeScript only. */
  test?: (request: RequestView) => boolean;
}

export interface Reply {
  /** A string is one text part. Default: nothing, which is an empty `end_turn`. */
  content?: string | Part[];
  /** Default: `tool_use` if a client tool is called, else `end_turn`. */
  stopReason?: string;
  stopSequence?: string;
  stopDetails?: JsonObject;
  /** Replaces computed figures in the reported usage and in the bill. */
  usage?: JsonObject;
  /** The model id reported; default: the requested one. */
  model?: string;
  headers?: Record<string, string>;
  pace?: Pace;
  fault?: Fault | FaultKind;
  /** Extra stream events outside the protocol, each sent after the event with that index (0 = `message_start`). */
  extraEvents?: { after: number; event?: string; data: Json }[];
}

export interface Pace {
  /** Characters of one delta. Default 64. */
  deltaCharacters?: number;
  /** Waits before each delta. Default 0. */
  delayMs?: number;
  /** Waits before the first byte. Default 0. */
  firstByteMs?: number;
  /** Waits between the end of one content block and the next event. Default 0. */
  blockDelayMs?: number;
  /** Cuts the byte stream into pieces of this size, even inside UTF-8 sequences. */
  bytesPerChunk?: number;
}

/** A value, or a function of the request (TypeScript only). */
export type Dynamic<T> = T | ((request: RequestView) => T);

/** Text, thinking and tool calls may also be written in the API's own form: with their `type`, and a tool call with its `name`. */
export type Part =
  | string
  | { type?: "text"; text: Dynamic<string> | Selector; citations?: Json[] }
  /** Left out if the request does not think; sent with empty text if the request's `display` omits thinking. */
  | { type?: "thinking"; thinking: Dynamic<string> | Selector }
  | { redactedThinking: string }
  | ToolPart
  | ToolUsePart
  | { serverTool: string; input?: JsonObject; id?: string }
  /** A signed summary, as on-demand compaction returns it. */
  | { compaction: string }
  /** Any block, sent as it is: start and stop without deltas. */
  | { block: WireBlock };

export interface ToolPart {
  /** The tool's name. Alternatives (`"Read|read_file|View"` or a list) are resolved against the offered tools. */
  tool: string | string[];
  /**
   * Keys may have alternatives too (`"file_path|path"`), resolved against the tool's own schema. Values may be selectors. In
   * TypeScript, `input` may also be a function of the request.
   */
  input?: Dynamic<JsonObject>;
  /** Sent instead of the JSON of `input`, byte for byte. */
  rawInput?: string;
  /** Default: made by the server. */
  id?: string;
}

/** A tool call in the API's own form. */
export interface ToolUsePart extends Omit<ToolPart, "tool"> {
  type: "tool_use";
  name: ToolPart["tool"];
}

/** A value taken from the request, for scripts in JSON. */
export type Selector = { $fromResult: ResultSelector } | { $fromUser: TextSelector } | { $concat: Json[] };

export interface TextSelector {
  /** Default: the whole text. */
  regex?: string;
  flags?: string;
  /** Capture group; default 1 if the expression has one, else 0. */
  group?: number;
  /** Used if nothing matches; without a default the script fails. */
  default?: Json;
}

export interface ResultSelector extends TextSelector {
  /** Only results of this tool (alternatives with `|`). Default: any. */
  tool?: string;
  /** `last` (default) looks from the newest result backwards, `first` from the oldest. */
  pick?: "first" | "last";
}

export interface RandomFaults {
  seed: number;
  /** 0 to 1, for each `/v1/messages` request. */
  probability: number;
  /** Default: every kind that a client is expected to recover from. */
  kinds?: FaultKind[];
  /** Maximum number of faults in a row in one conversation. Default 3. */
  maxInARow?: number;
}
