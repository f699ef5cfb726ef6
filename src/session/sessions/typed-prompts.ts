/** What was typed earlier in the working directory. */
import { earlierPrompts, projectFolder } from "../../transcript/index.ts";
import { homeOf } from "./place.ts";

/** Oldest first. Empty if transcripts cannot be read: nobody waits for this. */
export function typedPrompts(cwd: string, env: Record<string, string | undefined>): string[] {
  try {
    return earlierPrompts(projectFolder(homeOf({ env }), cwd), cwd);
  } catch {
    return [];
  }
}
