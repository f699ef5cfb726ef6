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

/** What the model is told of a tool. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
}

export type ToolInput = Record<string, unknown>;

export interface ToolContext {
  sessionId: string;
  /** `t12.tool.0`: position of the call in the run; also the effect's key. */
  key: string;
  toolUseId: string;
  /** Aborts when the call must end. `signal.reason` is a `CancelCause` or `"sibling"`. */
  signal: AbortSignal;
  /** Working directory at the start of the call. Absolute. */
  cwd: string;
  /** A PreToolUse hook wants somebody to be asked about the call, whose input is checked again for that. */
  hookAsks?: true;
  /** Where its paths led when the call was allowed. Absent where nobody looked. */
  judged?: readonly JudgedPath[] | undefined;
  /**
   * Has something released at the end of the user turn, however it ends: once, in the order of registration, within 5 s, and in
   * silence where it fails. Of one name the last counts. In a subagent it is released when its session is closed.
   */
  registerTurnEnd: (name: string, dispose: () => unknown) => void;
}

export interface ToolProgress {
  toolUseId: string;
  toolName: string;
  /** Text that arrived since the last progress, bounded by the tool. */
  text?: string;
  elapsedMs?: number;
  data?: Record<string, unknown>;
  /** What an agent below says; shown whole, and in order with the others. */
  message?: SDKMessage;
}

export interface ToolResult {
  /** What the model gets. */
  content: ToolResultContent;
  isError?: boolean | undefined;
  /** The structured output for clients and hooks (`tool_use_result`), plain JSON. */
  output?: unknown;
  /** The work is done with it: the turn ends, unless what judges its end says otherwise. */
  endsTurn?: true | undefined;
  /** A hook that the tool itself has asked ends the run. */
  stoppedBy?: { event: string; message: string } | undefined;
  /** Messages the call adds after its result, at the end of the batch. */
  followUp?: ContentBlock[] | undefined;
}

export type InputVerdict = { ok: true } | { ok: false; message: string };

/**
 * A tool. `call` should return failures as `{isError: true}`; what it throws becomes an error result too.
 * It must settle soon after `context.signal` aborts, leaving no process, handle or timer behind.
 */
export interface Tool extends ToolDefinition {
  /** Of a tool that an MCP server has. */
  mcpServer?: McpServerProvenance;
  /** Older names the model or a rule may use. */
  aliases?: readonly string[];
  /** Its schema is for the model: what it is called with it judges itself. */
  checksOwnInput?: true;
  /**
   * Each call of it is for a person, or a host, to answer: no mode, no rule and no judge allows it, in `bypassPermissions` either. Of
   * hooks, one does that gives the input to run with. In the mode `plan` it may be called where it is read-only.
   */
  requiresUserInteraction?: true;
  /** Of such a tool: fields of its input that only whoever answers fills. What a model says in them is not heard. */
  answeredFields?: readonly string[];
  /** Of such a tool: whether an input holds an answer, without which a hook's consent is none. Default: any does. Must not throw. */
  isAnswered?(input: ToolInput): boolean;
  /** May run beside other such calls. Must be pure and must not throw on any validated input. */
  isConcurrencySafe(input: ToolInput): boolean;
  isReadOnly(input: ToolInput): boolean;
  /** What a submit-interrupt does to a running call: wait for it, or cancel it. Default `cancel`. */
  interruptBehavior?: "cancel" | "block";
  /** A failed call cancels its running siblings of the same message. Default false. */
  failureCancelsSiblings?: boolean;
  /** What a resume may do with a call whose outcome is unknown. */
  replay: "safe" | "idempotent" | "never";
  /** Characters of result the model gets inline; the rest is spilled to a file. Infinity: never spilled. */
  maxResultSizeChars: number;
  /** The call is ended after this long, ms. Default 30 minutes. */
  timeLimitMs?(input: ToolInput): number;
  /** What the permission engine judges. Default: the tool's name alone. */
  permissionSubjects?(input: ToolInput, cwd: string): PermissionSubject[];
  /** One line for people: `Read src/a.ts`. */
  describe?(input: ToolInput): string;
  /** Checks the schema cannot express. Reads only. What can be said at once need not be a promise. */
  validateInput?(input: ToolInput, context: ToolContext): InputVerdict | Promise<InputVerdict>;
  /**
   * Told as soon as the model begins to write a call of it: what a call needs may be made ready while the input still comes. Whether a
   * call follows is open; a call that comes whole at once is not announced. Must not throw.
   */
  onAnnounced?(): void;
  /** Fields derived for hooks and clients (absolute paths); the API-bound input is left alone. */
  observableInput?(input: ToolInput, cwd: string): ToolInput;
  /** What the model gets of an `output` of its shape that a hook put in the place of its own. Undefined: it is not of that shape. */
  contentOf?(output: unknown): ToolResultContent | undefined;
  /**
   * Told of a call that was refused before it ran: by a hook, a permission, or since its input was none. True: the turn ends with
   * it, as `endsTurn` of a result has it. Must not throw.
   */
  onRefused?(why: string): boolean;
  call(input: ToolInput, context: ToolContext, onProgress: (progress: ToolProgress) => void): Promise<ToolResult>;
}
