/** What connections use of their session and machine. */
import type { WaitingInit } from "../lib/proxied-fetch.ts";
import type { Environment } from "../lib/environment.ts";
import type { AnswerElicitation, McpConnectionStatus, McpElicitationDone } from "../protocol/mcp.ts";
import type { ServerAuth } from "./oauth.ts";
import type { RemoteServer, Server } from "./server.ts";
import type { SilentServers } from "./silent-servers.ts";

export interface McpClock {
  timer(ms: number, onFire: () => void): () => void;
  /** ms since some moment. */
  elapsed(): number;
}

export interface McpWorld {
  clock: McpClock;
  /** In [0, 1), for jitter. */
  random(): number;
  /** pawl's own version, as told to servers. */
  version: string;
  /** The session's working directory, which servers are told as their root. Absolute. */
  cwd: string;
  /** The environment for a server's process: no user credentials except those that its configuration names. */
  environment(): Record<string, string>;
  newTag(): string;
  /** How long a server may take to connect, ms. */
  connectMs: number;
  /** How long a call may take if its server sets no other limit, ms. */
  callMs?: number;
  /** How long a server may be silent during a call, ms; 0: without limit. Absent: the default for its type. */
  idleMs?: number;
  /** How long a call that was answered waits for a change of the tools, if its server announces changes, ms. Absent: not at all. */
  lateChangeMs?: number;
  /** Whether a server's question is waiting for a person. */
  isAsking?: () => boolean;
  fetch?: (url: string | URL, init?: WaitingInit) => Promise<Response>;
  /** Variables that name the proxy to remote servers, if there is one. */
  proxies?: Environment;
  /** Absent: each HTTP server is asked for its protocol version every time. */
  silences?: SilentServers;
  authOf?: (server: RemoteServer) => ServerAuth | undefined;
  /** Removes what logins under a server's name left; false if there was none. */
  logOut?: (name: string) => Promise<boolean>;
  /** Absent: servers' questions are declined. */
  elicit?: AnswerElicitation;
  /** Called when a server reports that a question with this id is completed. Must not throw. */
  onElicited?(completed: McpElicitationDone): void;
  /** Called with the outcome of each attempt to connect. Must not throw. */
  onAttempt?(connection: { server: Server; status: McpConnectionStatus }, durationMs: number): void;
  /** One line each, for a log. */
  debug(line: string): void;
}
