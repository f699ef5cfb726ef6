/** All MCP servers of a session, and what its turns are told about them. The hub outlives a `/clear`, which replaces the session. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import type { SDKMcpServersSet } from "../protocol/sdk-control.ts";
import type { AnswerElicitation, McpServerStatus } from "../protocol/mcp.ts";
import { SessionError } from "../lib/session-error.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import type { Tool } from "../protocol/tool.ts";
import { Catalog, type CatalogChanges, type CatalogEntry, type CatalogOptions } from "./catalog.ts";
import { Connection } from "./connection.ts";
import { serverKey, serverKeys } from "./names.ts";
import { resourceTools } from "./resources.ts";
import { searchTool } from "./tool-search.ts";
import { configuredSources, provenanceOf, type IdleServer, type Server } from "./server.ts";
import type { McpWorld } from "./world.ts";

export type HubOptions = Omit<CatalogOptions, "isRemoved" | "wasAnnounced">;

export interface HostServer {
  server: Server;
  /** Equal for two servers that are the same. */
  identity: unknown;
}

/** What a resumed conversation already knows about servers. */
export interface PriorKnowledge {
  /** Names of the tools it has loaded, in order. */
  loadedTools: readonly string[];
  wasAnnounced: (text: string) => boolean;
}

/** One session's view of the hub. */
export interface HubReader {
  /** The changes since the last call; the first call returns everything. */
  takeChanges(): CatalogChanges;
  entry(name: string): CatalogEntry | undefined;
  /** What was told about servers once and still holds. */
  standingNotices(): string[];
}

export class McpHub {
  readonly #options: HubOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #idle: IdleServer[] = [];
  readonly #keys = new Map<string, string>();
  /** The host's servers, including those it named while the session ran, each with its identity; undefined: the host removed it. */
  readonly #hostServers = new Map<string, unknown>();
  /** Answers a server's questions to the user; absent: they are declined. Set by the session that uses the hub now. */
  elicit: AnswerElicitation | undefined;
  /** Called when something a server asked of the user is completed. */
  onElicited: McpWorld["onElicited"] | undefined;
  #firstConnections: Promise<unknown> = Promise.resolve();
  #pendingSet: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: HubOptions, servers: readonly Server[], idle: readonly IdleServer[]) {
    this.#options = options;
    this.#idle.push(...idle);
    for (const [name, key] of serverKeys(servers.map(({ name }) => name))) this.#keys.set(name, key);
    for (const server of servers) {
      this.#connections.set(server.name, new Connection(server, options.world));
      if (server.type === "sdk") this.#hostServers.set(server.name, server.instance);
      // The transport that the host kept open is a different one from the one it names now.
      else if (server.type === "transport") this.#hostServers.set(server.name, null);
    }
  }

  /** Connects to every server; none waits for another. `onMissing` is called for each that is not connected then. Must not throw. */
  start(onMissing: (connection: Connection) => void = () => {}): void {
    const connecting = Array.from(this.#connections.values(), async (connection) => {
      await connection.connect();
      if (connection.status !== "connected" && !connection.isOff) onMissing(connection);
    });
    this.#firstConnections = Promise.all(connecting);
  }

  /** Resolves once each server has answered or failed; each has a time limit. Rejects if the signal aborts earlier. */
  async whenSettled(signal: AbortSignal): Promise<void> {
    await rejectOnAbort(this.#firstConnections, signal);
  }

  /** Makes these the host's servers. Servers from other sources stay unless they are named here; unchanged servers keep running. */
  async setHostServers(wanted: readonly HostServer[]): Promise<SDKMcpServersSet> {
    const work = this.#pendingSet.then(() => this.#applyHostServers(wanted));
    this.#pendingSet = work.catch(() => undefined);
    return await work;
  }

  async #applyHostServers(wanted: readonly HostServer[]): Promise<SDKMcpServersSet> {
    if (this.#isClosed) throw new SessionError("session_closed", "The session of these MCP servers was closed.");
    const set: SDKMcpServersSet = { added: [], removed: [], errors: Object.create(null) as Record<string, string> };
    const names = new Set(wanted.map(({ server }) => server.name));
    const leaving = Array.from(this.#hostServers).filter(
      ([name, identity]) => identity !== undefined && !names.has(name),
    );
    const work = leaving.map(async ([name]) => {
      this.#hostServers.set(name, undefined);
      set.removed.push(name);
      await this.#connections.get(name)?.disable("the host has removed it");
    });
    for (const { server, identity } of wanted) {
      const { name } = server;
      if (this.#isNameTaken(name))
        set.errors[name] = "a server of this name already exists, and the host cannot change it";
      else if (this.#hostServers.get(name) !== identity) {
        work.push(this.#startServer(server));
        this.#hostServers.set(name, identity);
        set.added.push(name);
      }
    }
    await Promise.all(work);
    for (const name of set.added) {
      const { status, error } = this.#requireConnection(name);
      if (status !== "connected") set.errors[name] = error ?? status;
    }
    return set;
  }

  /** The host cannot replace an administrator's server, or one that settings keep from running. */
  #isNameTaken(name: string): boolean {
    return this.#connections.get(name)?.server.scope === "policy" || this.#idle.some((server) => server.name === name);
  }

  #startServer(server: Server): Promise<void> {
    const { name } = server;
    const before = this.#connections.get(name);
    if (before !== undefined) return before.replace(server);
    const connection = new Connection(server, this.#options.world);
    const key = serverKeys([...this.#connections.keys(), name]).get(name);
    if (key !== undefined) this.#keys.set(name, key);
    this.#connections.set(name, connection);
    return connection.connect();
  }

  #isPresent(name: string): boolean {
    return !this.#hostServers.has(name) || this.#hostServers.get(name) !== undefined;
  }

  statuses(): McpServerStatus[] {
    const live = this.connections().map(statusOf);
    const idle = this.#idle.map(({ name, scope, status, why }) => ({
      name,
      scope,
      source: configuredSources[scope],
      status,
      error: why,
    }));
    return [...live, ...idle];
  }

  /** The server that a tool of this name would belong to. */
  serverOfTool(tool: string): McpServerStatus | undefined {
    return this.statuses().find(({ name }) => tool.startsWith(`mcp__${this.#keys.get(name) ?? serverKey(name)}__`));
  }

  /** By its configured name. */
  connection(name: string): Connection | undefined {
    return this.#isPresent(name) ? this.#connections.get(name) : undefined;
  }

  connections(): Connection[] {
    return Array.from(this.#connections.values()).filter(({ server }) => this.#isPresent(server.name));
  }

  /** The part of a tool's name that stands for the server. */
  keyOf(name: string): string {
    return this.#keys.get(name) ?? "";
  }

  /** @param isRemoved whether a rule hides a tool from the model. `loadedTools`: tools the conversation has searched for, in order. */
  reader(isRemoved: (name: string) => boolean, { loadedTools, wasAnnounced }: PriorKnowledge): HubReader {
    const catalog = new Catalog({ ...this.#options, isRemoved, wasAnnounced });
    for (const name of loadedTools) catalog.requestTool(name);
    let isFirst = true;
    const offeredNames = new Set<string>();
    const notYetOffered = (tools: readonly Tool[]): Tool[] => {
      const fresh = tools.filter(({ name }) => !offeredNames.has(name) && !isRemoved(name));
      for (const { name } of fresh) offeredNames.add(name);
      return fresh;
    };
    return {
      takeChanges: () => {
        // Sorted, because programs name servers in any order in each process, and the request must not depend on it.
        const connections = Array.from(
          this.#connections,
          ([name, connection]) => [this.keyOf(name), connection] as const,
        ).toSorted(([one], [other]) => (one < other ? -1 : 1));
        const changes = catalog.takeChanges(connections, isFirst);
        if (catalog.deferred().length > 0) changes.offered.unshift(...notYetOffered([searchTool(catalog)]));
        if (this.connections().some(({ inventory }) => inventory.hasResources))
          changes.offered.push(...notYetOffered(resourceTools(this, isRemoved, this.#options.maxResultChars)));
        // After everything that was there at the start, as when they were first loaded.
        changes.offered.push(...catalog.takeRequested());
        isFirst = false;
        return changes;
      },
      entry: (name) => catalog.get(name),
      standingNotices: () => catalog.standingNotices(),
    };
  }

  async reconnect(name: string): Promise<McpServerStatus> {
    const connection = this.#requireConnection(name);
    await connection.reconnect();
    return statusOf(connection);
  }

  /** Returns false if there was no login. A server that is switched off stays off. */
  async logOut(name: string): Promise<boolean> {
    const hadLogin = (await this.#options.world.logOut?.(name)) === true;
    const connection = this.connection(name);
    if (hadLogin && connection?.isOff === false) await connection.reconnect();
    return hadLogin;
  }

  async toggle(name: string, isEnabled: boolean): Promise<McpServerStatus> {
    const connection = this.#requireConnection(name);
    await (isEnabled ? connection.reconnect() : connection.disable());
    return statusOf(connection);
  }

  #requireConnection(name: string): Connection {
    const connection = this.connection(name);
    if (connection !== undefined) return connection;
    const idle = this.#idle.find((server) => server.name === name);
    throw new SessionError(
      "no_such_server",
      idle === undefined ? `There is no MCP server ${name}.` : `The MCP server ${name} cannot be started: ${idle.why}`,
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.close()));
  }

  killNow(): void {
    for (const connection of this.#connections.values()) connection.killNow();
  }
}

function statusOf({ server, status, error, serverInfo, inventory }: Connection): McpServerStatus {
  const { name, scope } = server;
  const tools = inventory.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    ...(tool.readOnlyHint ? { readOnly: true } : {}),
  }));
  return {
    name,
    scope,
    source: provenanceOf(server).source,
    status,
    ...withoutUndefined({ error, serverInfo }),
    ...(status === "connected" ? { tools } : {}),
  };
}
