/** Paths found by a search, as bytes: relative to the searched folder, and shown relative to the working directory. */
import { isUtf8 } from "node:buffer";
import { relative, resolve } from "node:path";
import { isWithin } from "../../lib/is-within.ts";
import { quoteName } from "../../lib/quote-name.ts";

const dotSlash = Buffer.from("./");

export function withoutDotSlash(path: Buffer): Buffer {
  return path.subarray(0, 2).equals(dotSlash) ? path.subarray(2) : path;
}

/** A path for the model: short, and quoted if the name holds unusual characters or bytes. */
export function showFoundPath(path: Buffer, directory: string, cwd: string): string {
  const prefix = isWithin(directory, cwd) ? relative(cwd, directory) : directory;
  const between = prefix === "" || prefix.endsWith("/") ? "" : "/";
  return quoteName(Buffer.concat([Buffer.from(prefix + between), path]));
}

/** A path for clients: absolute, and quoted only if it is not UTF-8, which JSON cannot carry. */
export function absoluteFoundPath(path: Buffer, directory: string): string {
  if (isUtf8(path)) return resolve(directory, path.toString());
  return quoteName(Buffer.concat([Buffer.from(directory.endsWith("/") ? directory : `${directory}/`), path]));
}

export function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return parts;
}
