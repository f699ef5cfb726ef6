/** Whether `path` is `folder` or inside it, by segments. Both must be absolute and resolved. */
import { isAbsolute, relative, sep } from "node:path";

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
