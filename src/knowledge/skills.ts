/** Finds skills and commands in folders. Of several with one name, the first takes precedence. Never throws. */
import { basename, dirname, join, relative, sep } from "node:path";
import { isKnownToExist } from "../lib/path-status.ts";
import { sanitize } from "../lib/sanitize.ts";
import type { KnowledgeProblem, KnowledgeSource } from "../protocol/knowledge.ts";
import type { KnowledgeRoot } from "./knowledge-places.ts";
import { linkBounds, readText, realOf, scanFolder, scanSkills, type Bounds, type Scanned } from "./scan.ts";
import type { PluginFolders, Skill } from "./skill.ts";
import { readSkillFile } from "./skill-file.ts";

export interface FoundSkills {
  skills: Skill[];
  problems: KnowledgeProblem[];
}

export interface FindSkillsOptions {
  /** Folders that links of a project or plugin may lead to. Real paths. */
  bounds: readonly string[];
  trusts: (path: string, text: string) => boolean;
}

/** A folder such as `.claude/skills` or a plugin's `commands`. */
export interface SkillPlace {
  folder: string;
  kind: Skill["kind"];
  source: KnowledgeSource;
  /** Put before each name, with a colon. */
  prefix?: string;
  plugin?: PluginFolders;
}

/** Folders that may contain `skills` or `commands`, highest precedence first. */
export interface SkillRoots {
  skills: readonly KnowledgeRoot[];
  commands: readonly KnowledgeRoot[];
}

export function placesIn({ skills, commands }: SkillRoots): SkillPlace[] {
  return [
    ...skills.map(({ folder, source }) => ({ folder: join(folder, "skills"), kind: "skill" as const, source })),
    ...commands.map(({ folder, source }) => ({ folder: join(folder, "commands"), kind: "command" as const, source })),
  ];
}

/** Finds skills in the order of the places: the first of a name takes precedence. A file reachable through several links is one skill. */
export async function findSkills(places: readonly SkillPlace[], options: FindSkillsOptions): Promise<FoundSkills> {
  const found: FoundSkills = { skills: [], problems: [] };
  const seen = new Set<string>();
  for (const place of places.filter(({ folder }) => isKnownToExist(folder))) {
    const scanned = filesIn(place, linkBounds(place.source, options.bounds));
    found.problems.push(...scanned.problems);
    for (const path of scanned.paths) {
      const name = nameOf(path, place);
      const key = `${name}\0${realOf(path) ?? path}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const read = readText(path);
      if (!read.ok) {
        found.problems.push({ path, reason: read.why });
        continue;
      }
      const { source, kind, plugin } = place;
      const isTrusted = source !== "project" || options.trusts(path, read.text);
      const problem = nameProblem(name);
      if (problem !== undefined) {
        found.problems.push({ path, reason: problem });
        continue;
      }
      const about = { kind, source, path, folder: dirname(path), isTrusted, name };
      const { skill, ownName, problems } = await readSkillFile(
        read.text,
        plugin === undefined ? about : { ...about, plugin },
      );
      found.skills.push(withPluginName(skill, ownName, place));
      found.problems.push(...problems);
    }
  }
  return found;
}

function filesIn({ folder, kind }: SkillPlace, bounds: Bounds): Scanned {
  if (kind === "command") return scanFolder(folder, { accepts: (name) => name.endsWith(".md"), bounds });
  const { paths, problems } = scanSkills(folder, bounds);
  // A skill file directly in a folder of skills is usually just an index: a skill of the same name in a folder of its own takes precedence.
  const isDirectlyInFolder = (path: string): boolean => dirname(path) === folder;
  return {
    paths: [...paths.filter((path) => !isDirectlyInFolder(path)), ...paths.filter(isDirectlyInFolder)],
    problems,
  };
}

/** Returns a skill's name, with composed accents as keyboards type them: file names on macOS may have them decomposed. */
function nameOf(path: string, { folder, kind, prefix }: SkillPlace): string {
  const below = path === folder ? basename(path) : relative(folder, path);
  const own = kind === "skill" ? basename(dirname(path)) : below.slice(0, -3).split(sep).join(":");
  return (prefix === undefined ? own : `${prefix}:${own}`).normalize("NFC");
}

/** By convention, a plugin's skill is called by the name in its front matter, wherever its file is. */
function withPluginName(skill: Skill, ownName: string | undefined, { kind, prefix }: SkillPlace): Skill {
  const isPlugins = kind === "skill" && prefix !== undefined;
  if (!isPlugins || ownName === undefined || ownName.includes(":") || nameProblem(ownName) !== undefined) return skill;
  return { ...skill, name: `${prefix}:${ownName}` };
}

function nameProblem(name: string): string | undefined {
  if (name.length > 200) return "its name is longer than 200 characters";
  if (sanitize(name) !== name) return "its name has invisible characters";
  return /[\s\p{Cc}/\\]/u.test(name) ? "its name has blanks or slashes in it, so nobody could call it" : undefined;
}

/** Keeps the first of each name, ignoring case. Callers pass skills before commands, so a skill wins over a command of its source. */
export function firstByName(skills: readonly Skill[]): { first: Map<string, Skill>; shadowed: Skill[] } {
  const first = new Map<string, Skill>();
  const shadowed: Skill[] = [];
  for (const skill of skills) {
    const key = skill.name.toLowerCase();
    if (first.has(key)) shadowed.push(skill);
    else first.set(key, skill);
  }
  return { first, shadowed };
}
