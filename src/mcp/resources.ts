/** Resources of servers: listed and read by the model's tools, and by `@server:uri` in a prompt. */
import { isRecord } from "../lib/is-record.ts";
import { errorText } from "../lib/error-text.ts";
import type { ToolResultContent } from "../protocol/message.ts";
import type { Tool, ToolResult } from "../protocol/tool.ts";
import { anyObject, listIn } from "./any-object.ts";
import { cleanText } from "./clean-text.ts";
import type { Connection } from "./connection.ts";
import { isUnknownMethod, listAllPages } from "./list.ts";
import { resourceBlocks } from "./result.ts";
import { textBlock } from "../protocol/text-block.ts";
import { reportsError, unexpectedFields } from "./result-mistakes.ts";

/** The part of the hub that these tools need. */
export interface ResourceServers {
  connection(name: string): Connection | undefined;
  connections(): Connection[];
  keyOf(name: string): string;
}

const readMs = 60_000;
/** Parts of one resource that are read. */
const maxParts = 100;

export function resourceTools(
  servers: ResourceServers,
  isRemoved: (name: string) => boolean,
  maxChars: number,
): Tool[] {
  const mayUse = (connection: Connection): boolean => canSeeResources(connection, servers, isRemoved);
  const usable = (): Connection[] =>
    servers.connections().filter((each) => each.inventory.hasResources && mayUse(each));
  const withFolders = (): Connection[] => usable().filter(({ inventory }) => inventory.hasDirectories);
  const folders = withFolders().length > 0 ? [folderTool(withFolders, maxChars)] : [];
  return [listTool(usable, maxChars), readTool(usable, maxChars), ...folders];
}

/** A rule that hides a server's tools also hides its resources. */
export function canSeeResources(
  { server }: Connection,
  servers: Pick<ResourceServers, "keyOf">,
  isRemoved: (name: string) => boolean,
): boolean {
  return !isRemoved(`mcp__${servers.keyOf(server.name)}__resource`);
}

function listTool(usable: () => Connection[], maxResultSizeChars: number): Tool {
  return {
    name: "ListMcpResourcesTool",
    description:
      "Lists what the connected MCP servers have to be read, as JSON: server, uri, name, mimeType, description.",
    inputSchema: {
      type: "object",
      properties: { server: { type: "string", description: "Of this server only" } },
    },
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    replay: "safe",
    maxResultSizeChars,
    async call({ server }, { signal }) {
      const chosenConnections = usable().filter(
        (connection) => server === undefined || connection.server.name === server,
      );
      if (chosenConnections.length === 0) return { content: unknownServer(server, usable()), isError: true };
      const lists = await Promise.all(chosenConnections.map((connection) => listResources(connection, signal)));
      return { content: JSON.stringify(lists.flat(), null, 1) };
    },
  };
}

async function listResources(connection: Connection, signal: AbortSignal): Promise<unknown[]> {
  const { name } = connection.server;
  try {
    const limits = { signal, timeout: readMs };
    const { items, isCut, templates, failed } = await connection.use(signal, async (client) => {
      const requests = [
        listAllPages(client, "resources/list", "resources", limits),
        listAllPages(client, "resources/templates/list", "resourceTemplates", limits),
      ] as const;
      const [listed, patterns] = await Promise.allSettled(requests);
      const templates = patterns.status === "fulfilled" ? patterns.value.items : [];
      if (listed.status === "fulfilled") return { ...listed.value, templates, failed: undefined };
      if (templates.length === 0) throw listed.reason;
      // Some servers have only templates, and do not know the other method.
      const failed: unknown = isUnknownMethod(listed.reason) ? undefined : listed.reason;
      return { items: [], isCut: false, templates, failed };
    });
    const more = isCut ? [{ server: name, note: `It has more; these are the first ${items.length}.` }] : [];
    const lines = [...items, ...templates].flatMap((item): object[] => lineOf(name, item));
    return [...lines, ...more, ...(failed === undefined ? [] : [failureOf(name, failed)])];
  } catch (error) {
    return [failureOf(name, error)];
  }
}

function failureOf(server: string, error: unknown): object {
  return { server, error: cleanText(errorText(error), 500) };
}

function lineOf(server: string, item: unknown): Record<string, string>[] {
  if (typeof item !== "object" || item === null) return [];
  const line: Record<string, string> = { server };
  for (const key of ["uri", "uriTemplate", "name", "mimeType", "description"]) {
    const value = (item as Record<string, unknown>)[key];
    if (typeof value === "string") line[key] = cleanText(value, 500);
  }
  // Without an address it cannot be read.
  return line["uri"] === undefined && line["uriTemplate"] === undefined ? [] : [line];
}

function unknownServer(name: unknown, usable: readonly Connection[]): string {
  const names = usable.map(({ server }) => server.name).join(", ");
  const which = typeof name === "string" ? ` ${name}` : "";
  return `No connected MCP server${which} has resources${names === "" ? "." : `; these have: ${names}.`}`;
}

function readTool(usable: () => Connection[], maxChars: number): Tool {
  return createReadTool(usable, maxChars, {
    name: "ReadMcpResourceTool",
    description: "Reads one resource of an MCP server, by the server's name and the resource's uri.",
    read: readResource,
  });
}

/** Lists one folder without its subfolders, which are listed in the same way. */
function folderTool(usable: () => Connection[], maxChars: number): Tool {
  return createReadTool(usable, maxChars, {
    name: "ReadMcpResourceDirTool",
    description:
      "Lists what is directly in a folder among an MCP server's resources (its mimeType is inode/directory), as JSON, by the server's name and the folder's uri.",
    async read(connection, uri, signal) {
      const limits = { signal, timeout: readMs };
      const { items, isCut } = await connection.use(signal, (client) =>
        listAllPages(client, "resources/directory/read", "resources", limits, { uri }),
      );
      const list = JSON.stringify(
        items.flatMap((item) => lineOf(connection.server.name, item)),
        null,
        1,
      );
      return isCut ? `${list}\n[There are more; these are the first ${items.length}.]` : list;
    },
  });
}

interface ReadToolSpec {
  name: string;
  description: string;
  read: (connection: Connection, uri: string, signal: AbortSignal) => Promise<ToolResultContent>;
}

function createReadTool(
  usable: () => Connection[],
  maxResultSizeChars: number,
  { name, description, read }: ReadToolSpec,
): Tool {
  return {
    name,
    description,
    inputSchema: {
      type: "object",
      properties: { server: { type: "string" }, uri: { type: "string" } },
      required: ["server", "uri"],
    },
    isConcurrencySafe: () => true,
    // Not read-only: the server receives the address, which can carry information.
    isReadOnly: () => false,
    replay: "safe",
    maxResultSizeChars,
    describe: ({ server, uri }) => `Read ${String(uri)} of ${String(server)}`,
    async call({ server, uri }, { signal }): Promise<ToolResult> {
      const connection = usable().find((each) => each.server.name === server);
      if (connection === undefined) return { content: unknownServer(server, usable()), isError: true };
      try {
        const content = await read(connection, String(uri), signal);
        return { content: content.length === 0 ? "(It holds nothing.)" : content };
      } catch (error) {
        const errorMessage = cleanText(errorText(error), 2_000);
        return { content: `${String(uri)} of ${String(server)} cannot be read: ${errorMessage}`, isError: true };
      }
    },
  };
}

export async function readResource(
  connection: Connection,
  uri: string,
  signal: AbortSignal,
): Promise<Exclude<ToolResultContent, string>> {
  const answer = await connection.use(signal, (client) =>
    client.request({ method: "resources/read", params: { uri } }, anyObject, { signal, timeout: readMs }),
  );
  const { contents } = answer;
  const parts = (isRecord(contents) ? [contents] : listIn(answer, "contents")).filter(isRecord);
  const blocks = parts.slice(0, maxParts).flatMap(resourceBlocks);
  if (parts.length > maxParts) blocks.push(textBlock(`[${parts.length - maxParts} more parts were left out]`));
  const unexpected = blocks.length > 0 ? undefined : unexpectedFields(answer);
  if (reportsError(answer, unexpected)) throw new Error(JSON.stringify(unexpected ?? contents ?? "it gives no reason"));
  return unexpected === undefined ? blocks : [textBlock(JSON.stringify(unexpected))];
}
