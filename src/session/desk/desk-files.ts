/** Files for a host's own screens, within what the session itself may read. */
import { SessionError } from "../../lib/session-error.ts";
import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, realpathSync, statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { foldCase } from "../../lib/path-pattern.ts";
import { openVerified } from "../../lib/held-folder.ts";
import { readBytes } from "../../lib/read-bytes.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import type { SDKFileContents, SDKTaskOutput } from "../../protocol/sdk-control.ts";
import { listVisible } from "../../tools/search/list-files.ts";
import type { ReadFileOptions } from "./desk.ts";
import type { Joined } from "../joined.ts";

const defaultBytes = 1024 * 1024;
const mostBytes = 16 * 1024 * 1024;
const tailBytes = 8 * 1024;
const mostSuggestions = 50;
const searchMs = 2_000;

type Rooms = Pick<Joined, "tools" | "permissions">;

export async function readForHost(
  { tools, permissions }: Rooms,
  path: string,
  { maxBytes = defaultBytes, encoding = "utf-8" }: ReadFileOptions,
): Promise<SDKFileContents> {
  const absPath = resolve(tools.cwd.get(), path);
  if (!tools.tools.some(({ name }) => name === "Read")) throw unreadable("This session has no tool that reads files.");
  const { decision, reason, judged } = await permissions.explain("Read", { file_path: absPath }, true);
  if (decision !== "allow") throw unreadable(`${absPath} may not be read: ${reason}`);
  const file = { path: absPath, place: judged?.[0]?.real ?? absPath };
  const { bytes, size } = readOrExplain(file, Math.min(Math.max(1, maxBytes), mostBytes));
  const cut = bytes.length < size ? { truncated: true as const } : {};
  if (encoding === "base64") return { contents: bytes.toString("base64"), absPath, encoding, ...cut };
  return { contents: bytes.toString("utf8"), absPath, ...cut, lossy: !isUtf8(bytes) };
}

function unreadable(message: string, cause?: unknown): SessionError {
  return new SessionError("file_unreadable", message, { cause });
}

function readOrExplain(file: { path: string; place: string }, maxBytes: number): { bytes: Buffer; size: number } {
  try {
    return readPart(file, maxBytes);
  } catch (error) {
    if (error instanceof SessionError) throw error;
    throw unreadable(`${file.path} cannot be read: ${reasonOf(error)}`, error);
  }
}

/** Reads the head of a file, or its end if `length` is negative. Never blocks on a pipe or a device. */
function readPart({ path, place }: { path: string; place?: string }, length: number): { bytes: Buffer; size: number } {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  const descriptor = place === undefined ? openSync(path, flags) : openVerified(path, place, flags);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw unreadable(`${path} is not a regular file`);
    const start = length < 0 ? Math.max(0, status.size + length) : 0;
    const wanted = Math.min(Math.abs(length), Math.max(0, status.size - start));
    return { bytes: readBytes(descriptor, start, wanted), size: status.size };
  } finally {
    closeSync(descriptor);
  }
}

export function outputTail(path: string | null, totalBytes: number): SDKTaskOutput {
  if (path === null) return { output: "", total_bytes: totalBytes, truncated: totalBytes > 0 };
  const { bytes } = readPart({ path }, -tailBytes);
  return { output: bytes.toString("utf8"), total_bytes: totalBytes, truncated: totalBytes > bytes.length };
}

export async function suggestFiles(rooms: Pick<Rooms, "tools">, query: string): Promise<string[]> {
  return (await findFiles(rooms, query, new AbortController().signal)).slice(0, mostSuggestions);
}

/** Finds files by name, the best first. Leaves out files that .gitignore names or that may not be read. */
export async function findFiles(
  { tools }: Pick<Rooms, "tools">,
  query: string,
  signal: AbortSignal,
): Promise<string[]> {
  const directory = tools.cwd.get();
  const { clock } = tools.shared;
  const scope = { directory, signal, clock, limitMs: searchMs };
  const { paths } = await listVisible(scope, { includesHidden: false }, tools.shared);
  const wanted = foldCase(query);
  const found = paths.flatMap((bytes) => {
    const path = bytes.toString();
    const rank = rankOf(foldCase(path), wanted);
    return rank === null || tools.shared.mayShow?.(resolve(directory, path)) === false ? [] : [{ path, rank }];
  });
  found.sort(
    (one, other) => one.rank - other.rank || one.path.length - other.path.length || (one.path < other.path ? -1 : 1),
  );
  return found.map(({ path }) => path);
}

/** Lower is better: found in the name, in the path, or scattered over the path; null if not found. */
function rankOf(path: string, query: string): number | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(query)) return 0;
  if (name.includes(query)) return 1;
  if (path.includes(query)) return 2;
  let at = 0;
  for (const letter of query) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return 3;
}

function fileStatus(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(`${path} cannot be accessed: ${reasonOf(error)}.`, error);
  }
}

export function seedReadState({ tools }: Rooms, path: string, mtimeMs: number): void {
  const absPath = resolve(tools.cwd.get(), path);
  const status = fileStatus(absPath);
  if (status?.isFile() !== true) throw unreadable(`There is no file ${absPath}.`);
  // The file has changed since, so the conversation's knowledge is outdated, and an edit needs a read first.
  if (Math.floor(status.mtimeMs) !== Math.floor(mtimeMs)) return;
  tools.shared.readState.set(
    absPath,
    { mtimeMs: status.mtimeMs, size: status.size },
    { place: realpathSync.native(absPath) },
  );
}
