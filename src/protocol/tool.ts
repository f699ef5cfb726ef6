/** The Tool port: what a tool is, and what it may ask of the run that calls it. */
import type { McpServerProvenance } from "./mcp.ts";
import type { ContentBlock, ToolResultContent } from "./message.ts";
import type { JudgedPath, PermissionSubject } from "./permission.ts";
import type { SDKMessage } from "./sdk.ts";

/** JSON Schema of an input object, as the API takes it. Written as a literal, so that its bytes never change within a version. */
export interface ToolInputSchema {
  type: "object";
  properties?: Record<string, unknown>;
  required?: string[];
  additionalProperties?: boolean;
  [key: string]: unknown;
}

/** What the model is told about a tool. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
}

export type ToolInput = Record<string, unknown>;

export interface ToolContext {
  sessionId: string;
  /** The position of the call in the run, such as `t12.tool.0`; also the key of its side effects. */
  key: string;
  toolUseId: string;
  /** Aborts when the call must end. `signal.reason` is a `CancelCause`, `"sibling"`, `"timeout"` or `"failed"`. */
  signal: AbortSignal;
  /** Working directory at the start of the call. Absolute. */
  cwd: string;
  /** A PreToolUse hook wants a person asked about the call. The call's input is validated again for that question. */
  hookAsks?: true;
  /** Where the call's paths led when the call was allowed. Absent if nobody resolved them. */
  judged?: readonly JudgedPath[] | undefined;
  /**
   * Registers a function that releases something at the end of the user turn, however the turn ends. Each runs once, in the order of
   * registration, within 5 s; a failure is silent. A later registration under the same name replaces the earlier one. In a subagent they
   * run when its session is closed.
   */
  registerTurnEnd: (name: string, dispose: () => unknown) => void;
}

export interface ToolProgress {
  toolUseId: string;
  toolName: string;
  /** Text that arrived since the last progress event, bounded by the tool. */
  text?: string;
  elapsedMs?: number;
  data?: Record<string, unknown>;
  /** A message from a subagent of this call. Shown whole, and in order with the others. */
  message?: SDKMessage;
}

export interface ToolResult {
  /** What the model receives. */
  content: ToolResultContent;
  isError?: boolean | undefined;
  /** The structured output for clients and hooks (`tool_use_result`), plain JSON. */
  output?: unknown;
  /** The work is done with this result: the turn ends, unless a check at the end of the turn says otherwise. */
  endsTurn?: true | undefined;
  /** A hook that the tool itself ran ends the run. */
  stoppedBy?: { event: string; message: string } | undefined;
  /** Content the call adds to the conversation after its result, at the end of the batch. */
  followUp?: ContentBlock[] | undefined;
}

export type InputVerdict = { ok: true } | { ok: false; message: string };

/**
 * A tool. `call` should return failures as `{isError: true}`; what it throws becomes an error result too. It must settle soon after
 * `context.signal` aborts, and leave no process, handle or timer behind.
 */
export interface Tool extends ToolDefinition {
  /** Set on a tool of an MCP server. */
  mcpServer?: McpServerProvenance;
  /** Older names the model or a rule may use. */
  aliases?: readonly string[];
  /** The schema is only for the model: the tool validates its own input. */
  checksOwnInput?: true;
  /**
   * Every call is a question that a person, or the host, must answer. No mode (not even `bypassPermissions`), no rule and no judge allows
   * it; a hook does only if it provides the input to run with. In `plan` mode it may be called if it is read-only.
   */
  requiresUserInteraction?: true;
  /** For such a tool: input fields that only the person or program answering fills in. The model's values for them are ignored. */
  answeredFields?: readonly string[];
  /** For such a tool: whether an input contains an answer; without one, a hook cannot allow the call. Default: always. Must not throw. */
  isAnswered?(input: ToolInput): boolean;
  /** Whether the call may run in parallel with other such calls. Must be pure and must not throw on any validated input. */
  isConcurrencySafe(input: ToolInput): boolean;
  isReadOnly(input: ToolInput): boolean;
  /** What a new message from the user does to a running call: `block` waits for the call, `cancel` ends it. Default `cancel`. */
  interruptBehavior?: "cancel" | "block";
  /** A failed call cancels its running siblings of the same message. Default false. */
  failureCancelsSiblings?: boolean;
  /** What a resume may do with a call whose outcome is unknown. */
  replay: "safe" | "idempotent" | "never";
  /** How many characters of a result the model gets inline; the rest is spilled to a file. Infinity: never spilled. */
  maxResultSizeChars: number;
  /** The call is ended after this long, ms. Default 30 minutes. */
  timeLimitMs?(input: ToolInput): number;
  /** What the permission engine judges. Default: the tool's name alone. */
  permissionSubjects?(input: ToolInput, cwd: string): PermissionSubject[];
  /** One line for people: `Read src/a.ts`. */
  describe?(input: ToolInput): string;
  /** Makes the checks that the schema cannot express. Reads only. May return synchronously if it has nothing to wait for. */
  validateInput?(input: ToolInput, context: ToolContext): InputVerdict | Promise<InputVerdict>;
  /**
   * Called as soon as the model begins to write a call of this tool, so that resources can be prepared while the input is still streaming.
   * The call may never follow, and a call that arrives whole is not announced. Must not throw.
   */
  onAnnounced?(): void;
  /** Derives fields for hooks and clients (absolute paths). The input sent to the API does not change. */
  observableInput?(input: ToolInput, cwd: string): ToolInput;
  /** What the model receives if a hook replaces the tool's `output`. Undefined if the replacement is not of the tool's output shape. */
  contentOf?(output: unknown): ToolResultContent | undefined;
  /**
   * Called if a call is refused before it runs: by a hook, by a permission check, or because its input is invalid. True: the turn ends with
   * it, as with `endsTurn` of a result. Must not throw.
   */
  onRefused?(why: string): boolean;
  call(input: ToolInput, context: ToolContext, onProgress: (progress: ToolProgress) => void): Promise<ToolResult>;
}
