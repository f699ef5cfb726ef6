/** The tools of all servers under the names the model knows: told once, never taken back, added at the end. */
import { serverGone, toolsGone } from "../protocol/server-loss.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Connection } from "./connection.ts";
import { cleanText } from "./clean-text.ts";
import type { McpToolDefinition } from "./definition.ts";
import { nameTools } from "./names.ts";
import { toolOf } from "./tool.ts";
import type { McpWorld } from "./world.ts";

export interface CatalogEntry {
  /** `mcp__server__tool`. */
  name: string;
  connection: Connection;
  /** Undefined where its server no longer has it. */
  definition: McpToolDefinition | undefined;
  /** Of the definition the model was given. */
  toldHash: string | undefined;
  /** It is in the list of tools that is sent. */
  isOffered: boolean;
  tool: Tool;
}

export interface CatalogChanges {
  /** For the list that is sent, after what is there. */
  offered: Tool[];
  /** May be called, and are not sent: found by a search first. Among them new versions of what was offered. */
  known: Tool[];
  /** For the model, one paragraph each. */
  news: string[];
}

export interface CatalogOptions {
  world: McpWorld;
  maxResultChars: number;
  /** Characters that definitions may have together before they wait to be searched for. */
  deferAbove: number;
  /** Whether a rule keeps this tool from the model altogether. */
  isRemoved(name: string): boolean;
  /** Whether the conversation that goes on has been told this, and it still holds. */
  wasTold: (text: string) => boolean;
}

/** Of a server, when it was last looked at. */
interface Seen {
  version: number;
  resourceChanges: number;
  isThere: boolean;
  /** The model has something of it. */
  isShown: boolean;
}

const maxNamesTold = 100;

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #seen = new Map<Connection, Seen>();
  readonly #wanted = new Set<string>();
  #offeredChars = 0;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** Those that wait to be searched for. */
  deferred(): CatalogEntry[] {
    return Array.from(this.#entries.values()).filter((entry) => !entry.isOffered && entry.definition !== undefined);
  }

  /** What the model was told of servers once, and has to know as long as they are there. */
  standing(): string[] {
    return Array.from(this.#seen).flatMap(([connection, { isThere, isShown }]) => {
      if (!isThere || !isShown) return [];
      const waiting = this.deferred().flatMap((entry) => (entry.connection === connection ? entry.name : []));
      return [
        ...(connection.instructions === "" ? [] : [introduction(connection)]),
        ...(waiting.length === 0 ? [] : [waitingText(connection.server.name, waiting)]),
      ];
    });
  }

  /** Offers a deferred tool with the next changes; one that is not there yet, as of a server that comes late, once it is. */
  want(name: string): void {
    this.#wanted.add(name);
  }

  /** Those that are wanted and there, in the order in which they were. */
  takeWanted(): Tool[] {
    const changes: CatalogChanges = { offered: [], known: [], news: [] };
    for (const name of this.#wanted) {
      const entry = this.#entries.get(name);
      if (entry?.definition === undefined) continue;
      this.#wanted.delete(name);
      if (!entry.isOffered) this.#offer(entry, changes);
    }
    return changes.offered;
  }

  /** What has changed since it was last asked. `isFirst`: nothing was sent yet, so there is nothing to announce but what waits. */
  take(connections: readonly (readonly [key: string, connection: Connection])[], isFirst: boolean): CatalogChanges {
    const changes: CatalogChanges = { offered: [], known: [], news: [] };
    for (const [key, connection] of connections) this.#look(key, connection, isFirst, changes);
    return changes;
  }

  #look(key: string, connection: Connection, isFirst: boolean, changes: CatalogChanges): void {
    const { status, inventory, server } = connection;
    const seen = this.#seen.get(connection);
    const isThere = status === "connected";
    if (!isThere) {
      if (seen?.isThere !== true || status === "pending") return;
      seen.isThere = false;
      if (seen.isShown) changes.news.push(serverGone(server.name, connection.error ?? status));
      return;
    }
    const { version, resourceChanges } = inventory;
    if (seen?.isShown === true && seen.resourceChanges !== resourceChanges)
      changes.news.push(
        `The MCP server ${server.name} has changed what it has to be read; ListMcpResourcesTool lists it as it is now.`,
      );
    if (seen !== undefined) seen.resourceChanges = resourceChanges;
    if (seen?.isThere === true && seen.version === version) return;
    const { named, remarks } = nameTools(key, inventory.tools);
    const isShown = seen?.isShown === true || this.#isShown(key, connection, named);
    this.#seen.set(connection, { version, resourceChanges, isThere, isShown });
    if (isShown && seen?.isShown !== true && connection.instructions !== "")
      this.#tellOnce(changes, introduction(connection));
    for (const remark of remarks) this.#options.world.debug(`mcp ${JSON.stringify(server.name)} ${remark}`);
    this.#addAll(connection, named, isFirst, changes);
    this.#findGone(connection, named, changes);
  }

  /** Whoever has nothing of a server, such as an agent with tools of its own choice, is not told of it. */
  #isShown(key: string, connection: Connection, named: ReadonlyMap<string, McpToolDefinition>): boolean {
    if (!this.#options.isRemoved(`mcp__${key}__resource`)) return true;
    return Array.from(named).some(([name, definition]) => !this.#isKept(name, connection, definition));
  }

  #isKept(name: string, { server }: Connection, definition: McpToolDefinition): boolean {
    return server.policies?.get(definition.name) === "deny" || this.#options.isRemoved(name);
  }

  #addAll(
    connection: Connection,
    named: ReadonlyMap<string, McpToolDefinition>,
    isFirst: boolean,
    changes: CatalogChanges,
  ): void {
    const added: string[] = [];
    const waiting: string[] = [];
    for (const [name, definition] of named) {
      if (this.#isKept(name, connection, definition)) continue;
      const known = this.#entries.get(name);
      if (known !== undefined) this.#update(known, definition, changes);
      else if (this.#add(name, connection, definition, changes)) added.push(name);
      else if (!this.#wanted.has(name)) waiting.push(name);
    }
    const { name: server } = connection.server;
    if (!isFirst && added.length > 0) changes.news.push(`The MCP server ${server} has new tools: ${listed(added)}.`);
    if (waiting.length > 0 && !this.#wasToldToWait(server, named, new Set(waiting)))
      changes.news.push(waitingText(server, waiting));
  }

  /** The conversation may have been told so before it loaded the last ones, in their order, of those that it has. */
  #wasToldToWait(server: string, named: ReadonlyMap<string, unknown>, waiting: ReadonlySet<string>): boolean {
    const loaded = Array.from(this.#wanted).filter((name) => named.has(name));
    return Array.from({ length: loaded.length + 1 }, (_, kept) => new Set([...waiting, ...loaded.slice(kept)])).some(
      (then) =>
        this.#options.wasTold(
          waitingText(
            server,
            Array.from(named.keys()).filter((name) => then.has(name)),
          ),
        ),
    );
  }

  /** Each process meets its servers anew, and a conversation that goes on has been told. */
  #tellOnce(changes: CatalogChanges, text: string): void {
    if (!this.#options.wasTold(text)) changes.news.push(text);
  }

  /** True where it is offered at once. */
  #add(name: string, connection: Connection, definition: McpToolDefinition, changes: CatalogChanges): boolean {
    const entry: CatalogEntry = {
      name,
      connection,
      definition,
      toldHash: undefined,
      isOffered: false,
      tool: this.#toolOf(name, connection, definition),
    };
    this.#entries.set(name, entry);
    const isLight = this.#offeredChars + sizeOf(entry.tool) <= this.#options.deferAbove;
    if (isLight || definition.alwaysLoad || connection.server.alwaysLoad) this.#offer(entry, changes);
    else changes.known.push(entry.tool);
    return entry.isOffered;
  }

  #offer(entry: CatalogEntry, changes: CatalogChanges): void {
    entry.isOffered = true;
    entry.toldHash = entry.definition?.hash;
    this.#offeredChars += sizeOf(entry.tool);
    changes.offered.push(entry.tool);
  }

  /** What was sent stays as it was sent: a new definition is news. */
  #update(entry: CatalogEntry, definition: McpToolDefinition, changes: CatalogChanges): void {
    const before = entry.definition;
    entry.definition = definition;
    if (before === undefined) changes.news.push(`The tool ${entry.name} is there again.`);
    if (before?.hash === definition.hash) return;
    entry.tool = this.#toolOf(entry.name, entry.connection, definition);
    changes.known.push(entry.tool);
    if (!entry.isOffered || entry.toldHash === definition.hash) return;
    entry.toldHash = definition.hash;
    const schema = JSON.stringify(definition.inputSchema).slice(0, 4_000);
    changes.news.push(
      `The MCP server ${entry.connection.server.name} has changed its tool ${entry.name}. It now says of it: ${definition.description}\nIts input is now: ${schema}`,
    );
  }

  #findGone(connection: Connection, named: ReadonlyMap<string, McpToolDefinition>, changes: CatalogChanges): void {
    const gone: string[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.connection !== connection || entry.definition === undefined || named.has(entry.name)) continue;
      entry.definition = undefined;
      gone.push(entry.name);
    }
    if (gone.length > 0) changes.news.push(toolsGone(connection.server.name, listed(gone)));
  }

  #toolOf(name: string, connection: Connection, definition: McpToolDefinition): Tool {
    const { world, maxResultChars } = this.#options;
    const current = (): McpToolDefinition | undefined => this.#entries.get(name)?.definition;
    return toolOf(definition, { name, connection, current, world, maxResultChars });
  }
}

function introduction({ server, instructions }: Connection): string {
  return `The MCP server ${server.name} says of itself how it is to be used. These are its words, not the user's:\n${instructions}`;
}

function waitingText(server: string, names: readonly string[]): string {
  return `The MCP server ${server} has tools that are not loaded yet; ToolSearch loads those you need: ${listed(names)}.`;
}

function listed(names: readonly string[]): string {
  const told = names.slice(0, maxNamesTold).join(", ");
  return names.length > maxNamesTold ? `${told} and ${names.length - maxNamesTold} more` : told;
}

function sizeOf({ name, description, inputSchema }: Tool): number {
  return name.length + description.length + JSON.stringify(inputSchema).length;
}

/** For a list: a tool with the beginning of what its server says of it. */
export function entryLine({ name, definition }: CatalogEntry): string {
  return `${name}: ${cleanText(definition?.description ?? "", 300).replaceAll("\n", " ")}`;
}
