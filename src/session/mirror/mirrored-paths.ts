/** Transcript paths as a client of the convention expects them: in the folder of the tool it was written for. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { claudeHome, pawlHome } from "../../settings/paths.ts";
import { isSessionId, projectFolder, projectsFolder, readSession, transcriptPath } from "../../transcript/index.ts";
import type { EngineOptions } from "../options/options.ts";
import { settingsPlaces } from "../settings/read-settings.ts";

export interface MirroredPaths {
  /** Returns the client's path of a transcript. */
  nameOf: (path: string) => string;
  /** Where the session to resume is, if its client put it there for this purpose. */
  sessionsHome?: string;
}

/** A client puts its copy of a session into that folder, and expects additions under paths of that folder. */
export function mirroredPaths(options: EngineOptions): MirroredPaths {
  const { cwd, home, env } = settingsPlaces(options);
  const claudeFolder = claudeHome(env, home);
  const { resume = "" } = options;
  const laid = isSessionId(resume) ? transcriptPath(projectFolder(claudeFolder, cwd), resume) : undefined;
  // A transcript that the other tool wrote cannot be resumed here.
  const isOurs = laid !== undefined && existsSync(laid) && readSession(laid).facts !== undefined;
  const sessionsHome = isOurs ? claudeFolder : pawlHome(env, home);
  return {
    nameOf: (path) => join(projectsFolder(claudeFolder), relative(projectsFolder(sessionsHome), path)),
    ...(isOurs ? { sessionsHome } : {}),
  };
}
