/** MCP servers that a record stores per folder path. */
import { dirname } from "node:path";
import { realPathOf } from "./path-status.ts";
import { isObject, newObject, type Json, type JsonObject } from "./json.ts";

/** Merges the server tables for a folder and the folders above it; for the same name the nearer folder wins. */
export function mcpServersForFolder(folders: unknown, folder: string): JsonObject {
  const table = newObject();
  if (!isObject(folders)) return table;
  for (let at = realPathOf(folder) ?? folder; ; at = dirname(at)) {
    const own: Json | undefined = Object.hasOwn(folders, at) ? folders[at] : undefined;
    const entries = isObject(own) ? own["mcpServers"] : undefined;
    for (const [name, entry] of Object.entries(isObject(entries) ? entries : {})) table[name] ??= entry;
    if (dirname(at) === at) return table;
  }
}
