/** What a session would find here, where it comes from, and why it is in force or not. Calls no model, runs and writes nothing. */
import { isBrokenLink, statusOf } from "../../lib/path-status.ts";
import { errorText } from "../../lib/error-text.ts";
import { version } from "../../lib/version.ts";
import { findRepository } from "../../lib/git-repository.ts";
import type { SurveyedHook } from "../../hooks/survey.ts";
import { pawlHome } from "../../settings/paths.ts";
import { readTrust } from "../../settings/trust.ts";
import { openConfigDesk } from "../settings/config-desk.ts";
import { openHookDesk } from "./hook-desk.ts";
import type { ListedServer } from "../mcp/survey.ts";
import type { EngineOptions } from "../options/options.ts";
import { examineKnowledge, examineMemory, type KnowledgeReport, type MemoryReport } from "./doctor-knowledge.ts";
import { modelReport, type ModelReport } from "./doctor-model.ts";
import { loadSettingsFor, settingsPlaces } from "../settings/read-settings.ts";
import { projectsFolder } from "../../transcript/paths.ts";
import { keptWorktrees } from "../worktrees/marker.ts";

export interface DoctorReport extends ModelReport, KnowledgeReport {
  version: string;
  node: string;
  platform: string;
  cwd: string;
  pawlHome: string;
  trust: { trusted: boolean; wants: string[]; files: string[]; folders: number };
  settings: { files: string[]; problems: { level: string; text: string }[] };
  memory: MemoryReport;
  /** The configured servers; none is contacted. */
  servers: ListedServer[];
  hooks: Pick<SurveyedHook, "event" | "type" | "command" | "source" | "runs" | "why">[];
  /** Worktrees that agents have left, with changes in them. Absolute. */
  worktrees: string[];
}

export async function createDoctorReport(options: EngineOptions): Promise<DoctorReport> {
  const places = settingsPlaces(options);
  const { cwd, home, env } = places;
  const loaded = loadSettingsFor(options, places);
  const { settings, project } = loaded;
  const folder = pawlHome(env, home);
  const trusted = trustedFolders(folder);
  const { wrongHooks, ...knowledgeReport } = await examineKnowledge(options, places, loaded);
  return {
    version: options.version ?? version,
    node: process.version,
    platform: process.platform,
    cwd,
    pawlHome: folder,
    ...modelReport(options, settings, { ...settings.env, ...env }),
    trust: {
      trusted: project?.isTrusted ?? true,
      wants: project?.wants ?? [],
      files: project?.files ?? [],
      folders: trusted.count,
    },
    settings: {
      files: loaded.layers.map(({ source }) => source.name),
      problems: [
        ...homeProblems(folder),
        ...trusted.problems,
        ...openConfigDesk(options).problems(),
        ...wrongHooks,
      ].map(({ level, text }) => ({ level, text })),
    },
    memory: examineMemory(options, places, loaded),
    ...knowledgeReport,
    servers: await listServersSafely(options),
    hooks: listHooksSafely(options),
    worktrees: keptWorktrees(folder, findRepository(cwd) ?? cwd),
  };
}

/** Reports anything that is in the way of the folder for sessions. */
function homeProblems(home: string): { level: "error"; text: string }[] {
  const inTheWay = [home, projectsFolder(home)].find(
    (path) => isBrokenLink(path) || statusOf(path)?.isDirectory() === false,
  );
  if (inTheWay === undefined) return [];
  const what = isBrokenLink(inTheWay) ? "is a link that leads nowhere" : "is not a folder";
  const text = `${inTheWay} ${what}, so no session can be saved: move it away, or set PAWL_HOME to another folder.`;
  return [{ level: "error", text }];
}

async function listServersSafely(options: EngineOptions): Promise<ListedServer[]> {
  try {
    const { listServers } = await import("../mcp/survey.ts");
    return await listServers({ ...options, onNotice: () => {} });
  } catch {
    // Settings cannot be read: their problems are reported elsewhere.
    return [];
  }
}

function trustedFolders(folder: string): { count: number; problems: { level: "notice"; text: string }[] } {
  try {
    return { count: readTrust(folder).length, problems: [] };
  } catch (error) {
    return { count: 0, problems: [{ level: "notice", text: errorText(error) }] };
  }
}

function listHooksSafely(options: EngineOptions): DoctorReport["hooks"] {
  try {
    const { hooks } = openHookDesk({ ...options, onNotice: () => {} });
    return hooks.map(({ event, type, command, source, runs, why }) => ({ event, type, command, source, runs, why }));
  } catch {
    // Settings cannot be read: their problems are reported elsewhere.
    return [];
  }
}
