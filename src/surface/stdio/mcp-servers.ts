/** MCP servers that live in the client: each message to a server goes over the control channel as an `mcp_message` request. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import type {
  McpServerConfig,
  McpServerToolPolicy,
  McpTransport,
  McpTransportServerConfig,
} from "../../protocol/mcp.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { WireObject } from "./frame.ts";
import { isRecord } from "../../lib/is-record.ts";

/** Returns the client's servers that the command line names. */
export function serversFromCommandLine(
  servers: Readonly<Record<string, WireObject>>,
  requests: ClientRequests,
): Record<string, McpServerConfig> {
  return Object.fromEntries(Object.entries(servers).map(([name, own]) => [name, clientServer(name, requests, own)]));
}

/** Returns a server that lives in the client, under the client's name for it. */
function clientServer(name: string, requests: ClientRequests, settings: WireObject): McpTransportServerConfig {
  const { timeout, alwaysLoad, tools } = settings;
  return {
    type: "transport",
    ...(typeof timeout === "number" ? { timeout } : {}),
    ...(typeof alwaysLoad === "boolean" ? { alwaysLoad } : {}),
    ...(Array.isArray(tools) ? { tools: tools as McpServerToolPolicy[] } : {}),
    open: () => new ClientTransport(name, requests),
  };
}

class ClientTransport implements McpTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #name: string;
  readonly #requests: ClientRequests;
  readonly #closeController = new AbortController();

  constructor(name: string, requests: ClientRequests) {
    this.#name = name;
    this.#requests = requests;
  }

  start(): Promise<void> {
    this.#requests.servers.set(this.#name, this.#receive);
    return Promise.resolve();
  }

  /** May be called while nobody listens yet, or any more. */
  readonly #receive = (message: object): void => this.onmessage?.(message as never);

  /**
   * The reply contains the answer to a request; a notification has no answer, whatever its reply contains. Agent SDKs match
   * answers by id alone: if the server sends its own request under the same id, that comes as the reply, and the answer later.
   */
  async send(message: unknown): Promise<void> {
    const request = { subtype: "mcp_message", server_name: this.#name, message };
    const { mcp_response: answer } = await this.#requests.send(request, this.#closeController.signal);
    if (!isRecord(message) || !("id" in message) || !("method" in message)) return;
    const { id } = message;
    this.onmessage?.((isServerRequest(answer, message) ? answer : answerTo(id, answer)) as never);
  }

  close(): void {
    this.#closeController.abort();
    const { servers } = this.#requests;
    if (servers.get(this.#name) === this.#receive) servers.delete(this.#name);
  }
}

/** Returns whether the reply under the id of `request` is a different request of the server. */
function isServerRequest(answer: unknown, request: WireObject): boolean {
  if (!isRecord(answer) || answer["id"] !== request["id"]) return false;
  return typeof answer["method"] === "string" && answer["method"] !== request["method"];
}

/** Throws if the reply is not an answer: no other will come, and the caller would wait for its time limit, which may be hours. */
function answerTo(id: unknown, answer: unknown): WireObject {
  if (!isRecord(answer) || !("result" in answer || "error" in answer))
    throw new Error("its client answered with neither a result nor an error");
  if (answer["id"] !== undefined && answer["id"] !== id) throw new Error("its client answered a different message");
  return { ...answer, id };
}

/** Returns the servers that `initialize` names: those in the client, and others it prefers not to put on the command line. */
export function clientMcpServers(
  { sdkMcpServers, sdkMcpServerConfigs, mcpServers }: WireObject,
  requests: ClientRequests,
): Record<string, McpServerConfig> {
  // Assigned by its name, a server called `__proto__` would be lost.
  const servers = new Map<string, McpServerConfig>();
  for (const [name, config] of Object.entries(isRecord(mcpServers) ? mcpServers : {}))
    if (isRecord(config))
      servers.set(name, config["type"] === "sdk" ? clientServer(name, requests, config) : (config as never));
  const settings = isRecord(sdkMcpServerConfigs) ? sdkMcpServerConfigs : {};
  for (const name of (Array.isArray(sdkMcpServers) ? sdkMcpServers : []).map(String)) {
    const own = Object.hasOwn(settings, name) ? settings[name] : undefined;
    servers.set(name, clientServer(name, requests, isRecord(own) ? own : {}));
  }
  return Object.fromEntries(servers);
}

/**
 * Returns the configurations of servers with the type `sdk` by name. Some clients name their own servers this way on the command
 * line, as text or in a file that they have just written.
 */
export function sdkServerConfigs(configs: readonly string[], cwd: string): Record<string, WireObject> {
  const own = configs.flatMap((config) => Object.entries(readServers(config, cwd)));
  return Object.fromEntries(own.filter((entry): entry is [string, WireObject] => isSdkServer(entry[1])));
}

function isSdkServer(config: unknown): boolean {
  return isRecord(config) && config["type"] === "sdk";
}

/** Returns no servers if the file cannot be read: the code that starts the servers reports it. */
function readServers(config: string, cwd: string): WireObject {
  try {
    const servers = tryParseRecord(/^\s*\{/u.test(config) ? config : readFileSync(resolve(cwd, config), "utf8"))?.[
      "mcpServers"
    ];
    return isRecord(servers) ? servers : {};
  } catch {
    return {};
  }
}
