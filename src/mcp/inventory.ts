/** What one server offers: its tools and prompts as last listed, each validated by itself. */
import { formatCount } from "../lib/format-figures.ts";
import { ProtocolError, SdkError, SdkErrorCode, type Client } from "@modelcontextprotocol/client";
import { cleanText } from "./clean-text.ts";
import { readDefinition, type McpToolDefinition } from "./definition.ts";
import { ListChanges } from "./list-changes.ts";
import { isUnknownMethod, listAllPages, type ListLimits } from "./list.ts";
import type { Server } from "./server.ts";
import { TimeLimit } from "./time-limit.ts";
import type { McpWorld } from "./world.ts";

export interface McpPrompt {
  /** The server's own name for it. */
  name: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
}

/** One round of asking the server what it offers. */
interface InventoryRead {
  client: Client;
  /** Something changed since the round began. */
  isStale: boolean;
}

type ListedInventory = Pick<
  Inventory,
  "tools" | "prompts" | "hasResources" | "hasDirectories" | "announcesChanges" | "remarks"
>;

/** The protocol extension that adds directories, of skills or of anything else. */
const skillsExtension = "io.modelcontextprotocol/skills";
/** The time for a list that may not exist, ms: it must not delay the start. */
const optionalListMs = 5_000;

export class Inventory {
  tools: McpToolDefinition[] = [];
  prompts: McpPrompt[] = [];
  hasResources = false;
  /** The server can list the contents of a directory resource. */
  hasDirectories = false;
  /** How often its server has announced that its resources changed. */
  resourceChanges = 0;
  /** One sentence each: what was left out, and why. */
  remarks: string[] = [];
  /** The server says that it announces changes of its tools. */
  announcesChanges = false;
  /** Grows with each change. */
  version = 0;
  /** List changes that the server announced since its lists were read. */
  changes: ListChanges;
  readonly #server: Server;
  readonly #world: McpWorld;
  #currentRead: InventoryRead | undefined;

  constructor(server: Server, world: McpWorld) {
    this.#server = server;
    this.#world = world;
    this.changes = new ListChanges(world.clock);
  }

  /** The resources changed. Nothing about them is stored here: they are listed on request. */
  noteResourceChange(): void {
    this.resourceChanges += 1;
  }

  /** From here on another client reports changes: nobody waits for requests of the previous client. */
  resetChanges(): void {
    this.changes = new ListChanges(this.#world.clock);
  }

  /** Notes a change that comes while the server is being asked. */
  noteChange(client: Client): void {
    if (this.#currentRead?.client === client) this.#currentRead.isStale = true;
  }

  /** Waits for the changes that a call caused, so that a tool which the call switched on is in the next request. */
  async waitForChanges(signal: AbortSignal): Promise<void> {
    // What a server of this process announces has arrived when its answer has.
    const mayBeLate = this.announcesChanges && this.#server.type !== "sdk";
    await this.changes.settled(signal, mayBeLate ? this.#world.lateChangeMs : 0);
  }

  async refreshAfterChange(client: Client): Promise<void> {
    const { clock, connectMs: timeout } = this.#world;
    const { signal, stop } = new TimeLimit(clock, timeout);
    await this.refresh(client, { signal, timeout }).finally(stop);
  }

  /** Returns true if something changed meanwhile. The result counts unless another round has begun. */
  async refresh(client: Client, limits: ListLimits): Promise<boolean> {
    const look: InventoryRead = { client, isStale: false };
    this.#currentRead = look;
    try {
      const found = await this.#readLists(client, limits);
      if (this.#currentRead !== look) return false;
      Object.assign(this, found);
      this.version += 1;
      for (const remark of this.remarks) this.#world.debug(`mcp ${JSON.stringify(this.#server.name)} ${remark}`);
      return look.isStale;
    } finally {
      if (this.#currentRead === look) this.#currentRead = undefined;
    }
  }

  async #readLists(client: Client, limits: ListLimits): Promise<ListedInventory> {
    const capabilities = client.getServerCapabilities() ?? {};
    const hasResources = capabilities.resources !== undefined;
    const hasDirectories = hasResources && capabilities.extensions?.[skillsExtension]?.["directoryRead"] === true;
    // Empty capabilities say little: many hand-written servers declare none and have tools all the same.
    const saysNothing = Object.keys(capabilities).length === 0;
    let tools: Pick<ListedInventory, "tools" | "remarks"> | undefined;
    if (saysNothing) tools = await this.#listOptional("tools", limits, (brief) => readTools(client, brief));
    else if (capabilities.tools !== undefined) tools = await unlessMethodUnknown(readTools(client, limits));
    // Tools are useful without prompts: some servers declare prompts but do not know the request.
    const prompts =
      capabilities.prompts === undefined
        ? undefined
        : await this.#listOptional("prompts", limits, (brief) => readPrompts(client, brief));
    const announcesChanges = capabilities.tools?.listChanged === true;
    return { hasResources, hasDirectories, announcesChanges, tools: [], prompts: prompts ?? [], remarks: [], ...tools };
  }

  /** Undefined if the server does not answer the request, or not soon. */
  async #listOptional<T>(
    listName: string,
    limits: ListLimits,
    list: (limits: ListLimits) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await list({ ...limits, timeout: Math.min(limits.timeout, optionalListMs) });
    } catch (error) {
      const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
      if (limits.signal.aborted || !(isLate || error instanceof ProtocolError)) throw error;
      this.#world.debug(
        `mcp ${JSON.stringify(this.#server.name)} lists no ${listName}: ${cleanText(error.message, 300)}`,
      );
      return undefined;
    }
  }
}

async function readTools(client: Client, limits: ListLimits): Promise<Pick<ListedInventory, "tools" | "remarks">> {
  const { items, isCut, failure } = await listAllPages(client, "tools/list", "tools", limits);
  const remarks = isCut ? [`it lists more than ${items.length} tools; the others were left out`] : [];
  if (failure !== undefined)
    remarks.push(`it lists only ${formatCount(items.length, "tool")} and refuses the next page: ${failure}`);
  const tools: McpToolDefinition[] = [];
  for (const item of items) {
    const read = readDefinition(item);
    if ("why" in read) remarks.push(`its tool ${JSON.stringify(read.name.slice(0, 60))} was left out: ${read.why}`);
    else tools.push(read);
  }
  return { tools, remarks };
}

/** The protocol's own packages answer so for a server that may have tools but has none: its other offers are still useful. */
async function unlessMethodUnknown<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isUnknownMethod(error)) return undefined;
    throw error;
  }
}

async function readPrompts(client: Client, limits: ListLimits): Promise<McpPrompt[]> {
  const { items } = await listAllPages(client, "prompts/list", "prompts", limits);
  return items.flatMap((item) => {
    const prompt = readPrompt(item);
    return prompt === undefined ? [] : [prompt];
  });
}

function readPrompt(item: unknown): McpPrompt | undefined {
  if (typeof item !== "object" || item === null || !("name" in item)) return undefined;
  const { name, description, arguments: listedArguments } = item as Record<string, unknown>;
  if (typeof name !== "string" || name === "" || name.length > 200) return undefined;
  const list = Array.isArray(listedArguments) ? (listedArguments as unknown[]) : [];
  const fields = list.slice(0, 50).flatMap((field) => {
    if (typeof field !== "object" || field === null) return [];
    const { name: key, description: text, required } = field as Record<string, unknown>;
    if (typeof key !== "string") return [];
    return [
      { name: key, description: cleanText(typeof text === "string" ? text : "", 200), required: required === true },
    ];
  });
  return { name, description: cleanText(typeof description === "string" ? description : "", 500), arguments: fields };
}
