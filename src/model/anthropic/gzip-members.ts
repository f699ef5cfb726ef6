/**
 * Decodes a gzip body that is followed by foreign bytes, as some proxies send them. Node's decoder fails on those bytes and loses
 * what it had just decoded; other clients ignore them.
 */
import { isRecord } from "../../lib/is-record.ts";

const [extra, fileName, comment, checksum] = [4, 8, 16, 2];
const trailerBytes = 8;
const maxDecodedBytes = 64 * 1024 * 1024;

interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** Node's types do not cover the result with `info`. */
function inflateMember(packed: Buffer): Inflated {
  const { inflateRawSync } = process.getBuiltinModule("node:zlib");
  return inflateRawSync(packed, { info: true, maxOutputLength: maxDecodedBytes }) as unknown as Inflated;
}

/** The decoder failed while looking for a new member, so everything before was whole. */
export function isMemberError(error: unknown): boolean {
  const isData = isRecord(error) && error["code"] === "Z_DATA_ERROR";
  return (
    isData && /incorrect header check|unknown compression method|unknown header flags/u.test(String(error["message"]))
  );
}

/** The decoded members, or undefined if there is no gzip member at all. */
export function decodeMembers(packed: Buffer): Buffer | undefined {
  const members: Buffer[] = [];
  let at = 0;
  try {
    for (let start = headerEnd(packed, at); start !== undefined; start = headerEnd(packed, at)) {
      const { buffer, engine } = inflateMember(packed.subarray(start));
      members.push(buffer);
      at = start + engine.bytesWritten + trailerBytes;
    }
  } catch {
    // It only looked like another member.
  }
  return members.length === 0 ? undefined : Buffer.concat(members);
}

/** The offset after the member's header, or undefined if no member begins there. */
function headerEnd(packed: Buffer, start: number): number | undefined {
  const isMember = packed[start] === 0x1f && packed[start + 1] === 0x8b && packed[start + 2] === 8;
  const flags = packed[start + 3];
  if (!isMember || flags === undefined) return undefined;
  let at = start + 10;
  if ((flags & extra) !== 0) at += 2 + packed.readUInt16LE(at);
  for (const text of [fileName, comment]) if ((flags & text) !== 0) at = packed.indexOf(0, at) + 1;
  return (flags & checksum) === 0 ? at : at + 2;
}
