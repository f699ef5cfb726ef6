/** What the disk shows of a path. Nothing here throws: what cannot be seen is as what is not there. */
import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";

/** Of where a link leads. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function isFolder(path: string): boolean {
  return statusOf(path)?.isDirectory() === true;
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
