/** What connections reach of their session and machine. */
import type { WaitingInit } from "../lib/proxied-fetch.ts";
import type { ProxyVariables } from "../lib/proxy.ts";
import type { AnswerElicitation, McpConnectionStatus, McpElicitationDone } from "../protocol/mcp.ts";
import type { ServerAuth } from "./oauth.ts";
import type { RemoteServer, Server } from "./server.ts";
import type { Silences } from "./silent-servers.ts";

export interface McpClock {
  timer(ms: number, onFire: () => void): () => void;
  /** ms since some moment. */
  elapsed(): number;
}

export interface McpWorld {
  clock: McpClock;
  /** In [0, 1): jitter. */
  random(): number;
  /** Of pawl, for servers to know. */
  version: string;
  /** Where the session works: what servers are told as their root. Absolute. */
  cwd: string;
  /** Of a server's process: no credentials of the user's but what its configuration names. */
  environment(): Record<string, string>;
  newTag(): string;
  /** How long a server may take to be there, ms. */
  connectMs: number;
  /** How long a call may take where its server says nothing else, ms. */
  callMs?: number;
  /** How long it may be silent, ms; 0: as long as it likes. Absent: as its kind of server usually may. */
  idleMs?: number;
  /** A person has a server's question. */
  isAsking?: () => boolean;
  fetch?: (url: string | URL, init?: WaitingInit) => Promise<Response>;
  /** Where the proxy to servers at addresses is named, if there is one. */
  proxies?: ProxyVariables;
  /** Absent: each server over HTTP is asked each time how new it is. */
  silences?: Silences;
  authOf?: (server: RemoteServer) => ServerAuth | undefined;
  /** Takes out what logins under a server's name left; false where there was none. */
  logOut?: (name: string) => Promise<boolean>;
  /** Absent: what servers ask is declined. */
  elicit?: AnswerElicitation;
  /** A server says that what it asked under this id is done. Must not throw. */
  onElicited?(done: McpElicitationDone): void;
  /** Told how each attempt to connect has ended. Must not throw. */
  onAttempt?(connection: { server: Server; status: McpConnectionStatus }, durationMs: number): void;
  /** One line each, for a log. */
  debug(line: string): void;
}
