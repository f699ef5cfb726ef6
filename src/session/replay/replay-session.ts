/** What a replay of recorded sessions takes and tells. What does it is loaded with its first use. */
import { checkObject, checkOptionalTexts, checkTexts } from "../options/check-arguments.ts";
import type { ReplayOptions, ReplayReport } from "./report.ts";

/**
 * Plays a recorded session, and those of its agents, to today's loop: with the model's recorded answers and the recorded results of
 * tools, hooks and permissions. Nothing is executed, written or sent. `session`: an id, a title, or a transcript's path.
 * Throws `UsageError` where there is no such session.
 */
export async function replaySession(session: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  checkTexts({ session });
  checkObject("options", options);
  const { replayStored } = await import("./replay-stored.ts");
  return await replayStored(session, options);
}

/** The same for all sessions of a folder of transcripts, oldest first. Default: those of this project. */
export async function replaySessions(folder?: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  checkOptionalTexts({ folder });
  checkObject("options", options);
  const { replayFolder } = await import("./replay-stored.ts");
  return await replayFolder(folder, options);
}
