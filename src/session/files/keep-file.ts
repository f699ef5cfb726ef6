/** Backs up the content of a file, and notes it in the transcript, before the file is changed. */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { quoteName } from "../../lib/quote-name.ts";
import { ToolError } from "../../tools/failure.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { keepContent } from "../../transcript/file-history.ts";
import { fileHistoryFolder, type FileChange, type Transcript } from "../../transcript/index.ts";
import { lookAt, resolveParentLinks, type Look } from "./file-look.ts";

export interface KeepContext {
  transcript: Transcript;
  /** Absolute. */
  path: string;
  messageUuid: string;
  /** Larger files are noted but not backed up. */
  maxBytes: number;
  flush: boolean;
}

/** Throws a `ToolError` for the model if the content or the note could not be written: the file must then not be changed. */
export function keepFile(keeping: KeepContext): void {
  const { path, maxBytes, messageUuid } = keeping;
  let why: string;
  try {
    const look = lookAt(path, maxBytes);
    const written =
      look.kind === "absent"
        ? noteChange(keeping, resolveParentLinks(path), look, messageUuid, missingFolder(path))
        : noteChange(keeping, path, look, messageUuid);
    if (written.ok) return;
    why = written.failure.message;
  } catch (error) {
    why = `${reasonOf(error)}.`;
  }
  throw new ToolError(
    `${quoteName(path)} was not changed, because what it holds could not be kept for a later rewind: ${why}`,
  );
}

/** Writes the content first, so that a note never refers to missing content. Throws the system's error if the content cannot be written. */
export function noteChange(
  { transcript, flush }: Pick<KeepContext, "transcript" | "flush">,
  path: string,
  look: Look,
  messageUuid: string,
  madeFolder?: string,
): ReturnType<Transcript["appendMeta"]> {
  const folderField = madeFolder === undefined ? {} : { madeFolder };
  return transcript.appendMeta("file_change", {
    path,
    ...storeContent(look, transcript, flush),
    ...folderField,
    messageUuid,
  });
}

/** Returns the topmost folder that will be created with the file. */
function missingFolder(path: string): string | undefined {
  let missing: string | undefined;
  for (let folder = dirname(path); lstatSync(folder, { throwIfNoEntry: false }) === undefined; folder = dirname(folder))
    missing = folder;
  return missing === undefined ? undefined : resolveParentLinks(missing);
}

function storeContent(
  look: Look,
  transcript: Transcript,
  flush: boolean,
): Pick<FileChange, "hash" | "mode" | "notKept"> {
  if (look.kind === "absent") return { hash: null };
  if (look.kind === "not_kept") return { hash: null, notKept: look.why };
  const hash = keepContent(fileHistoryFolder(transcript.path), look.bytes, { flush });
  return { hash, mode: look.stats.mode & 0o7777 };
}
