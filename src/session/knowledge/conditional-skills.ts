/** Skills that are offered only once a file they apply to is read. */
import { relative, resolve, sep } from "node:path";
import { readGlobs, type Globs } from "../../knowledge/globs.ts";
import { realOf } from "../../knowledge/scan.ts";
import type { Skill } from "../../knowledge/skill.ts";
import { isWithin } from "../../lib/is-within.ts";
import type { Message } from "../../protocol/message.ts";
import { announcedSkillTest } from "./announcements.ts";

interface PathCondition {
  /** The folder that its globs start from. Absolute, real. */
  base: string;
  globs: Globs;
}

export class ConditionalSkills {
  readonly #inactive = new Map<Skill, PathCondition>();
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Replaces `before`; skills that were already active stay so. */
  replace(before: readonly Skill[], skills: readonly Skill[]): void {
    const activeNames = new Set(before.filter((skill) => !this.#inactive.has(skill)).map(({ name }) => name));
    for (const skill of before) this.#inactive.delete(skill);
    for (const skill of skills) {
      if (skill.paths === undefined || activeNames.has(skill.name)) continue;
      // For a project's skill, the folder that holds `.claude` or the like.
      const folder = skill.source === "project" ? resolve(skill.folder, "../../..") : this.#cwd;
      this.#inactive.set(skill, { base: realOf(folder) ?? folder, globs: readGlobs(skill.paths) });
    }
  }

  has(skill: Skill): boolean {
    return this.#inactive.has(skill);
  }

  /** Activates and returns the skills that the file is for. `path` is a real path. */
  activateFor(path: string): Skill[] {
    const activated: Skill[] = [];
    for (const [skill, { base, globs }] of this.#inactive) {
      if (!isWithin(path, base) || !globs.matches(relative(base, path).replaceAll(sep, "/"))) continue;
      activated.push(skill);
      this.#inactive.delete(skill);
    }
    return activated;
  }

  /** Activates the skills that a resumed conversation was told of. */
  activateAnnounced(messages: readonly Message[]): void {
    const isAnnounced = announcedSkillTest(messages);
    for (const skill of this.#inactive.keys()) if (isAnnounced(skill)) this.#inactive.delete(skill);
  }
}
