/** How connections are opened and kept, over every route. */
import type { Agent } from "node:http";
import type { Environment } from "../../lib/environment.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import { idleConnectionMs } from "./connections.ts";

/** Options of a TLS connection, for Node. */
export interface SecureOptions extends Partial<ClientCertificate> {
  ca?: string;
}

export interface RouteOptions {
  environment: Environment;
  /** Read once, by the first connection that needs it. Throws `ConfigurationError`. */
  secure: () => SecureOptions;
}

/** Returns the agent for the key, creating it if there is none. */
export type AgentSource = (key: string, make: () => Agent) => Agent;

export const agentOptions = { keepAlive: true, timeout: idleConnectionMs, scheduling: "lifo" } as const;
