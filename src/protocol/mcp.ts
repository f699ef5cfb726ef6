/** Servers of the Model Context Protocol: their configuration, their transport, and their status. */

/** Carries the messages of one connection, each a JSON-RPC object. `onmessage` and the other handlers are set before `start` is called. */
export interface McpTransport {
  start?(): Promise<void>;
  send(message: unknown): Promise<void> | void;
  close(): Promise<void> | void;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** A server in this process, such as one made by `createSdkMcpServer`. Servers made with the official MCP packages fit too. */
export interface McpServerInstance {
  connect(transport: McpTransport & { start(): Promise<void> }): Promise<void>;
}

/** What a server's owner says about one of its tools. `always_allow` has no effect: only permission rules allow a tool. */
export interface McpServerToolPolicy {
  /** The name the server uses. */
  name: string;
  permission_policy?: "always_allow" | "always_ask" | "always_deny";
  org_max_permission?: "allow" | "ask" | "blocked";
}

interface AnyServerConfig {
  /** Policies for its tools: those to ask about on every call, whatever rules allow them, and those not offered at all. */
  tools?: McpServerToolPolicy[];
  /** The time limit of a call, ms; values below 1,000 are ignored. */
  timeout?: number;
  /** Offers the server's tools from the start, however many there are. */
  alwaysLoad?: boolean;
}

export interface McpStdioServerConfig extends AnyServerConfig {
  type?: "stdio";
  command: string;
  args?: string[];
  env?: Record<string, string>;
  /** The working directory of the server; a relative path starts from the directory it would have by default. */
  cwd?: string;
}

export interface McpRemoteServerConfig extends AnyServerConfig {
  /** `ws`: a WebSocket, whose address begins with `ws://` or `wss://`. */
  type: "http" | "sse" | "ws";
  url: string;
  headers?: Record<string, string>;
}

export interface McpSdkServerConfig extends AnyServerConfig {
  type: "sdk";
  name?: string;
  instance: McpServerInstance;
}

/** A server behind a transport that the host provides. Each call of `open` gives a new connection. */
export interface McpTransportServerConfig extends AnyServerConfig {
  type: "transport";
  open(): McpTransport;
}

export type McpServerConfig =
  | McpStdioServerConfig
  | McpRemoteServerConfig
  | McpSdkServerConfig
  | McpTransportServerConfig;

export type McpConnectionStatus = "connected" | "failed" | "needs-auth" | "pending" | "disabled";

/** Who named a server: a flag, the host, a file of the user's, a file of the project, or an administrator. */
export type McpScope = "flag" | "sdk" | "local" | "project" | "user" | "policy";

/** Which server a tool belongs to, and where that server comes from. Use this instead of names, which anybody may choose. */
export interface McpServerProvenance {
  /** As written where the server is configured: not safe to display without cleaning. */
  name: string;
  /**
   * `sdk`: the server lives in the host; nothing else can declare such a server. Others: `dynamic` (named by the host or a flag), `user`,
   * `project`, `local`, `managed`, `plugin`, `agent` (from an agent's definition). More may be added.
   */
  source: string;
}

export interface McpServerStatus {
  name: string;
  status: McpConnectionStatus;
  scope: McpScope;
  /** As in the `McpServerProvenance` of its tools. */
  source: string;
  /** Why the server is not connected, one sentence. */
  error?: string;
  serverInfo?: { name: string; version: string };
  tools?: { name: string; description: string; readOnly?: boolean }[];
}

/** What a server asks the user in the middle of its work. The texts are the server's own, cleaned. */
export interface McpElicitation {
  serverName: string;
  message: string;
  mode: "form" | "url";
  /** Mode `url`: the address the user should visit. */
  url?: string;
  elicitationId?: string;
  /** Mode `form`: the JSON Schema of a flat object. */
  requestedSchema?: Record<string, unknown>;
}

export type McpElicitationAnswer =
  | { action: "accept"; content?: Record<string, string | number | boolean | string[]> }
  | { action: "decline" | "cancel" };

export type AnswerElicitation = (asked: McpElicitation, signal: AbortSignal) => Promise<McpElicitationAnswer>;

/** A server reports that the user has finished what it asked for at a URL. */
export interface McpElicitationDone {
  serverName: string;
  elicitationId: string;
}

/** The host's handler. `requestId` identifies the question; `signal` aborts when the answer is no longer needed. Null declines. */
export type OnElicitation = (
  asked: McpElicitation,
  options: { signal: AbortSignal; requestId: string },
) => Promise<McpElicitationAnswer | null>;
