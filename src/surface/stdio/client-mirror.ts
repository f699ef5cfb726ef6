/** Sends the entries written to transcripts to a client that asked for them. */
import { jsonLine } from "../../lib/json-line.ts";
import type { TranscriptMirror } from "../../session/options/transcript-mirror.ts";
import { lineStart } from "../../transcript/index.ts";
import type { WireObject } from "./frame.ts";

/** `transcriptName` returns the client's name for a transcript; undefined if the client did not ask for a mirror. */
export function clientMirror(
  transcriptName: ((path: string) => string) | undefined,
  write: (line: string) => void,
): TranscriptMirror | undefined {
  if (transcriptName === undefined) return undefined;
  const wrote = (path: string, line: string): void => {
    const filePath = jsonLine(transcriptName(path));
    const entries = [line, ...additionalEntries(line).map(jsonLine)].join(",");
    write(`{"type":"transcript_mirror","filePath":${filePath},"entries":[${entries}]}\n`);
  };
  return { wrote, settled: () => Promise.resolve() };
}

const sessionLineStart = lineStart("session");

interface SessionLine {
  isSidechain?: boolean;
  data: WireObject;
}

/** Returns a further entry that clients expect: the tool call of an agent. */
function additionalEntries(line: string): object[] {
  if (!line.startsWith(sessionLineStart)) return [];
  const { isSidechain, data } = JSON.parse(line) as SessionLine;
  const { agentType, toolUseId } = data;
  return isSidechain === true ? [{ type: "agent_metadata", agentType, toolUseId }] : [];
}
