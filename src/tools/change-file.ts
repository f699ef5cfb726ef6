/**
 * The only way a tool changes a file: one change at a time per file, only if the model has seen the current content, atomically, and
 * preserving the file's mode, owner, encoding and links.
 */
import { access, realpath, stat, lstat } from "node:fs/promises";
import { closeSync, constants, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { hasErrorCode } from "../lib/error-text.ts";
import { KeyedLock } from "../lib/keyed-lock.ts";
import { holdFolder, MovedError, type HeldFolder } from "../lib/held-folder.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { ToolError } from "./failure.ts";
import { assertRegular, openRegularFile, readWhole } from "./open-file.ts";
import type { ReadFileState, ReadRecord } from "./read-state.ts";
import { decodeText, encodeText, hashBytes, formatSize, type DecodedText, type TextFormat } from "./text-file.ts";

export interface FileBefore extends SeenContent {
  decoded: DecodedText;
}

/** What the model has seen of the file. */
type SeenContent = Pick<ReadRecord, "partial" | "movedFrom">;

export interface FileChange {
  /** Absolute path of the file, as the model named it. */
  path: string;
  /** The file's name for messages. */
  name: string;
  signal: AbortSignal;
  /** Where the file must really lie; see `FileToOpen.place`. */
  place: string | null | undefined;
  /** What the model must have seen of an existing, non-empty file. */
  needs: "read" | "read-whole";
  /** Computes the new text from the current content (undefined if the file does not exist). Throws a `ToolError` to refuse the change. */
  compute(
    before: FileBefore | undefined,
  ): Promise<{ text: string; format: TextFormat; movedFrom?: number | undefined }>;
}

export interface ChangedFile {
  before: FileBefore | undefined;
  text: string;
}

/** One lock for the whole process: files are shared between sessions. */
const locks = new KeyedLock();
const mostBytes = 256 << 20;

/** Changes the file. Throws `ToolError`s and file system errors; the file is then unchanged. */
export async function changeFile(change: FileChange, dependencies: ToolDependencies): Promise<ChangedFile> {
  const target = await resolveTarget(change);
  return await locks.run(target, async () => {
    change.signal.throwIfAborted();
    const existing = await readExisting(target, change, dependencies);
    const { text, format, movedFrom = existing?.before.movedFrom } = await change.compute(existing?.before);
    const bytes = encodeText(text, format);
    await dependencies.beforeChange?.(target);
    const folder = holdFolder(dirname(target));
    try {
      await replaceFile(folder, basename(target), bytes, existing?.stats, change.name);
      await recordChange(change, target, folder, { bytes, partial: existing?.before.partial, movedFrom }, dependencies);
    } finally {
      folder.close();
    }
    return { before: existing?.before, text };
  });
}

/** Returns why changing an existing file would be refused, before anybody is asked. If the file was never read, only that is checked. */
export async function predictRefusal(change: FileChange, dependencies: ToolDependencies): Promise<string | undefined> {
  try {
    const target = await realTarget(change.path, change.name);
    const found = await stat(target);
    if (!found.isFile() || found.size === 0) return undefined;
    if (recordsFor(change.path, target, dependencies.readState).length === 0) return unreadText(change);
    const existing = await readExisting(target, change, dependencies);
    await change.compute(existing?.before);
    return undefined;
  } catch (error) {
    return error instanceof ToolError ? error.message : undefined;
  }
}

async function replaceFile(
  folder: HeldFolder,
  file: string,
  bytes: Buffer,
  existing: Stats | undefined,
  name: string,
): Promise<void> {
  const path = folder.pathOf(file);
  const written = writeFileAtomically(path, bytes, {
    ...(existing === undefined ? {} : { mode: existing.mode & 0o7777, owner: existing }),
    beforeReplace: async () => {
      folder.check();
      await assertUnchanged(path, existing, name);
    },
  });
  await written.catch((error: unknown) => {
    if (existing === undefined || !replaceRefusedCodes.some((code) => hasErrorCode(error, code))) throw error;
    throw new ToolError(
      `${name} may be written, but its folder does not let it be replaced. Write it through Bash (cat > file) if it must change.`,
    );
  });
}

/** The errors the system reports for a file that may itself be written but lies in a folder that may not. */
const replaceRefusedCodes = ["EACCES", "EPERM", "EROFS"];

/** Returns where the file really lies, or would be created: a symbolic link is followed, not replaced. */
async function resolveTarget({ path, name, place }: FileChange): Promise<string> {
  const target = await realTarget(path, name);
  if (place !== undefined && place !== target) throw new MovedError(path);
  return target;
}

async function realTarget(path: string, name: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") || dirname(path) === path) throw error;
  }
  const link = await lstat(path).catch(() => undefined);
  if (link?.isSymbolicLink())
    throw new ToolError(`${name} is a symbolic link to a file that is not there. Name that file itself.`);
  return join(await realTarget(dirname(path), name), basename(path));
}

async function readExisting(
  target: string,
  change: FileChange,
  dependencies: ToolDependencies,
): Promise<{ before: FileBefore; stats: Stats } | undefined> {
  const found = await statIfExists(target);
  if (found === undefined) return undefined;
  assertRegular(found, change.name, "changed");
  if (found.size > mostBytes) {
    throw new ToolError(
      `${change.name} is too large to change here (${formatSize(found.size)}). Use sed or a script in Bash.`,
    );
  }
  // Replacing a file needs only the folder's permissions; the file's own permissions say whether it is meant to be changed.
  await access(target, constants.W_OK);
  const file = openRegularFile({ path: target, name: change.name, place: target });
  try {
    const bytes = await readWhole(file, change.signal);
    const records = recordsFor(change.path, target, dependencies.readState);
    const seen = bytes.length === 0 ? {} : checkSeen(change, records, file.stats, bytes);
    return { before: { decoded: decodeText(bytes), ...seen }, stats: file.stats };
  } finally {
    closeSync(file.descriptor);
  }
}

/** Finds the read records of a file under any of its names. */
function recordsFor(path: string, target: string, readState: ReadFileState): ReadRecord[] {
  const names = new Set([path, ...readState.namesOf(target)]);
  return Array.from(names, (name) => readState.get(name)).filter((record) => record !== undefined);
}

function unreadText({ name }: FileChange): string {
  return `${name} has not been read yet. Read it first, then try again.`;
}

/** Returns what the model has seen of the file; throws if that is too little for this change. */
function checkSeen(change: FileChange, records: readonly ReadRecord[], stats: Stats, bytes: Buffer): SeenContent {
  if (records.length === 0) throw new ToolError(unreadText(change));
  const hash = records.some((record) => record.hash !== undefined) ? hashBytes(bytes) : undefined;
  const same = records.filter((record) =>
    record.hash === undefined ? record.mtimeMs === stats.mtimeMs && record.size === stats.size : record.hash === hash,
  );
  if (same.length === 0) {
    const isOfHooks = hash !== undefined && records.some(({ leftByHooks }) => leftByHooks === hash);
    // Hooks changed the file after the model wrote it: an edit is allowed, since it keeps everything but a passage the model knows.
    if (isOfHooks && change.needs === "read") return { partial: true, movedFrom: latestMovedFrom(records) };
    throw new ToolError(
      `${change.name} has changed since it was read (by the user, a formatter or a command). Read it again, then try again.`,
    );
  }
  const isPartial = same.every(({ partial }) => partial === true);
  if (change.needs === "read") return { partial: isPartial || undefined, movedFrom: latestMovedFrom(same) };
  if (isPartial)
    throw new ToolError(
      `Only a part of ${change.name} has been read, and this would replace all of it. Read the rest first (lines that are cut count as not read), or use Edit.`,
    );
  // The model replaces the whole file, so it knows all of the result.
  return {};
}

/** If the file was read under several names, the most recent read decides. */
function latestMovedFrom(records: readonly ReadRecord[]): number | undefined {
  const last = Math.max(...records.map(({ movedFrom }) => movedFrom ?? Infinity));
  return last === Infinity ? undefined : last;
}

/** Throws if someone else changed the file between the check and the replacement, so that their change is not lost. */
async function assertUnchanged(target: string, statsBefore: Stats | undefined, name: string): Promise<void> {
  const now = await statIfExists(target);
  const isSame =
    statsBefore === undefined
      ? now === undefined
      : now?.ino === statsBefore.ino && now.mtimeMs === statsBefore.mtimeMs && now.size === statsBefore.size;
  if (!isSame)
    throw new ToolError(
      `${name} was changed by someone else at this very moment; nothing was written. Read it again, then try again.`,
    );
}

async function recordChange(
  change: FileChange,
  target: string,
  folder: HeldFolder,
  { bytes, ...seen }: SeenContent & { bytes: Buffer },
  { readState }: ToolDependencies,
): Promise<void> {
  const { mtimeMs, size } = await stat(folder.pathOf(basename(target)));
  const record: ReadRecord = { mtimeMs, size, hash: hashBytes(bytes), ...seen };
  // Update the records of the file's other names too: otherwise the next edit under one of them would look like a change by somebody else.
  const others = readState.namesOf(target).filter((name) => name !== change.path);
  for (const name of [...others, change.path]) readState.set(name, record, { place: target });
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
