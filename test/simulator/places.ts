// Where a simulated session's transcript lies.
import { projectFolder, transcriptPath } from "../../src/transcript/index.ts";
import { pawlHome, workFolder } from "./world.ts";

export function simulatedTranscriptPath(sessionId: string): string {
  return transcriptPath(projectFolder(pawlHome, workFolder), sessionId);
}
