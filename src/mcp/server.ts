/** Servers of the Model Context Protocol: their configuration, their connections, and what they offer as tools of this session. */
import type { ToolPolicy } from "./tool-policy.ts";
import type { McpScope, McpServerInstance, McpServerProvenance, McpTransport } from "../protocol/mcp.ts";

interface AnyServer {
  /** As it was written. */
  name: string;
  scope: McpScope;
  /** For people: the file or flag it comes from. */
  source: string;
  /** Of a call, ms. */
  timeoutMs?: number;
  alwaysLoad: boolean;
  /** What else than a file of its scope brings it. */
  broughtBy?: "agent" | "plugin";
  /** Whoever wrote it down has switched it off there. */
  isOff?: true;
  /** Of its tools that are asked about each time, or not to be had. */
  policies?: ReadonlyMap<string, ToolPolicy>;
}

export interface StdioServer extends AnyServer {
  type: "stdio";
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Of what it comes from. Absolute. */
  cwd: string;
  /** Where its process begins. Absolute. */
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
    /** With blanks between: asked for in place of those that the server names. */
    scopes?: string;
    /** What the login server says of itself is there; nobody is asked where. */
    authServerMetadataUrl?: string;
  };
}

/** Behind a WebSocket. */
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

/** A server that is there but may not start, or cannot. */
export interface IdleServer {
  name: string;
  scope: McpScope;
  source: string;
  /** `failed`: what was written of it is no server. */
  status: "disabled" | "failed";
  /** One sentence. */
  why: string;
}

/** Its owner's word about its own tools counts as the user's. */
export function isUsersOwn({ scope }: Pick<Server, "scope">): boolean {
  return scope !== "project";
}

/** Of servers that are written down. */
export const configuredSources: Readonly<Record<McpScope, string>> = {
  flag: "dynamic",
  sdk: "dynamic",
  local: "local",
  project: "project",
  user: "user",
  policy: "managed",
};

/** By what it is, not by what it is called: no file can write down a server that lives in the host. */
export function provenanceOf({ name, type, scope, broughtBy }: Server): McpServerProvenance {
  const isHosts = type === "sdk" || type === "transport";
  return { name, source: isHosts ? "sdk" : (broughtBy ?? configuredSources[scope]) };
}
