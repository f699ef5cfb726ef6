/** How connections are opened and kept, whichever way they go. */
import type { Agent } from "node:http";
import type { Environment } from "../model-names.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import { idleConnectionMs } from "./connections.ts";

/** Of a TLS connection, for Node. */
export interface SecureOptions extends Partial<ClientCertificate> {
  ca?: string;
}

export interface RouteOptions {
  environment: Environment;
  /** Read once, with the first connection that needs it. Throws `ConfigurationError`. */
  secure: () => SecureOptions;
}

/** Gives the agent of that key, making it where there is none. */
export type AgentSource = (key: string, make: () => Agent) => Agent;

export const agentOptions = { keepAlive: true, timeout: idleConnectionMs, scheduling: "lifo" } as const;
