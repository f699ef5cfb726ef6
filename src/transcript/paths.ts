/**
 * The session on disk: where it lies, how it is written, read back, repaired, listed, copied and swept.
 * Start at `record.ts` (what a line is), then `transcript.ts` (append) and `read.ts` (resume).
 */
import { dirname, join } from "node:path";
import { TranscriptError } from "./error.ts";

const maximumSlugLength = 200;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isSessionId(text: string): boolean {
  return uuidForm.test(text);
}

/** The folder name of a working directory: every character but letters and digits becomes `-`. */
export function projectSlug(cwd: string): string {
  const slug = cwd.replace(/[^a-zA-Z0-9]/g, "-");
  return slug.length <= maximumSlugLength ? slug : `${slug.slice(0, maximumSlugLength)}-${pathHash(cwd)}`;
}

/** `<home>/projects` */
export function projectsFolder(home: string): string {
  return join(home, "projects");
}

/** `<home>/projects/<slug>` */
export function projectFolder(home: string, cwd: string): string {
  return join(projectsFolder(home), projectSlug(cwd));
}

/** `<home>/projects/<slug>/<id>.jsonl`. Throws `invalid_id` for anything but a UUID, so that an id is never a path. */
export function transcriptPath(folder: string, sessionId: string): string {
  if (!isSessionId(sessionId)) {
    throw new TranscriptError("invalid_id", `A session id is a UUID, which "${sessionId.slice(0, 80)}" is not.`);
  }
  return join(folder, `${sessionId.toLowerCase()}.jsonl`);
}

/** Where a session keeps what belongs to it beside its transcript: spilled tool results, transcripts of subagents. */
export function sessionFolder(path: string): string {
  return withoutExtension(path);
}

/** Where oversized tool results of a session are spilled. */
export function toolResultsFolder(path: string): string {
  return join(sessionFolder(path), "tool-results");
}

/** Which plans a session keeps outside of its folder. */
export function planLogPath(path: string): string {
  return join(sessionFolder(path), "plans.jsonl");
}

/** Where an agent of a session keeps its own conversation. */
export function subagentPath(path: string, agentId: string): string {
  return join(sessionFolder(path), "subagents", `agent-${agentId}.jsonl`);
}

/** The agent whose own conversation lies at `path`; undefined of a session's. */
export function agentIdOf(path: string): string | undefined {
  return /[/\\]subagents[/\\]agent-([^/\\]+)\.jsonl$/u.exec(path)?.[1];
}

/** What files held before tools changed them, each content under its hash. */
export function fileHistoryFolder(path: string): string {
  return join(sessionFolder(path), "file-history");
}

/** What its snapshots of the working folders hold, by name of what is in `snapshotsFolder`. */
export function snapshotLogPath(path: string): string {
  return join(sessionFolder(path), "snapshots.log");
}

/** Contents that the snapshots of all sessions of a folder share. */
export function snapshotsFolder(path: string): string {
  return join(dirname(path), "snapshots");
}

export function lockPath(path: string): string {
  return `${withoutExtension(path)}.lock`;
}

/** Where the `n`th torn tail of a transcript is set aside. */
export function tornPath(path: string, n: number): string {
  return `${withoutExtension(path)}.torn-${n}`;
}

/** A copy of a session while it is made: no session yet. */
export function copyingPath(path: string): string {
  return `${withoutExtension(path)}.copying`;
}

function withoutExtension(path: string): string {
  return path.endsWith(".jsonl") ? path.slice(0, -".jsonl".length) : path;
}

/** FNV-1a, 64 bits: tells long paths apart without loading a crypto module at start-up. */
export function pathHash(path: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36);
}
