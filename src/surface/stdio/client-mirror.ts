/** Sends the entries written to transcripts to a client that asked for them. */
import { jsonLine } from "../../lib/json-line.ts";
import type { TranscriptMirror } from "../../session/mirror/mirror.ts";
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

const mirroredLineStarts = (["session", "title", "tag"] as const).map(lineStart);

interface FactLine {
  type: string;
  sessionId: string;
  isSidechain?: boolean;
  data: WireObject;
}

/** Returns further entries that clients expect: the tool call of an agent, the session's title, its tag. */
function additionalEntries(line: string): object[] {
  if (!mirroredLineStarts.some((start) => line.startsWith(start))) return [];
  const { type, sessionId, isSidechain, data } = JSON.parse(line) as FactLine;
  if (type === "title") return [{ type: "custom-title", customTitle: data["title"], sessionId }];
  if (type === "tag") return [{ type: "tag", tag: data["tag"] ?? "", sessionId }];
  const { agentType, toolUseId } = data;
  return isSidechain === true ? [{ type: "agent_metadata", agentType, toolUseId }] : [];
}
