/**
 * Sessions on disk: where they are stored, and how they are written, read, repaired, listed, copied and swept. Start at `record.ts` (what a
 * line is), then `transcript.ts` (append) and `read.ts` (resume).
 */
import { dirname, join } from "node:path";
import { TranscriptError } from "./error.ts";

const maximumSlugLength = 200;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isSessionId(text: string): boolean {
  return uuidPattern.test(text);
}

/** The folder name of a working directory: every character except letters and digits becomes `-`. */
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

/** `<home>/projects/<slug>/<id>.jsonl`. Throws `invalid_id` for anything but a UUID, so that an id cannot contain a path. */
export function transcriptPath(folder: string, sessionId: string): string {
  if (!isSessionId(sessionId)) {
    throw new TranscriptError("invalid_id", `A session id is a UUID, which "${sessionId.slice(0, 80)}" is not.`);
  }
  return join(folder, `${sessionId.toLowerCase()}.jsonl`);
}

/** The folder of a session's other files, beside its transcript: spilled tool results, transcripts of subagents. */
export function sessionFolder(path: string): string {
  return withoutExtension(path);
}

/** The folder for oversized tool results of a session. */
export function toolResultsFolder(path: string): string {
  return join(sessionFolder(path), "tool-results");
}

/** The log of plans that a session keeps outside its folder. */
export function planLogPath(path: string): string {
  return join(sessionFolder(path), "plans.jsonl");
}

/** The transcript of an agent of a session. */
export function subagentPath(path: string, agentId: string): string {
  return join(sessionFolder(path), "subagents", `agent-${agentId}.jsonl`);
}

/** The id of the agent whose transcript is at `path`; undefined for a session's own transcript. */
export function agentIdOf(path: string): string | undefined {
  return /[/\\]subagents[/\\]agent-([^/\\]+)\.jsonl$/u.exec(path)?.[1];
}

/** The folder of the contents that files had before tools changed them, each under its hash. */
export function fileHistoryFolder(path: string): string {
  return join(sessionFolder(path), "file-history");
}

/** The log of a session's snapshots of the working folders; it names files in `snapshotsFolder`. */
export function snapshotLogPath(path: string): string {
  return join(sessionFolder(path), "snapshots.log");
}

/** The folder of contents that the snapshots of all sessions in a folder share. */
export function snapshotsFolder(path: string): string {
  return join(dirname(path), "snapshots");
}

export function lockPath(path: string): string {
  return `${withoutExtension(path)}.lock`;
}

/** The path to which the `n`th torn tail of a transcript is set aside. */
export function tornTailPath(path: string, n: number): string {
  return `${withoutExtension(path)}.torn-${n}`;
}

/** The path of a copy while it is being made: not a session yet. */
export function draftCopyPath(path: string): string {
  return `${withoutExtension(path)}.copying`;
}

function withoutExtension(path: string): string {
  return path.endsWith(".jsonl") ? path.slice(0, -".jsonl".length) : path;
}

/** FNV-1a, 64 bits: distinguishes long paths without loading a crypto module at start-up. */
export function pathHash(path: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36);
}
