/**
 * Remembers which definition of a tool the user allowed: if the server later describes the tool differently, the user is asked
 * again. Kept in memory for a session, and in a file of the user's for what settings always allow.
 */
import { errorText } from "../lib/error-text.ts";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFileSync } from "../lib/atomic-write.ts";
import { isObject, newObject, parseJson, type JsonObject } from "../lib/json.ts";
import { makeFolders } from "../lib/make-folders.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { Server } from "./server.ts";
import { hexDigest } from "./hex-digest.ts";

const maxServers = 500;

export class Pins {
  readonly #path: string;
  readonly #debug: (line: string) => void;
  readonly #sessionHashes = new Map<string, string>();
  #stored: JsonObject | undefined;

  constructor(path: string, debug: (line: string) => void) {
    this.#path = path;
    this.#debug = debug;
  }

  /** A session's rules were given for the first definition it saw. */
  noteFirstSeen({ name, definition }: CatalogEntry): void {
    if (definition !== undefined && !this.#sessionHashes.has(name)) this.#sessionHashes.set(name, definition.hash);
  }

  /** Whether the tool differs from what was allowed. `isLasting`: allowed by settings, which outlive a session. */
  hasChanged(entry: CatalogEntry, isLasting: boolean): boolean {
    if (entry.definition === undefined) return false;
    const { hash, writtenHash } = entry.definition;
    const [seen, kept] = [this.#sessionHashes.get(entry.name), isLasting ? this.#storedHash(entry) : undefined];
    return (seen !== undefined && seen !== hash) || (kept !== undefined && kept !== hash && kept !== writtenHash);
  }

  /** A person has allowed the current definition. */
  accept(entry: CatalogEntry): void {
    if (entry.definition === undefined) return;
    this.#sessionHashes.set(entry.name, entry.definition.hash);
    if (this.#storedHash(entry) !== undefined) this.#writePin(entry);
  }

  /** A settings rule has allowed the tool: from now on the rule means this definition. */
  pinIfMissing(entry: CatalogEntry): void {
    const { definition } = entry;
    if (definition === undefined) return;
    const kept = this.#storedHash(entry);
    if (kept === undefined || (kept === definition.writtenHash && kept !== definition.hash)) this.#writePin(entry);
  }

  #storedHash({ connection, definition }: CatalogEntry): string | undefined {
    const tools = this.#read()[serverIdentity(connection.server)];
    const hash = isObject(tools) ? tools[definition?.name ?? ""] : undefined;
    return typeof hash === "string" ? hash : undefined;
  }

  #read(): JsonObject {
    this.#stored ??= readPins(this.#path);
    return this.#stored;
  }

  #writePin({ connection, definition }: CatalogEntry): void {
    if (definition === undefined) return;
    // Another session may have written meanwhile.
    const pins = readPins(this.#path);
    const identity = serverIdentity(connection.server);
    const before = pins[identity];
    const tools = isObject(before) ? before : newObject();
    tools[definition.name] = definition.hash;
    delete pins[identity];
    const kept = Object.assign(newObject(), Object.fromEntries(Object.entries(pins).slice(1 - maxServers)), {
      [identity]: tools,
    });
    this.#stored = kept;
    try {
      makeFolders(dirname(this.#path), 0o700);
      replaceFileSync(this.#path, `${JSON.stringify(kept)}\n`);
    } catch (error) {
      this.#debug(`mcp pins cannot be written: ${errorText(error)}`);
    }
  }
}

function readPins(path: string): JsonObject {
  try {
    const parsed = parseJson(readFileSync(path, "utf8"));
    return parsed.ok && isObject(parsed.value) ? parsed.value : newObject();
  } catch {
    // No pins were stored yet.
    return newObject();
  }
}

/** Another command or address under the same name is another server. */
function serverIdentity(server: Server): string {
  const { name } = server;
  const place =
    server.type === "stdio"
      ? [server.command, ...server.args, ...(server.startsIn === server.cwd ? [] : [server.startsIn])]
      : "url" in server
        ? [server.type, server.url]
        : [server.type];
  return hexDigest(JSON.stringify([name, place]), 32);
}
