/** What can be read from a PDF without a PDF library: whether it is one, its number of pages, and encryption. ISO 32000-1, 7.5. */
export interface PdfFacts {
  /** The number of pages found; there may be more. 0 if none was found. */
  pages: number;
  encrypted: boolean;
}

/** PDF readers look for the header in the first kilobyte. */
const headBytes = 1024;
const mostUnpackedAtOnce = 8 << 20;
const mostUnpacked = 64 << 20;
/** After this many streams that cannot be unpacked, the search ends. */
const mostFailures = 20;
const leastCharged = 4096;
/** The most bytes between the type of an object stream and its data. */
const mostDictionary = 1024;

export function isPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, headBytes).includes("%PDF-");
}

/** Undefined if the bytes are not a PDF file. */
export function pdfFacts(bytes: Buffer): PdfFacts | undefined {
  if (!isPdf(bytes)) return undefined;
  const text = bytes.toString("latin1");
  const encrypted = /\/Encrypt\s{0,8}(?:\d{1,9}\s{1,8}\d{1,9}\s{1,8}R|<<)/.test(text);
  const seen = { objects: 0, count: 0 };
  countPages(text, seen);
  if (!encrypted) for (const packed of objectStreams(bytes, text)) countPages(packed, seen);
  // A modified file may contain old pages beside new ones, and outlines have counts too: the smaller number is closer.
  const pages =
    seen.objects === 0 || seen.count === 0 ? Math.max(seen.objects, seen.count) : Math.min(seen.objects, seen.count);
  return { pages, encrypted };
}

function countPages(text: string, seen: { objects: number; count: number }): void {
  for (const _ of text.matchAll(/\/Type\s{0,8}\/Page(?![A-Za-z])/g)) seen.objects++;
  for (const match of text.matchAll(/\/Count\s{1,8}(\d{1,6})/g)) seen.count = Math.max(seen.count, Number(match[1]));
}

/** Yields the text of object streams, in which newer writers pack objects. Skips what cannot be unpacked. */
function* objectStreams(bytes: Buffer, text: string): Generator<string> {
  // Loaded with the first file that needs it: tokens are also counted in sessions without PDFs.
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
      // The data ends where zlib says so; what follows is ignored.
      const unpacked = inflateSync(bytes.subarray(start), { maxOutputLength: Math.min(room, mostUnpackedAtOnce) });
      room -= Math.max(leastCharged, unpacked.length);
      yield unpacked.toString("latin1");
    } catch {
      // Another filter, damage, or too large: its pages stay unknown.
      failures++;
    }
  }
}
