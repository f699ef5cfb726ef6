/** Skills in folders below the working folder: found when a file there is read, announced as an attachment, without own permissions. */
import { errorText } from "../../lib/error-text.ts";
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { findRepository } from "../../lib/git-repository.ts";
import { isIgnoredFolder } from "../../knowledge/ignored-folders.ts";
import { sharedAgentsFolder } from "../../knowledge/knowledge-places.ts";
import { realOf } from "../../knowledge/scan.ts";
import type { Skill } from "../../knowledge/skill.ts";
import { isWithin } from "../../lib/is-within.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { SkillDesk } from "./skill-desk.ts";
import { hasSkillAnnouncement, announcedSkillTest } from "./announcements.ts";

export interface NestedSkillsOptions {
  /** Absolute. */
  cwd: string;
  skills: SkillDesk;
  /** Applies the host's choice of what the model is offered. */
  applyChoice: (skills: Skill[]) => Skill[];
  /** Listing lines for the model. */
  listingLines: (skills: readonly Skill[]) => string[];
  /** Whether the model has the Skill tool. */
  hasTool: () => boolean;
  notice: (text: string) => void;
}

const skillFolderNames = [".pawl/skills", ".claude/skills", `${sharedAgentsFolder}/skills`];

export class NestedSkills {
  readonly #options: NestedSkillsOptions;
  readonly #cwd: string;
  readonly #visited = new Set<string>();
  #foundSkills: Skill[] = [];
  #activated: Skill[] = [];
  #searching: Promise<unknown> = Promise.resolve();
  /** Whether a resumed conversation was told of a skill with this name. */
  #isAnnounced: (skill: { name: string }) => boolean = () => false;

  constructor(options: NestedSkillsOptions) {
    this.#options = options;
    this.#cwd = realOf(options.cwd) ?? options.cwd;
  }

  /** Called with the real path of a file that was read. */
  noteRead(real: string): void {
    const nearest = dirname(real);
    const isKnown = nearest === this.#cwd || this.#visited.has(nearest);
    if (!isKnown && !isWithin(real, this.#cwd)) return;
    this.#activated.push(...this.#options.skills.activateFor(real));
    for (let folder = nearest; folder !== this.#cwd && !this.#visited.has(folder); folder = dirname(folder)) {
      this.#visited.add(folder);
      const own = skillFolderNames.map((name) => join(folder, name)).filter((each) => existsSync(each));
      if (own.length > 0) this.#startSearch(folder, own);
    }
  }

  /** Resumes after these files were read: skills that the conversation was already told of are not announced again. Never rejects. */
  async resume(messages: readonly Message[], read: () => readonly string[]): Promise<void> {
    if (!hasSkillAnnouncement(messages)) return;
    this.#isAnnounced = announcedSkillTest(messages);
    for (const path of read()) {
      const real = realOf(path);
      if (real !== undefined) this.noteRead(real);
    }
    await this.#searching;
    this.#activated = [...this.#activated, ...this.#options.skills.add(this.#foundSkills)].filter(
      (skill) => !this.#isAnnounced(skill),
    );
    this.#foundSkills = [];
  }

  /** Skills found since the last border. */
  news(): Attachment[] {
    if (this.#foundSkills.length + this.#activated.length === 0) return [];
    const found = [...this.#options.skills.add(this.#foundSkills), ...this.#activated];
    this.#foundSkills = [];
    this.#activated = [];
    if (found.length === 0) return [];
    const lines = this.#options.hasTool()
      ? ["Skills for the files you work with now, which the Skill tool loads:", ...this.#options.listingLines(found)]
      : ["Skills for the files you work with now. To use one, read its file:", ...found.map(withPath)];
    return [{ kind: "reminder", name: "nested_skills", text: lines.join("\n") }];
  }

  /** Nobody waits for this: what it finds is announced at the next border. */
  #startSearch(folder: string, skillFolders: readonly string[]): void {
    const found = this.#searchFolders(folder, skillFolders).catch((error: unknown) => {
      const why = errorText(error);
      this.#options.notice(`The skills of ${folder} could not be read: ${why}.`);
    });
    this.#searching = Promise.all([this.#searching, found]);
  }

  /** A skill whose name is taken is named with its folder as well. */
  async #searchFolders(folder: string, own: readonly string[]): Promise<void> {
    const top = findRepository(this.#cwd) ?? this.#cwd;
    if (isIgnoredFolder(folder, top)) return;
    const { findSkills } = await import("../../knowledge/skills.ts");
    const skillFolders = own.map((each) => ({ folder: each, kind: "skill" as const, source: "project" as const }));
    const { skills } = await findSkills(skillFolders, { bounds: [top], trusts: () => false });
    const prefix = relative(this.#cwd, folder).split(sep).join("/");
    if (skills.length === 0) return;
    const known = [...this.#options.skills.allSkills(), ...this.#foundSkills];
    const isTaken = (name: string): boolean => known.some((each) => each.name.toLowerCase() === name.toLowerCase());
    // A folder that somebody added separately may lie here.
    const paths = new Set(known.map(({ path }) => realOf(path)));
    const fresh = skills.filter(({ path }) => !paths.has(realOf(path)));
    const skillLines = fresh.map((skill) => {
      const name = `${prefix}:${skill.name}`;
      return isTaken(skill.name) || this.#isAnnounced({ name }) ? { ...skill, name } : skill;
    });
    this.#foundSkills.push(...this.#options.applyChoice(skillLines));
  }
}

function withPath({ name, description, path }: Skill): string {
  return `- ${name} (${path}): ${description.replaceAll(/\s+/gu, " ").slice(0, 300)}`;
}
