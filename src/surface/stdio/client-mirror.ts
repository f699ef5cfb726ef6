/** What is written to transcripts, told to the client that asked for it. */
import { jsonLine } from "../../lib/json-line.ts";
import type { TranscriptMirror } from "../../session/mirror/mirror.ts";
import { lineStart } from "../../transcript/index.ts";
import type { Loose } from "./frame.ts";

/** `mirrors`: the client's name of a transcript; absent: nobody asked. */
export function clientMirror(
  mirrors: ((path: string) => string) | undefined,
  write: (line: string) => void,
): TranscriptMirror | undefined {
  if (mirrors === undefined) return undefined;
  const wrote = (path: string, line: string): void => {
    const filePath = jsonLine(mirrors(path));
    const entries = [line, ...agentMetadata(line)].join(",");
    write(`{"type":"transcript_mirror","filePath":${filePath},"entries":[${entries}]}\n`);
  };
  return { wrote, settled: () => Promise.resolve() };
}

/** Clients keep the call that an agent works for in an entry of its own, and read it there: it stands in the first line here. */
function agentMetadata(line: string): string[] {
  if (!line.startsWith(lineStart("session"))) return [];
  const { isSidechain, data } = JSON.parse(line) as { isSidechain?: boolean; data: Loose };
  if (isSidechain !== true) return [];
  const { agentType, toolUseId } = data;
  return [jsonLine({ type: "agent_metadata", agentType, toolUseId })];
}
