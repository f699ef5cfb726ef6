/** A small file beside an agent's transcript, for programs that show which call started the agent. pawl itself never reads it. */
import { dirname } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import { TranscriptError } from "./error.ts";
import { writeNewFile } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";

/** The names are those that such programs know. */
export interface AgentMeta {
  agentType: string;
  description: string;
  /** The call that started the agent. */
  toolUseId: string;
  /** 1: started by the session itself. */
  spawnDepth: number;
  /** The agent that started this one; absent if it was the session. */
  parentAgentId?: string;
  /** For a teammate. */
  name?: string;
}

/** Of the agent whose transcript is at `path`. */
export function agentMetaPath(path: string): string {
  return path.replace(/\.jsonl$/u, ".meta.json");
}

/** A file that cannot be written is left out: the agent works without it. */
export function writeAgentMeta(fs: TranscriptFileSystem, path: string, meta: AgentMeta): void {
  try {
    fs.makeFolder(dirname(path));
    writeNewFile(fs, agentMetaPath(path), Buffer.from(JSON.stringify(meta)));
  } catch (error) {
    if (systemCode(error) === undefined && !(error instanceof TranscriptError)) throw error;
  }
}
