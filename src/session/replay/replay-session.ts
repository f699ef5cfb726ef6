/** The public functions for replaying recorded sessions. Their implementation is loaded on first use. */
import { checkObject, checkOptionalTexts, checkTexts } from "../options/check-arguments.ts";
import type { ReplayOptions, ReplayReport } from "./report.ts";

/**
 * Replays a recorded session and its agents' sessions through today's loop, with the recorded answers of the model and the recorded
 * results of tools, hooks and permissions. Nothing is executed, written or sent. `session`: an id, a title, or the path of a transcript.
 * Throws `UsageError` if there is no such session.
 */
export async function replaySession(session: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  checkTexts({ session });
  checkObject("options", options);
  const { replayStored } = await import("./replay-stored.ts");
  return await replayStored(session, options);
}

/** The same for all sessions in a folder of transcripts, oldest first. Default: this project's folder. */
export async function replaySessions(folder?: string, options: ReplayOptions = {}): Promise<ReplayReport> {
  checkOptionalTexts({ folder });
  checkObject("options", options);
  const { replayFolder } = await import("./replay-stored.ts");
  return await replayFolder(folder, options);
}
