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
    const entries = [line, ...alsoSaid(line).map(jsonLine)].join(",");
    write(`{"type":"transcript_mirror","filePath":${filePath},"entries":[${entries}]}\n`);
  };
  return { wrote, settled: () => Promise.resolve() };
}

const starts = (["session", "title", "tag"] as const).map(lineStart);

interface FactLine {
  type: string;
  sessionId: string;
  isSidechain?: boolean;
  data: Loose;
}

/** What clients look for in entries of their own: the call that an agent works for, the session's name, its tag. */
function alsoSaid(line: string): object[] {
  if (!starts.some((start) => line.startsWith(start))) return [];
  const { type, sessionId, isSidechain, data } = JSON.parse(line) as FactLine;
  if (type === "title") return [{ type: "custom-title", customTitle: data["title"], sessionId }];
  if (type === "tag") return [{ type: "tag", tag: data["tag"] ?? "", sessionId }];
  const { agentType, toolUseId } = data;
  return isSidechain === true ? [{ type: "agent_metadata", agentType, toolUseId }] : [];
}
