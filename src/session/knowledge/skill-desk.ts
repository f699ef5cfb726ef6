/** The skills and commands of a session: which are offered, how one is started, and what it may do while in use. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { isOffered, skillListing } from "../../knowledge/skill-listing.ts";
import { skillFolderVariables } from "../../knowledge/plugin-data.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { Tool, ToolResult } from "../../protocol/tool.ts";
import type { AgentCall } from "../agents/agent-tool.ts";
import { skillHooks, type HookDefinitions } from "../hooks/extra-hooks.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Expansion } from "./expand.ts";
import { startedSkillTexts, withoutRepetition, reattachItems } from "./started-skills.ts";
import { makeDataFolder } from "../plugins/data-folder.ts";
import { runShellLine, type SkillStarter, type ShellLineWorld } from "./shell-lines.ts";
import { grantSkillRules, allowSkillFolder, withFilledRules } from "./skill-rights.ts";
import { ConditionalSkills } from "./conditional-skills.ts";
import { wholeNumber } from "../options/variables.ts";

/** Parts that exist once the session is joined. */
export interface SkillRooms extends Pick<ShellLineWorld, "shellLineRefusal"> {
  permissions: Permissions;
  findTool: (name: string) => Tool | undefined;
  cwd: () => string;
  sessionId: string;
  messages: () => readonly Message[];
  /** Undefined for a model without effort levels. */
  effort: () => string | undefined;
  home: string;
  /** Memory that the files read since the last border bring in. */
  news: () => Attachment[];
  markNotShown: (toolUseId: string) => void;
  /** Has an agent carry out a skill. */
  fork: (forked: ForkedSkill) => Promise<ToolResult>;
}

export interface ForkedSkill {
  skill: Skill;
  argument: string;
  /** Texts that came with it. */
  otherText?: string;
  isTyped?: true;
  toolUseId: string;
  signal: AbortSignal;
  show: AgentCall["show"];
}

export class SkillDesk {
  readonly #around: Surroundings;
  readonly #skills: Map<string, Skill>;
  #rooms: SkillRooms | undefined;
  readonly #news: Attachment[] = [];
  /** Texts of the skills started so far, by name, the latest last. */
  readonly #startedTexts = new Map<string, string>();
  /** Skills that wait for a file they apply to. */
  #inactive: ConditionalSkills | undefined;
  /** Adds the hooks of a started skill. Throws if a hook that guards is invalid. */
  onHooks?: (hooks: HookDefinitions) => Promise<void>;
  /** Rescans the folders. */
  onUnknown?: () => Promise<unknown>;
  /** Called with the outcome for each file that a prompt names. */
  onMention?: (news: MentionNews) => void;

  constructor(around: Surroundings, skills: readonly Skill[]) {
    const { skillOverrides } = around.settings.knowledge;
    this.#around = around;
    const usable = skills.filter(({ name }) => skillOverrides[name] !== "off");
    this.#skills = new Map(usable.map((skill) => [skill.name.toLowerCase(), skill]));
    this.#trackConditional(usable);
  }

  attach(rooms: SkillRooms): void {
    this.#rooms = rooms;
  }

  /** Adds skills found since the session began; a known name keeps its skill. Returns those that are new to the model. */
  add(skills: readonly Skill[]): Skill[] {
    const { skillOverrides } = this.#around.settings.knowledge;
    const fresh = skills.filter(({ name }) => !this.#skills.has(name.toLowerCase()) && skillOverrides[name] !== "off");
    for (const skill of fresh) this.#skills.set(skill.name.toLowerCase(), skill);
    return fresh.filter((skill) => this.#isOffered(skill));
  }

  /** Replaces the skills of `before` with those of `now`; skills found since the session began stay. */
  replace(before: readonly Skill[], now: readonly Skill[]): void {
    for (const skill of before) {
      const key = skill.name.toLowerCase();
      if (this.#skills.get(key) === skill) this.#skills.delete(key);
    }
    this.#trackConditional(now, before);
    this.add(now);
  }

  /** For the model, at the next border. */
  announce(text: string): void {
    this.#news.push({ kind: "reminder", name: "skills", text });
  }

  news(): Attachment[] {
    return this.#news.splice(0);
  }

  #trackConditional(skills: readonly Skill[], before: readonly Skill[] = []): void {
    if ([...before, ...skills].every(({ paths }) => paths === undefined)) return;
    this.#inactive ??= new ConditionalSkills(this.#around.cwd);
    this.#inactive.replace(before, skills);
  }

  /** A file was read, given by its real path: returns the skills that the model is offered from now on. */
  activateFor(path: string): Skill[] {
    return this.#inactive?.activateFor(path).filter((skill) => this.#isOffered(skill)) ?? [];
  }

  /** Whether the model may start any skill, now or later. */
  hasAny(): boolean {
    return this.allSkills().some((skill) => this.#isOffered(skill));
  }

  /** Whether any skill has hooks, which run once it is started. */
  anyHasHooks(): boolean {
    return this.allSkills().some(({ hooks }) => hooks !== undefined);
  }

  allSkills(): Skill[] {
    return [...this.#skills.values()];
  }

  /** The skills that the model may start. */
  offered(): Skill[] {
    return this.#activeSkills().filter((skill) => this.#isOffered(skill));
  }

  #isOffered(skill: Skill): boolean {
    return isOffered(skill, this.#around.settings.knowledge.skillOverrides);
  }

  #activeSkills(): Skill[] {
    return this.allSkills().filter((skill) => this.#inactive?.has(skill) !== true);
  }

  /** A skill that a person may start; for folders of commands also by the last part of its name, if that is unique. */
  findForUser(name: string): Skill | undefined {
    const wanted = name.toLowerCase();
    const own = this.#skills.get(wanted);
    if (own !== undefined) return own.isUserInvocable ? own : undefined;
    const isMatch = (name: string): boolean => name.toLowerCase().endsWith(`:${wanted}`);
    const ends = this.allSkills().filter(({ isUserInvocable, name }) => isUserInvocable && isMatch(name));
    return ends.length === 1 ? ends[0] : undefined;
  }

  /** A skill by name, whether the model, the user or both may start it. */
  find(name: string): Skill | undefined {
    return this.#skills.get(name.toLowerCase());
  }

  findForModel(name: string): Skill | undefined {
    const skill = this.#skills.get(name.replace(/^\//u, "").toLowerCase());
    return skill !== undefined && this.offered().includes(skill) ? skill : undefined;
  }

  /** Rescans for an unknown name, which may have been written since. Rules were asked about exactly this name, so only it matches. */
  async findAfterRescan(name: string): Promise<Skill | undefined> {
    await this.onUnknown?.();
    const skill = this.findForModel(name);
    return skill?.name === name ? skill : undefined;
  }

  slashCommands(): SlashCommand[] {
    return this.allSkills()
      .filter(({ isUserInvocable }) => isUserInvocable)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, description, argumentHint = "" }) => ({ name, description, argumentHint, builtin: false }));
  }

  /** Lines for the model; empty if nothing is offered. `contextWindow`: in tokens. */
  listing(contextWindow: number, skills: readonly Skill[] = this.#activeSkills()): string[] {
    const { settings, env } = this.#around;
    const { skillListingBudgetFraction: share = 0.01, skillListingMaxDescChars: longest, knowledge } = settings;
    const budgetVariable = wholeNumber(env["SLASH_COMMAND_TOOL_CHAR_BUDGET"]);
    const budget = budgetVariable ?? Math.floor(contextWindow * share * 4);
    return skillListing(skills, {
      budget,
      overrides: knowledge.skillOverrides,
      ...(longest === undefined ? {} : { longest }),
    });
  }

  /** Undefined before the session is joined. */
  get rooms(): SkillRooms | undefined {
    return this.#rooms;
  }

  /** Its text for the model. Its front matter's permissions hold until the user turn ends. */
  expand(known: Skill, argument: string, signal: AbortSignal, by: SkillStarter = "other"): Promise<Expansion> {
    return this.#expand(known, argument, signal, by);
  }

  /** Its text, without its permissions. */
  preload(known: Skill, signal: AbortSignal): Promise<Expansion> {
    return this.#expand(known, "", signal);
  }

  async #expand(known: Skill, argument: string, signal: AbortSignal, by?: SkillStarter): Promise<Expansion> {
    const rooms = this.#rooms;
    if (rooms === undefined) return { ok: false, why: "The session has not begun." };
    const grants = by !== undefined;
    const { settings, ids } = this.#around;
    const { expandSkill } = await import("./expand.ts");
    const expansion = await expandSkill(known, argument, {
      variables: this.#variables(rooms),
      isShellOff: settings.disableSkillShellExecution === true,
      grant: (skill) =>
        grantSkillRules(grants ? skill : { ...skill, allowedTools: [] }, rooms.permissions, this.#around),
      begin: async (skill) => (grants ? await this.#beginHooks(skill) : undefined),
      makeFolder: (folder) => makeDataFolder(folder, this.#around.notice),
      run: (command) =>
        runShellLine(command, {
          ...rooms,
          bash: rooms.findTool("Bash"),
          skill: known,
          startedBy: by ?? "other",
          signal,
          key: `skill.${ids.uuid()}`,
        }),
    });
    if (!expansion.ok) return expansion;
    allowSkillFolder(expansion.skill, rooms.permissions, this.#around);
    const head = known.kind === "skill" ? `Base folder of this skill: ${known.folder}\n\n` : "";
    const text = head + expansion.text;
    this.#around.telemetry?.sideEvents.skill(known);
    this.#startedTexts.delete(known.name);
    this.#startedTexts.set(known.name, text);
    return { ...expansion, text: grants ? withoutRepetition(known, text, rooms.messages()) : text };
  }

  #variables({ sessionId, effort }: SkillRooms): Record<string, string> {
    return withoutUndefined({
      CLAUDE_SESSION_ID: sessionId,
      CLAUDE_PROJECT_DIR: this.#around.cwd,
      CLAUDE_EFFORT: effort(),
    });
  }

  /** What a skill demands of the agent that carries it out, when that agent is resumed: its hooks and what it forbids, no permissions. */
  async restrict(skill: Skill): Promise<void> {
    const rooms = this.#rooms;
    if (rooms === undefined) return;
    const given = skillHooks(skill, true);
    if (given !== undefined) await this.onHooks?.(given);
    const filled = withFilledRules(skill, { ...this.#variables(rooms), ...skillFolderVariables(skill) });
    grantSkillRules({ ...filled, allowedTools: [] }, rooms.permissions, this.#around);
  }

  #earlierStartedTexts(): Map<string, string> {
    return startedSkillTexts(this.#rooms?.messages() ?? [], (name) => {
      const skill = this.find(name.replace(/^\//u, "")) ?? this.findForUser(name);
      // What an agent did ended in an answer; there is no text to find.
      return skill?.fork === undefined ? skill?.name : undefined;
    });
  }

  /** On resume, offers skills that the conversation was told of, and restores hooks of started ones. Throws `UsageError` as `onHooks`. */
  async resume(): Promise<void> {
    this.#inactive?.activateAnnounced(this.#rooms?.messages() ?? []);
    if (!this.anyHasHooks()) return;
    for (const name of this.#earlierStartedTexts().keys()) {
      const hooks = skillHooks(this.find(name) ?? this.findForUser(name), true);
      if (hooks !== undefined) await this.onHooks?.(hooks);
    }
  }

  /** Returns why the skill cannot be started, or undefined. */
  async #beginHooks(skill: Skill): Promise<string | undefined> {
    const hooks = skillHooks(skill, false);
    if (hooks === undefined) return undefined;
    try {
      await this.onHooks?.(hooks);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  }

  /** Permissions granted in the last user turn do not hold in the next. */
  beginTurn(): void {
    this.#rooms?.permissions.grants.endGrants();
  }

  /** After a compaction: skills used, also before a resume, the latest first, while there is room. `keptMessages`: the messages that stay. */
  reattached(keptMessages: readonly Message[]): ReattachItem[] {
    const before = this.#earlierStartedTexts();
    for (const name of this.#startedTexts.keys()) before.delete(name);
    return reattachItems([...before, ...this.#startedTexts].toReversed(), keptMessages);
  }
}
