/** Files for content that is too large for the conversation: private, and never overwriting another file. */
import { join } from "node:path";
import { hasErrorCode } from "../lib/error-text.ts";
import { makeFolders } from "../lib/make-folders.ts";

export interface Spill {
  /** Writes `content` to a file named after `name`. Returns its absolute path. Throws the system's error. Default extension: `txt`. */
  write(name: string, content: string | Uint8Array, extension?: string): Promise<string>;
}

export function createSpill(directory: string): Spill {
  return {
    async write(name, content, extension = "txt") {
      makeFolders(directory, 0o700);
      const base = fileBaseName(name);
      for (let copy = 1; ; copy++) {
        const path = join(directory, copy === 1 ? `${base}.${extension}` : `${base}-${copy}.${extension}`);
        if (await writeNewFile(path, content)) return path;
        if (copy === 100) throw new Error(`too many results are called ${base}`);
      }
    },
  };
}

/** Returns what the file names for `name` begin with. */
export function fileBaseName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 100) || "result";
}

/** Returns false if a file of that name exists. */
async function writeNewFile(path: string, content: string | Uint8Array): Promise<boolean> {
  const { open } = await import("node:fs/promises");
  const file = await open(path, "wx", 0o600).catch((error: unknown) => {
    if (hasErrorCode(error, "EEXIST")) return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(content);
    return true;
  } finally {
    await file.close();
  }
}
