/** Reads a file that may be anything: never waits for a pipe or a device, and never loads a huge file. */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { decodeByBom } from "./decode-by-bom.ts";
import { readBytes } from "./read-bytes.ts";
import { reasonOf, systemCode } from "./system-reason.ts";

/** `isDamaged`: some bytes were not text. `code`: the system's error code, such as `ENOENT`. `why` is for people. */
export type RegularFile =
  | { ok: true; text: string; isDamaged?: true }
  | { ok: false; why: string; code?: string | undefined };

export function readRegularFile(path: string, maxBytes: number): RegularFile {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { ok: false, why: "it is not a regular file" };
    if (status.size > maxBytes) return { ok: false, why: `it is larger than ${Math.round(maxBytes / 1024)} KiB` };
    const bytes = readBytes(descriptor, 0, status.size);
    const text = decodeByBom(bytes);
    return { ok: true, text, ...(text.includes("\ufffd") && !isText(bytes) ? { isDamaged: true } : {}) };
  } catch (error) {
    return { ok: false, why: reasonOf(error), code: systemCode(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    decodeByBom(bytes, { fatal: true });
    return true;
  } catch {
    return false;
  }
}
