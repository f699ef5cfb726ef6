/** Paths in a folder that is resolved already: nothing in them is to be made normal. */
import { sep } from "node:path";

/** `name` has no part that is empty or dots. */
export function childPath(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}
