/** The user's own file of servers: those for every folder, and those for a single one. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { brokenLinkReason, isBrokenLink, realPathOf } from "../lib/path-status.ts";
import { mcpServersForFolder } from "../lib/servers-for-folder.ts";
import { lockLimitMs, withFileLock } from "../lib/file-lock.ts";
import { isObject, newObject, parseJson, type Json, type JsonObject } from "../lib/json.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";

const maxBytes = 2 * 1024 * 1024;

export type UserFile =
  | { ok: true; servers: Json; local: Json; text: string; repeated: string[] }
  | { ok: false; why: string };

/** `local`: servers for `folder` and the folders above it; nearer folders override. Undefined if there is no such file. */
export function readUserFile(path: string, folder: string): UserFile | undefined {
  const read = readJsonFile(path);
  if (read === undefined) return undefined;
  if (typeof read === "string") return { ok: false, why: read };
  const { object, text, repeated } = read;
  return {
    ok: true,
    text,
    repeated,
    servers: object["mcpServers"] ?? newObject(),
    local: mcpServersForFolder(object["projects"], folder),
  };
}

/** The object in a file, the reason why it cannot be used, or undefined if there is no file. */
function readJsonFile(path: string): { object: JsonObject; text: string; repeated: string[] } | string | undefined {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok && read.code === "ENOENT") return isBrokenLink(path) ? brokenLinkReason : undefined;
  if (!read.ok) return read.why;
  const parsed = parseJson(read.text);
  if (!parsed.ok) return parsed.message;
  const { value: object, repeated } = parsed;
  return isObject(object) ? { object, text: read.text, repeated } : "it should hold one JSON object";
}

interface Place {
  project?: string;
  /** Mode of a new file that is not in the user's own folder. An existing file keeps its mode. */
  mode?: number;
}

/** Changes one table of servers in a file, unless `change` returns false. Throws, without writing, if the file cannot be parsed. */
export async function changeServers(
  path: string,
  change: (servers: JsonObject) => boolean | void,
  place: Place = {},
): Promise<void> {
  const { mode = 0o600 } = place;
  if (mode !== 0o600) return await changeFile(path, change, place);
  makeFolders(dirname(path), 0o700);
  // The user's own file: sessions and scripts may change it at the same time.
  await withFileLock(`${path}.lock`, lockLimitMs, () => changeFile(path, change, place));
}

async function changeFile(
  path: string,
  change: (servers: JsonObject) => boolean | void,
  { project, mode = 0o600 }: Place,
): Promise<void> {
  const read = readJsonFile(path);
  if (typeof read === "string") throw new Error(`${path}: ${read}; fix it first`);
  // The first of the two would be lost for good.
  if (read !== undefined && read.repeated.length > 0)
    throw new Error(`${path}: "${read.repeated[0]}" appears twice; fix it first`);
  const object = read?.object ?? newObject();
  const holder = project === undefined ? object : projectOf(object, project, path);
  const servers = holder["mcpServers"] ?? newObject();
  if (!isObject(servers)) throw new Error(`${path}: "mcpServers" should be an object; fix it first`);
  if (change(servers) === false) return;
  holder["mcpServers"] = servers;
  makeFolders(dirname(path), mode === 0o600 ? 0o700 : 0o777);
  // A symbolic link is followed, so that its target is written.
  const real = realPathOf(path) ?? path;
  const kept = mode === 0o600 ? undefined : statSync(real, { throwIfNoEntry: false });
  const bits = kept === undefined ? mode : kept.mode & 0o7777;
  await writeFileAtomically(real, Buffer.from(`${JSON.stringify(object, null, 2)}\n`), { mode: bits, flush: true });
}

function projectOf(object: JsonObject, project: string, path: string): JsonObject {
  const projects = object["projects"] ?? newObject();
  if (!isObject(projects)) throw new Error(`${path}: "projects" should be an object; fix it first`);
  object["projects"] = projects;
  const own = projects[project] ?? newObject();
  if (!isObject(own)) throw new Error(`${path}: the entry for ${project} should be an object; fix it first`);
  projects[project] = own;
  return own;
}
