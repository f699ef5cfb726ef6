/** What is written to transcripts, told to the client that asked for it. */
import type { TranscriptMirror } from "../../session/mirror/mirror.ts";

/** `mirrors`: the client's name of a transcript; absent: nobody asked. */
export function clientMirror(
  mirrors: ((path: string) => string) | undefined,
  write: (line: string) => void,
): TranscriptMirror | undefined {
  if (mirrors === undefined) return undefined;
  const wrote = (path: string, line: string): void => {
    const filePath = JSON.stringify(mirrors(path));
    write(`{"type":"transcript_mirror","filePath":${filePath},"entries":[${line}]}\n`);
  };
  return { wrote, settled: () => Promise.resolve() };
}
