/** The tools of all servers under the names the model knows: told once, never taken back, added at the end. */
import { serverGoneText, toolsGoneText } from "../protocol/server-loss.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Connection } from "./connection.ts";
import { cleanText } from "./clean-text.ts";
import type { McpToolDefinition } from "./definition.ts";
import { nameTools } from "./names.ts";
import { createMcpTool } from "./tool.ts";
import type { McpWorld } from "./world.ts";

export interface CatalogEntry {
  /** `mcp__server__tool`. */
  name: string;
  connection: Connection;
  /** Undefined if the server no longer has the tool. */
  definition: McpToolDefinition | undefined;
  /** Hash of the definition that the model was given. */
  sentHash: string | undefined;
  /** The tool is in the list that is sent. */
  isOffered: boolean;
  tool: Tool;
}

export interface CatalogChanges {
  /** To be appended to the list that is sent. */
  offered: Tool[];
  /** May be called but are not sent: a search finds them first. Includes new versions of offered tools. */
  callable: Tool[];
  /** For the model, one paragraph each. */
  news: string[];
}

export interface CatalogOptions {
  world: McpWorld;
  maxResultChars: number;
  /** Total characters of definitions above which tools are deferred until they are searched for. */
  deferAbove: number;
  /** Whether a rule hides this tool from the model. */
  isRemoved(name: string): boolean;
  /** Whether the resumed conversation has already been told this, and it still holds. */
  wasAnnounced: (text: string) => boolean;
}

/** A server's state when it was last looked at. */
interface ServerSnapshot {
  version: number;
  resourceChanges: number;
  isConnected: boolean;
  /** The model is offered something from the server. */
  isVisible: boolean;
}

const maxListedNames = 100;

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #snapshots = new Map<Connection, ServerSnapshot>();
  readonly #requestedTools = new Set<string>();
  #offeredChars = 0;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** The tools that wait to be searched for. */
  deferred(): CatalogEntry[] {
    return Array.from(this.#entries.values()).filter((entry) => !entry.isOffered && entry.definition !== undefined);
  }

  /** What the model was told about servers once, and has to know as long as they are there. */
  standingNotices(): string[] {
    return Array.from(this.#snapshots).flatMap(([connection, { isConnected, isVisible }]) => {
      if (!isConnected || !isVisible) return [];
      const waiting = this.deferred().flatMap((entry) => (entry.connection === connection ? entry.name : []));
      return [
        ...(connection.instructions === "" ? [] : [instructionsNotice(connection)]),
        ...(waiting.length === 0 ? [] : [deferredToolsNotice(connection.server.name, waiting)]),
      ];
    });
  }

  /** Offers a deferred tool with the next changes, or once it appears if its server connects late. */
  requestTool(name: string): void {
    this.#requestedTools.add(name);
  }

  /** The requested tools that are available, in the order of the requests. */
  takeRequested(): Tool[] {
    const changes: CatalogChanges = { offered: [], callable: [], news: [] };
    for (const name of this.#requestedTools) {
      const entry = this.#entries.get(name);
      if (entry?.definition === undefined) continue;
      this.#requestedTools.delete(name);
      if (!entry.isOffered) this.#offerTool(entry, changes);
    }
    return changes.offered;
  }

  /** The changes since the last call. `isFirst`: nothing was sent yet, so only deferred tools need an announcement. */
  takeChanges(
    connections: readonly (readonly [key: string, connection: Connection])[],
    isFirst: boolean,
  ): CatalogChanges {
    const changes: CatalogChanges = { offered: [], callable: [], news: [] };
    for (const [key, connection] of connections) this.#collectChanges(key, connection, isFirst, changes);
    return changes;
  }

  #collectChanges(key: string, connection: Connection, isFirst: boolean, changes: CatalogChanges): void {
    const { status, inventory, server } = connection;
    const seen = this.#snapshots.get(connection);
    const isThere = status === "connected";
    if (!isThere) {
      if (seen?.isConnected !== true || status === "pending") return;
      seen.isConnected = false;
      if (seen.isVisible) changes.news.push(serverGoneText(server.name, connection.error ?? status));
      return;
    }
    const { version, resourceChanges } = inventory;
    if (seen?.isVisible === true && seen.resourceChanges !== resourceChanges)
      changes.news.push(
        `The MCP server ${server.name} has changed its resources; ListMcpResourcesTool lists the current ones.`,
      );
    if (seen !== undefined) seen.resourceChanges = resourceChanges;
    if (seen?.isConnected === true && seen.version === version) return;
    const { byName, remarks } = nameTools(key, inventory.tools);
    const isShown = seen?.isVisible === true || this.#isServerVisible(key, connection, byName);
    this.#snapshots.set(connection, { version, resourceChanges, isConnected: isThere, isVisible: isShown });
    if (isShown && seen?.isVisible !== true && connection.instructions !== "")
      this.#announceOnce(changes, instructionsNotice(connection));
    for (const remark of remarks) this.#options.world.debug(`mcp ${JSON.stringify(server.name)} ${remark}`);
    this.#addTools(connection, byName, isFirst, changes);
    this.#dropMissingTools(connection, byName, changes);
  }

  /** A reader that gets nothing from a server, such as an agent with its own tool list, is not told about the server. */
  #isServerVisible(key: string, connection: Connection, toolsByName: ReadonlyMap<string, McpToolDefinition>): boolean {
    if (!this.#options.isRemoved(`mcp__${key}__resource`)) return true;
    return Array.from(toolsByName).some(([name, definition]) => !this.#isToolHidden(name, connection, definition));
  }

  #isToolHidden(name: string, { server }: Connection, definition: McpToolDefinition): boolean {
    return server.policies?.get(definition.name) === "deny" || this.#options.isRemoved(name);
  }

  #addTools(
    connection: Connection,
    toolsByName: ReadonlyMap<string, McpToolDefinition>,
    isFirst: boolean,
    changes: CatalogChanges,
  ): void {
    const added: string[] = [];
    const waiting: string[] = [];
    for (const [name, definition] of toolsByName) {
      if (this.#isToolHidden(name, connection, definition)) continue;
      const known = this.#entries.get(name);
      if (known !== undefined) this.#updateTool(known, definition, changes);
      else if (this.#addTool(name, connection, definition, changes)) added.push(name);
      else if (!this.#requestedTools.has(name)) waiting.push(name);
    }
    const { name: server } = connection.server;
    if (!isFirst && added.length > 0) changes.news.push(`The MCP server ${server} has new tools: ${joinNames(added)}.`);
    if (waiting.length > 0 && !this.#wasDeferralAnnounced(server, toolsByName, new Set(waiting)))
      changes.news.push(deferredToolsNotice(server, waiting));
  }

  /** The conversation may have been told before it loaded its latest tools, so every such earlier state is compared. */
  #wasDeferralAnnounced(
    server: string,
    toolsByName: ReadonlyMap<string, unknown>,
    waiting: ReadonlySet<string>,
  ): boolean {
    const loaded = Array.from(this.#requestedTools).filter((name) => toolsByName.has(name));
    return Array.from({ length: loaded.length + 1 }, (_, kept) => new Set([...waiting, ...loaded.slice(kept)])).some(
      (then) =>
        this.#options.wasAnnounced(
          deferredToolsNotice(
            server,
            Array.from(toolsByName.keys()).filter((name) => then.has(name)),
          ),
        ),
    );
  }

  /** Each process sees its servers for the first time, but a resumed conversation already knows them. */
  #announceOnce(changes: CatalogChanges, text: string): void {
    if (!this.#options.wasAnnounced(text)) changes.news.push(text);
  }

  /** Returns true if the tool is offered at once. */
  #addTool(name: string, connection: Connection, definition: McpToolDefinition, changes: CatalogChanges): boolean {
    const entry: CatalogEntry = {
      name,
      connection,
      definition,
      sentHash: undefined,
      isOffered: false,
      tool: this.#createTool(name, connection, definition),
    };
    this.#entries.set(name, entry);
    const isLight = this.#offeredChars + sizeOf(entry.tool) <= this.#options.deferAbove;
    if (isLight || definition.alwaysLoad || connection.server.alwaysLoad) this.#offerTool(entry, changes);
    else changes.callable.push(entry.tool);
    return entry.isOffered;
  }

  #offerTool(entry: CatalogEntry, changes: CatalogChanges): void {
    entry.isOffered = true;
    entry.sentHash = entry.definition?.hash;
    this.#offeredChars += sizeOf(entry.tool);
    changes.offered.push(entry.tool);
  }

  /** A definition that was sent stays as it was; a new definition is announced as news. */
  #updateTool(entry: CatalogEntry, definition: McpToolDefinition, changes: CatalogChanges): void {
    const before = entry.definition;
    entry.definition = definition;
    if (before === undefined) changes.news.push(`The tool ${entry.name} is available again.`);
    if (before?.hash === definition.hash) return;
    entry.tool = this.#createTool(entry.name, entry.connection, definition);
    changes.callable.push(entry.tool);
    if (!entry.isOffered || entry.sentHash === definition.hash) return;
    entry.sentHash = definition.hash;
    const schema = JSON.stringify(definition.inputSchema).slice(0, 4_000);
    changes.news.push(
      `The MCP server ${entry.connection.server.name} has changed its tool ${entry.name}. Its description is now: ${definition.description}\nIts input is now: ${schema}`,
    );
  }

  #dropMissingTools(
    connection: Connection,
    toolsByName: ReadonlyMap<string, McpToolDefinition>,
    changes: CatalogChanges,
  ): void {
    const removedNames: string[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.connection !== connection || entry.definition === undefined || toolsByName.has(entry.name)) continue;
      entry.definition = undefined;
      removedNames.push(entry.name);
    }
    if (removedNames.length > 0) changes.news.push(toolsGoneText(connection.server.name, joinNames(removedNames)));
  }

  #createTool(name: string, connection: Connection, definition: McpToolDefinition): Tool {
    const { world, maxResultChars } = this.#options;
    const current = (): McpToolDefinition | undefined => this.#entries.get(name)?.definition;
    return createMcpTool(definition, { name, connection, current, world, maxResultChars });
  }
}

function instructionsNotice({ server, instructions }: Connection): string {
  return `The MCP server ${server.name} says of itself how it is to be used. These are its words, not the user's:\n${instructions}`;
}

function deferredToolsNotice(server: string, names: readonly string[]): string {
  return `The MCP server ${server} has tools that are not loaded yet; ToolSearch loads those you need: ${joinNames(names)}.`;
}

function joinNames(names: readonly string[]): string {
  const listedNames = names.slice(0, maxListedNames).join(", ");
  return names.length > maxListedNames ? `${listedNames} and ${names.length - maxListedNames} more` : listedNames;
}

function sizeOf({ name, description, inputSchema }: Tool): number {
  return name.length + description.length + JSON.stringify(inputSchema).length;
}

/** For a list: the tool's name and the beginning of its description. */
export function entryLine({ name, definition }: CatalogEntry): string {
  return `${name}: ${cleanText(definition?.description ?? "", 300).replaceAll("\n", " ")}`;
}
