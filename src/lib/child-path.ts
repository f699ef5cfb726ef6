/** Paths in a folder that is already resolved, so that nothing needs normalising. */
import { sep } from "node:path";

/** `name` must not contain empty or dot segments. */
export function childPath(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}
