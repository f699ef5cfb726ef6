/** Project files have the permissions that the user has seen and trusted in them, and no others. */
import { cleanMemory } from "../../knowledge/clean-memory.ts";
import type { ProjectSettings } from "../../settings/load.ts";

interface FolderTrust {
  project?: ProjectSettings | undefined;
}

export function createTextTrust({ project }: FolderTrust): (path: string, text: string) => boolean {
  return (path, text) => project?.trustedTexts.get(path) === text;
}

/** The same for memory, where the session knows the text as sent to the model. */
export function createMemoryTrust({ project }: FolderTrust): (path: string, text: string) => boolean {
  return (path, text) => cleanMemory(project?.trustedTexts.get(path) ?? "").text === text;
}
