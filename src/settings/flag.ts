/** Reads the value of `--settings`: JSON text or a file's path. */
import { resolve } from "node:path";
import { expandHome } from "../lib/home-folder.ts";

/** Whether the value is JSON text; otherwise it is a file's path. */
export function isJsonFlag(flag: string): boolean {
  return /^\s*[{[]/u.test(flag);
}

export function flagFile(flag: string, cwd: string, home: string): string {
  return resolve(cwd, expandHome(flag, home));
}
