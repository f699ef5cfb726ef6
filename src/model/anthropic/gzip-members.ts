/**
 * What a gzip body holds before bytes that are no part of it, as some proxies send them behind it. Node's decoder fails for them,
 * and with them for what it had just decoded; other clients leave them out.
 */
import { isRecord } from "../../lib/is-record.ts";

const [extra, fileName, comment, checksum] = [4, 8, 16, 2];
const trailerBytes = 8;
const mostBytes = 64 * 1024 * 1024;

interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** Node's types leave out what `info` makes of the answer. */
function inflated(packed: Buffer): Inflated {
  const { inflateRawSync } = process.getBuiltinModule("node:zlib");
  return inflateRawSync(packed, { info: true, maxOutputLength: mostBytes }) as unknown as Inflated;
}

/** Where a new member was looked for: what stood before it was whole. */
export function isAtMember(error: unknown): boolean {
  const isData = isRecord(error) && error["code"] === "Z_DATA_ERROR";
  return (
    isData && /incorrect header check|unknown compression method|unknown header flags/u.test(String(error["message"]))
  );
}

/** Undefined where nothing of it is gzip. */
export function wholeMembers(packed: Buffer): Buffer | undefined {
  const members: Buffer[] = [];
  let at = 0;
  try {
    for (let start = headerEnd(packed, at); start !== undefined; start = headerEnd(packed, at)) {
      const { buffer, engine } = inflated(packed.subarray(start));
      members.push(buffer);
      at = start + engine.bytesWritten + trailerBytes;
    }
  } catch {
    // It only looked like one more.
  }
  return members.length === 0 ? undefined : Buffer.concat(members);
}

/** Undefined where no member begins. */
function headerEnd(packed: Buffer, start: number): number | undefined {
  const isMember = packed[start] === 0x1f && packed[start + 1] === 0x8b && packed[start + 2] === 8;
  const flags = packed[start + 3];
  if (!isMember || flags === undefined) return undefined;
  let at = start + 10;
  if ((flags & extra) !== 0) at += 2 + packed.readUInt16LE(at);
  for (const text of [fileName, comment]) if ((flags & text) !== 0) at = packed.indexOf(0, at) + 1;
  return (flags & checksum) === 0 ? at : at + 2;
}
