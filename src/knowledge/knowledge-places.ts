/** Where knowledge is stored: the folders of administrators, of the user and of the project, highest precedence first. */
import { basename, dirname } from "node:path";
import { childPath } from "../lib/child-path.ts";
import { foldersUpTo } from "../lib/folders-above.ts";
import { findRepository } from "../lib/git-repository.ts";
import { isFolder, realPathOf } from "../lib/path-status.ts";
import { isPlanted } from "../lib/planted.ts";
import type { KnowledgeSource } from "../protocol/knowledge.ts";

export interface KnowledgePlaces {
  /** Absolute. */
  cwd: string;
  pawlHome: string;
  /** `$CLAUDE_CONFIG_DIR`, otherwise `~/.claude`. */
  claudeHome: string;
  /** The folder that `~` refers to. Absent: `~/.agents` is ignored. */
  home?: string;
  /** The sources that count. Default: all; an administrator's files always count. */
  sources?: readonly string[];
  /** Default: the system's. */
  policyFolders?: readonly string[];
  /** Folders outside the project that the session works in. Absolute. */
  addedFolders?: readonly string[] | undefined;
}

/** A folder such as `.claude` that may contain skills, commands, agents, output styles and rules. */
export interface KnowledgeRoot {
  folder: string;
  source: Extract<KnowledgeSource, "policy" | "project" | "user">;
}

export interface KnowledgeRoots extends Record<KnowledgeRoot["source"], KnowledgeRoot[]> {
  /** All folders that may contain skills: these roots, and the `.agents` folders shared by all vendors' agents. */
  skills: KnowledgeRoot[];
  /** The top of the repository; absent outside a repository. */
  repository: string | undefined;
  /** The top of the repository, or the working folder outside a repository. */
  top: string;
}

export const systemPolicyFolders: readonly string[] = ["/etc/pawl", "/etc/claude-code"];
const rootNames = [".pawl", ".claude"];
/** By the convention of agentskills.io this folder contains skills; its other contents are ignored here. */
export const sharedAgentsFolder = ".agents";

/** Returns the roots that exist. A project's roots go from the working folder up to the top of its repository, nearest first. */
export function knowledgeRoots(places: KnowledgePlaces): KnowledgeRoots {
  const { cwd, pawlHome, claudeHome, home, policyFolders = systemPolicyFolders } = places;
  const users = [...new Set([pawlHome, claudeHome])];
  const existingRoots = (folders: readonly string[], source: KnowledgeRoot["source"]): KnowledgeRoot[] =>
    source === "policy" || places.sources?.includes(source) !== false
      ? folders.filter(isFolder).map((folder) => ({ folder, source }))
      : [];
  const repository = findRepository(cwd);
  const top = repository ?? cwd;
  const usersShared = home === undefined ? [] : [childPath(home, sharedAgentsFolder)];
  // In the home folder, the user's own folders are where a project's would be.
  const projects = foldersUpTo(cwd, top)
    .flatMap((level) => [...rootNames, sharedAgentsFolder].map((name) => childPath(level, name)))
    .filter((folder) => !users.includes(folder) && !usersShared.includes(folder))
    .filter((folder) => !isPlanted(folder, dirname(folder), cwd));
  const policy = existingRoots(
    policyFolders.filter(isFolder).flatMap((folder) => rootNames.map((name) => childPath(folder, name))),
    "policy",
  );
  const user = existingRoots(users, "user");
  const project = existingRoots(projects, "project");
  return {
    repository,
    top,
    policy,
    user,
    project: project.filter(({ folder }) => basename(folder) !== sharedAgentsFolder),
    skills: [...policy, ...user, ...existingRoots(usersShared, "user"), ...project],
  };
}

/** Returns the folders that may contain skills in added folders. By convention, nothing else in them counts. */
export function addedSkillRoots(
  { addedFolders = [], sources, ...places }: KnowledgePlaces,
  known: KnowledgeRoots,
): KnowledgeRoot[] {
  if (addedFolders.length === 0 || sources?.includes("project") === false) return [];
  const { cwd, pawlHome, claudeHome, home } = places;
  const usersOwn = [pawlHome, claudeHome, ...(home === undefined ? [] : [childPath(home, sharedAgentsFolder)])];
  // A link may lead to a home folder, whose skills do not count as a project's.
  const real = (folder: string): string => realPathOf(folder) ?? folder;
  const knownFolders = new Set([...usersOwn, ...known.skills.map(({ folder }) => folder)].map(real));
  return addedFolders.flatMap((top) =>
    [...rootNames, sharedAgentsFolder]
      .map((name) => childPath(top, name))
      .filter((folder) => isFolder(folder) && !knownFolders.has(real(folder)) && !isPlanted(folder, top, cwd))
      .map((folder) => ({ folder, source: "project" as const })),
  );
}
