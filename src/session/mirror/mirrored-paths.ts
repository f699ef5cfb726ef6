/** Transcripts as a client of the convention names them: in the folder of the tool that it was written for. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { claudeHome, pawlHome } from "../../settings/paths.ts";
import { isSessionId, projectFolder, projectsFolder, readSession, transcriptPath } from "../../transcript/index.ts";
import type { EngineOptions } from "../options/options.ts";
import { settingsPlaces } from "../settings/read-settings.ts";

export interface MirroredPaths {
  /** The client's name of a transcript. */
  nameOf: (path: string) => string;
  /** Where the session lies that is to go on, if its client laid it down for this. */
  sessionsHome?: string;
}

/** A client lays what it has of a session into that folder, and expects what is added under the names of that folder. */
export function mirroredPaths(options: EngineOptions): MirroredPaths {
  const { cwd, home, env } = settingsPlaces(options);
  const theirs = claudeHome(env, home);
  const { resume = "" } = options;
  const laid = isSessionId(resume) ? transcriptPath(projectFolder(theirs, cwd), resume) : undefined;
  // One that the other tool wrote is none that can go on here.
  const isOurs = laid !== undefined && existsSync(laid) && readSession(laid).facts !== undefined;
  const sessionsHome = isOurs ? theirs : pawlHome(env, home);
  return {
    nameOf: (path) => join(projectsFolder(theirs), relative(projectsFolder(sessionsHome), path)),
    ...(isOurs ? { sessionsHome } : {}),
  };
}
