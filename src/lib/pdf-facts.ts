/** What can be told of a PDF file without a PDF library: whether it is one, how many pages it has, whether it is locked. ISO 32000-1, 7.5. */
export interface PdfFacts {
  /** At least this is known of them; 0 where nothing is. */
  pages: number;
  encrypted: boolean;
}

/** Readers look for the header in the first kilobyte. */
const headBytes = 1024;
const mostUnpackedAtOnce = 8 << 20;
const mostUnpacked = 64 << 20;
/** A file with more streams than this that cannot be unpacked is not looked at any further. */
const mostFailures = 20;
const leastCharged = 4096;
/** Between the name of an object stream's kind and its data. */
const mostDictionary = 1024;

export function isPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, headBytes).includes("%PDF-");
}

/** Undefined where the bytes are no PDF file. */
export function pdfFacts(bytes: Buffer): PdfFacts | undefined {
  if (!isPdf(bytes)) return undefined;
  const text = bytes.toString("latin1");
  const encrypted = /\/Encrypt\s{0,8}(?:\d{1,9}\s{1,8}\d{1,9}\s{1,8}R|<<)/.test(text);
  const seen = { objects: 0, count: 0 };
  look(text, seen);
  if (!encrypted) for (const packed of objectStreams(bytes, text)) look(packed, seen);
  // A file that was changed may hold old pages beside new ones, and outlines count too: the smaller figure is nearer.
  const pages =
    seen.objects === 0 || seen.count === 0 ? Math.max(seen.objects, seen.count) : Math.min(seen.objects, seen.count);
  return { pages, encrypted };
}

function look(text: string, seen: { objects: number; count: number }): void {
  for (const _ of text.matchAll(/\/Type\s{0,8}\/Page(?![A-Za-z])/g)) seen.objects++;
  for (const match of text.matchAll(/\/Count\s{1,8}(\d{1,6})/g)) seen.count = Math.max(seen.count, Number(match[1]));
}

/** The text of the objects that newer writers pack together. What cannot be unpacked is passed over. */
function* objectStreams(bytes: Buffer, text: string): Generator<string> {
  // Loaded with the first file that needs it: tokens are counted in sessions that never see a PDF.
  const { inflateSync } = process.getBuiltinModule("node:zlib");
  let room = mostUnpacked;
  let failures = 0;
  for (
    let at = text.indexOf("/ObjStm");
    at >= 0 && room > 0 && failures < mostFailures;
    at = text.indexOf("/ObjStm", at + 1)
  ) {
    const opening = /stream\r?\n/.exec(text.slice(at, at + mostDictionary));
    if (opening === null) continue;
    const start = at + opening.index + opening[0].length;
    try {
      // Data ends where zlib says so: what comes after it is left alone.
      const unpacked = inflateSync(bytes.subarray(start), { maxOutputLength: Math.min(room, mostUnpackedAtOnce) });
      room -= Math.max(leastCharged, unpacked.length);
      yield unpacked.toString("latin1");
    } catch {
      // Another filter, damage, or more than is looked at: its pages stay unknown.
      failures++;
    }
  }
}
