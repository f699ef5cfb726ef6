/** Servers of the Model Context Protocol: how they are configured, how one is reached, and what is told of them. */

/** Carries messages of one connection, each a JSON-RPC object. `onmessage` and the others are set before `start` is called. */
export interface McpTransport {
  start?(): Promise<void>;
  send(message: unknown): Promise<void> | void;
  close(): Promise<void> | void;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** A server in this process, such as `createSdkMcpServer` makes; those of the protocol's own packages fit. */
export interface McpServerInstance {
  connect(transport: McpTransport & { start(): Promise<void> }): Promise<void>;
}

/** What a server's owner says of one of its tools; `always_allow` changes nothing: allowing is for rules. */
export interface McpServerToolPolicy {
  /** As the server calls it. */
  name: string;
  permission_policy?: "always_allow" | "always_ask" | "always_deny";
  org_max_permission?: "allow" | "ask" | "blocked";
}

interface AnyServerConfig {
  /** Its tools that are asked about each time, whatever allows them, or not to be had. */
  tools?: McpServerToolPolicy[];
  /** Of a call, ms; below 1,000 it is ignored. */
  timeout?: number;
  /** Its tools are offered from the start, however many there are. */
  alwaysLoad?: boolean;
}

export interface McpStdioServerConfig extends AnyServerConfig {
  type?: "stdio";
  command: string;
  args?: string[];
  env?: Record<string, string>;
  /** Where it starts, read from the place that it starts in without one. */
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

/** A server behind a way that the host keeps open; each call of `open` gives a new connection. */
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

/** Who named a server: a flag, the host, a file of the user's, of the folder that is worked in, or of an administrator. */
export type McpScope = "flag" | "sdk" | "local" | "project" | "user" | "policy";

/** Which server a tool is of, and whose word that server is. To be gone by instead of names, which anybody may choose. */
export interface McpServerProvenance {
  /** As it was written, by whomever: no text to show as it is. */
  name: string;
  /**
   * `sdk`: it lives in the host, and nobody else can name one so. Others: `dynamic` (named by the host or a flag), `user`, `project`, `local`,
   * `managed`, `plugin`, `agent` (of an agent's definition). More may come.
   */
  source: string;
}

export interface McpServerStatus {
  name: string;
  status: McpConnectionStatus;
  scope: McpScope;
  /** As a tool's `McpServerProvenance` has it. */
  source: string;
  /** Why it is not connected, one sentence. */
  error?: string;
  serverInfo?: { name: string; version: string };
  tools?: { name: string; description: string; readOnly?: boolean }[];
}

/** What a server asks of the user in the middle of its work. Its texts are its own words, cleaned. */
export interface McpElicitation {
  serverName: string;
  message: string;
  mode: "form" | "url";
  /** Of mode `url`: where the user is to go. */
  url?: string;
  elicitationId?: string;
  /** Of mode `form`: JSON Schema of a flat object. */
  requestedSchema?: Record<string, unknown>;
}

export type McpElicitationAnswer =
  | { action: "accept"; content?: Record<string, string | number | boolean | string[]> }
  | { action: "decline" | "cancel" };

export type AnswerElicitation = (asked: McpElicitation, signal: AbortSignal) => Promise<McpElicitationAnswer>;

/** What a server had its user do at an address is done there, as it says. */
export interface McpElicitationDone {
  serverName: string;
  elicitationId: string;
}

/** The host's. `requestId` tells one question from another; `signal` says that nobody waits any more. Null declines. */
export type OnElicitation = (
  asked: McpElicitation,
  options: { signal: AbortSignal; requestId: string },
) => Promise<McpElicitationAnswer | null>;
