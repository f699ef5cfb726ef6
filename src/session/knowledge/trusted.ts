/** Files of a project have the rights the user has seen them with, and no others. */
import { cleanMemory } from "../../knowledge/clean-memory.ts";
import type { ProjectSettings } from "../../settings/load.ts";

interface Folder {
  project?: ProjectSettings | undefined;
}

export function trustedTexts({ project }: Folder): (path: string, text: string) => boolean {
  return (path, text) => project?.trustedTexts.get(path) === text;
}

/** The same for memory, of which a session knows the text that is told. */
export function trustedMemory({ project }: Folder): (path: string, text: string) => boolean {
  return (path, text) => cleanMemory(project?.trustedTexts.get(path) ?? "").text === text;
}
