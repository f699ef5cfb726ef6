/** Replays sessions on disk: one with its agents, or all in a folder. Nothing is executed, written or sent. */
import { basename, join, resolve } from "node:path";
import { snipReplay } from "../../context/snip-replay.ts";
import { otherWorktrees } from "../../knowledge/git-worktrees.ts";
import { statusAt } from "../../lib/status-at.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { pawlHome } from "../../settings/paths.ts";
import { findSession, nodeFileSystem, projectFolder, sessionFolder, TranscriptError } from "../../transcript/index.ts";
import { listNames, sessionFiles } from "../../transcript/list-sessions.ts";
import type { ReplayOptions, ReplayReport, ReplayedSession } from "./report.ts";
import { withUsageErrors } from "../sessions/place.ts";
import { settingsPlaces } from "../settings/read-settings.ts";
import { replayFile, type ReplayedFile } from "./replay-file.ts";

export async function replayStored(session: string, options: ReplayOptions): Promise<ReplayReport> {
  return await replayAll([findSessionPath(session, options)], options);
}

export async function replayFolder(folder: string | undefined, options: ReplayOptions): Promise<ReplayReport> {
  const { cwd, home, env } = settingsPlaces(options);
  const where = folder === undefined ? projectFolder(pawlHome(env, home), cwd) : resolve(cwd, folder);
  if (statusAt(where)?.isDirectory() !== true)
    throw new UsageError(`There is no folder ${where} with sessions to replay.`);
  // In a named folder, transcripts may have any name.
  const isKept = folder === undefined ? undefined : () => true;
  const files = sessionFiles(nodeFileSystem, where, isKept).map(({ path }) => path);
  if (files.length === 0) throw new UsageError(`The folder ${where} holds no sessions.`);
  return await replayAll(files.toReversed(), options);
}

function findSessionPath(session: string, options: ReplayOptions): string {
  const { cwd, home, env } = settingsPlaces(options);
  const file = resolve(cwd, session);
  if (session.endsWith(".jsonl") || session.includes("/")) return file;
  const place = { home: pawlHome(env, home), cwd, alongside: () => otherWorktrees(cwd) };
  return withUsageErrors(() => findSession(session, place).path);
}

async function replayAll(paths: readonly string[], options: ReplayOptions): Promise<ReplayReport> {
  const report: ReplayReport = { same: 0, differs: 0, skipped: 0, sessions: [] };
  for (const path of paths) {
    const session = await replayTranscript(path, options, undefined);
    const folder = join(sessionFolder(path), "subagents");
    for (const name of listNames(nodeFileSystem, folder).toSorted()) {
      const agentId = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
      if (agentId !== undefined) session.agents.push(await replayTranscript(join(folder, name), options, agentId));
    }
    report.sessions.push(session);
    for (const file of [session, ...session.agents]) for (const { outcome } of file.turns) report[outcome]++;
    if (session.problem !== undefined) report.skipped++;
  }
  return report;
}

async function replayTranscript(
  path: string,
  { onTurn, onFile }: ReplayOptions,
  agentId: string | undefined,
): Promise<ReplayedSession> {
  const about = { path, ...(agentId === undefined ? {} : { agentId }) };
  onFile?.({ ...about, sessionId: basename(path, ".jsonl") });
  let file: ReplayedFile;
  try {
    file = await replayFile(path, { fs: nodeFileSystem, snipReplay, onTurn });
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    return { ...about, sessionId: basename(path, ".jsonl"), turns: [], agents: [], problem: error.message };
  }
  return { ...file, ...about, agents: [], ...(file.turns.length === 0 ? { problem: noTurnProblem } : {}) };
}

const noTurnProblem = "No turn is recorded in it.";
