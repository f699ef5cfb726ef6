/** Servers of the Model Context Protocol: their configuration, their connections, and the tools they offer to this session. */
import type { ToolPolicy } from "./tool-policy.ts";
import type { McpScope, McpServerInstance, McpServerProvenance, McpTransport } from "../protocol/mcp.ts";

interface AnyServer {
  /** As configured. */
  name: string;
  scope: McpScope;
  /** The file or flag it comes from, for people. */
  source: string;
  /** Time limit of a call, ms. */
  timeoutMs?: number;
  alwaysLoad: boolean;
  /** What supplies the server, if not a file of its scope. */
  providedBy?: "agent" | "plugin";
  /** The configuration itself switches it off. */
  isOff?: true;
  /** Tools that are asked about each time, or denied. */
  policies?: ReadonlyMap<string, ToolPolicy>;
}

export interface StdioServer extends AnyServer {
  type: "stdio";
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The folder of the configuration it comes from. Absolute. */
  cwd: string;
  /** The working directory of its process. Absolute. */
  startsIn: string;
}

export interface RemoteServer extends AnyServer {
  type: "http" | "sse";
  url: string;
  headers: Record<string, string>;
  /** A command that prints further headers as a JSON object, run in `cwd`. */
  headersHelper?: string;
  cwd: string;
  oauth?: {
    clientId?: string;
    clientSecret?: string;
    callbackPort?: number;
    /** Separated by spaces: requested instead of the scopes that the server names. */
    scopes?: string;
    /** Address of the login server's metadata; replaces the usual discovery. */
    authServerMetadataUrl?: string;
  };
}

/** A server behind a WebSocket. */
export interface SocketServer extends Omit<RemoteServer, "type" | "oauth"> {
  type: "ws";
}

export interface SdkServer extends AnyServer {
  type: "sdk";
  instance: McpServerInstance;
}

export interface TransportServer extends AnyServer {
  type: "transport";
  open(): McpTransport;
}

export type Server = StdioServer | RemoteServer | SocketServer | SdkServer | TransportServer;

/** A configured server that may not start, or cannot. */
export interface IdleServer {
  name: string;
  scope: McpScope;
  source: string;
  /** `failed`: its entry is not a valid server. */
  status: "disabled" | "failed";
  /** One sentence. */
  why: string;
}

/** The server is the user's own choice, so what it says about its tools counts. */
export function isChosenByUser({ scope }: Pick<Server, "scope">): boolean {
  return scope !== "project";
}

/** The source of a configured server, by scope. */
export const configuredSources: Readonly<Record<McpScope, string>> = {
  flag: "dynamic",
  sdk: "dynamic",
  local: "local",
  project: "project",
  user: "user",
  policy: "managed",
};

/** Decided by the server's type rather than its name: no file can configure a server that lives in the host. */
export function provenanceOf({ name, type, scope, providedBy }: Server): McpServerProvenance {
  const isHostServer = type === "sdk" || type === "transport";
  return { name, source: isHostServer ? "sdk" : (providedBy ?? configuredSources[scope]) };
}
