/** What was typed before in the folder that is worked in. */
import { earlierPrompts, projectFolder } from "../../transcript/index.ts";
import { homeOf } from "./place.ts";

/** The oldest first; none where transcripts cannot be read: nobody waits for them. */
export function typedBefore(cwd: string, env: Record<string, string | undefined>): string[] {
  try {
    return earlierPrompts(projectFolder(homeOf({ env }), cwd), cwd);
  } catch {
    return [];
  }
}
