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
  /** Undefined if the server no longer has the tool. */
  definition: McpToolDefinition | undefined;
  /** Hash of the definition that the model was given. */
  toldHash: string | undefined;
  /** The tool is in the list that is sent. */
  isOffered: boolean;
  tool: Tool;
}

export interface CatalogChanges {
  /** To be appended to the list that is sent. */
  offered: Tool[];
  /** May be called but are not sent: a search finds them first. Includes new versions of offered tools. */
  known: Tool[];
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
  wasTold: (text: string) => boolean;
}

/** A server's state when it was last looked at. */
interface Seen {
  version: number;
  resourceChanges: number;
  isThere: boolean;
  /** The model is offered something from the server. */
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

  /** The tools that wait to be searched for. */
  deferred(): CatalogEntry[] {
    return Array.from(this.#entries.values()).filter((entry) => !entry.isOffered && entry.definition !== undefined);
  }

  /** What the model was told about servers once, and has to know as long as they are there. */
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

  /** Offers a deferred tool with the next changes, or once it appears if its server connects late. */
  want(name: string): void {
    this.#wanted.add(name);
  }

  /** The wanted tools that are available, in the order in which they were wanted. */
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

  /** The changes since the last call. `isFirst`: nothing was sent yet, so only deferred tools need an announcement. */
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
        `The MCP server ${server.name} has changed its resources; ListMcpResourcesTool lists the current ones.`,
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

  /** A reader that gets nothing from a server, such as an agent with its own tool list, is not told about the server. */
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

  /** The conversation may have been told before it loaded its latest tools, so every such earlier state is compared. */
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

  /** Each process meets its servers anew, but a resumed conversation has already been told. */
  #tellOnce(changes: CatalogChanges, text: string): void {
    if (!this.#options.wasTold(text)) changes.news.push(text);
  }

  /** Returns true if the tool is offered at once. */
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

  /** A definition that was sent stays as it was; a new definition is announced as news. */
  #update(entry: CatalogEntry, definition: McpToolDefinition, changes: CatalogChanges): void {
    const before = entry.definition;
    entry.definition = definition;
    if (before === undefined) changes.news.push(`The tool ${entry.name} is available again.`);
    if (before?.hash === definition.hash) return;
    entry.tool = this.#toolOf(entry.name, entry.connection, definition);
    changes.known.push(entry.tool);
    if (!entry.isOffered || entry.toldHash === definition.hash) return;
    entry.toldHash = definition.hash;
    const schema = JSON.stringify(definition.inputSchema).slice(0, 4_000);
    changes.news.push(
      `The MCP server ${entry.connection.server.name} has changed its tool ${entry.name}. Its description is now: ${definition.description}\nIts input is now: ${schema}`,
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

/** For a list: the tool's name and the beginning of its description. */
export function entryLine({ name, definition }: CatalogEntry): string {
  return `${name}: ${cleanText(definition?.description ?? "", 300).replaceAll("\n", " ")}`;
}
