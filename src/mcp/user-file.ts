/** The user's own file of servers: those for every folder, and those for one. */
import { realpathSync } from "node:fs";
import { isObject, newObject, parseJson, type Json, type JsonObject } from "../lib/json.ts";
import { readRegularFile } from "../lib/regular-file.ts";

const maxBytes = 2 * 1024 * 1024;

export type UserFile = { ok: true; servers: Json; local: Json } | { ok: false; why: string };

/** `local`: those for `folder` alone. Undefined where there is no such file. */
export function readUserFile(path: string, folder: string): UserFile | undefined {
  const object = readJsonFile(path);
  if (object === undefined) return undefined;
  if (typeof object === "string") return { ok: false, why: object };
  const projects = isObject(object["projects"]) ? object["projects"] : newObject();
  const own = projects[realOf(folder)];
  return {
    ok: true,
    servers: object["mcpServers"] ?? newObject(),
    local: (isObject(own) ? own["mcpServers"] : undefined) ?? newObject(),
  };
}

/** The object in a file, why it cannot be used, or undefined where there is none. */
function readJsonFile(path: string): JsonObject | string | undefined {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok) return /\bENOENT\b/u.test(read.why) ? undefined : read.why;
  const parsed = parseJson(read.text);
  if (!parsed.ok) return parsed.message;
  return isObject(parsed.value) ? parsed.value : "it should hold one JSON object";
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
