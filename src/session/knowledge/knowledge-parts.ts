/** Skills, commands and agents that people wrote for the model, as a session finds them at its start. */
import { existsSync } from "node:fs";
import { noKnowledge, type Knowledge, type KnowledgeOptions } from "../../knowledge/load-knowledge.ts";
import { pluginDataFolder } from "../../knowledge/plugin-data.ts";
import type { OutputStyle } from "../../knowledge/output-styles.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { KnowledgeProblem } from "../../protocol/knowledge.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { EngineOptions } from "../options/options.ts";
import { explicitPluginProblems } from "../plugins/plugin-errors.ts";
import type { StartedAgent } from "../agents/started-agent.ts";
import { unfitAgentMessage } from "../agents/definitions.ts";
import type { HookOccasions } from "../hooks/hook-occasions.ts";
import { effortField } from "../hooks/hook-parts.ts";
import type { ModelParts } from "../model/model-parts.ts";
import { makeDataFolder } from "../plugins/data-folder.ts";
import { isBareSession, isSafeMode } from "../options/variables.ts";
import type { Conversation } from "../store/conversation.ts";
import type { Store } from "../store/store-shape.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { OpeningTexts } from "./opening-texts.ts";
import { SessionMemory } from "./session-memory.ts";
import type { ModelChoice } from "./turn-choice.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { createNoticeOnce } from "../surroundings/notice-once.ts";
import { NestedSkills } from "./nested-skills.ts";
import { SkillDesk, type SkillRooms } from "./skill-desk.ts";
import { createSkillTool } from "./skill-tool.ts";
import { knowledgeOptions } from "./knowledge-options.ts";

export interface KnowledgeParts {
  knowledge: Knowledge;
  skills: SkillDesk;
  /** The Skill tool, if there is a skill for the model to start and the tools were not restricted. */
  skillTools: Tool[];
  /** Undefined for the default. */
  style: OutputStyle | undefined;
}

/** Hides from the model the skills that the host has not chosen. */
export function applySkillChoice<Found extends Pick<Knowledge, "skills">>(
  found: Found,
  { skills: wanted = "all" }: EngineOptions,
): Found {
  if (wanted === "all") return found;
  const names = new Set(wanted);
  const skills = found.skills.map((skill) => (names.has(skill.name) ? skill : { ...skill, isModelInvocable: false }));
  return { ...found, skills };
}

/** `found`: the knowledge that the session above this one has found already. */
export async function composeKnowledge(
  options: EngineOptions,
  around: Surroundings,
  found?: Knowledge,
): Promise<KnowledgeParts> {
  const searchOptions = knowledgeOptions(options, around);
  const knowledge = found ?? (await findKnowledge(searchOptions, options, around));
  const style = found === undefined ? await findSessionStyle(searchOptions, knowledge, around) : undefined;
  const skills = new SkillDesk(around, knowledge.skills);
  skills.onMention = (news) => {
    around.telemetry?.sideEvents.mention(news.outcome !== "missing");
    // Nobody sees the prompts of agents.
    if (found === undefined) options.onMention?.(news);
  };
  const isWanted = options.tools === undefined || options.tools.includes("Skill");
  const skillTools = isWanted && skills.hasAny() ? [createSkillTool(skills)] : [];
  return { knowledge, skills, skillTools, style };
}

/** Finds it, and reports what is missing or does not take effect. */
async function findKnowledge(
  searchOptions: KnowledgeOptions,
  options: EngineOptions,
  around: Surroundings,
): Promise<Knowledge> {
  if (isBareSession(around.env)) return noKnowledge();
  const knowledge = applySkillChoice(await loadStartKnowledge(searchOptions, around), options);
  for (const { name, unfit } of knowledge.agents)
    if (unfit !== undefined) around.notice(unfitAgentMessage(name, unfit));
  for (const problem of knowledge.problems)
    if (problem.isLostRestriction === true) around.notice(lostRestrictionMessage(problem));
  if (knowledge.plugins.length + knowledge.problems.length > 0) {
    reportMissingPlugins(knowledge, searchOptions.plugins?.dirs ?? [], around.notice);
    makeDataFolders(knowledge, around);
  }
  return knowledge;
}

/** Undefined for the default. */
async function findSessionStyle(
  searchOptions: KnowledgeOptions,
  knowledge: Knowledge,
  { env, settings, notice }: Surroundings,
): Promise<OutputStyle | undefined> {
  const { outputStyle = "default" } = settings;
  if (isSafeMode(env) || !mayHaveStyle(outputStyle, knowledge)) return undefined;
  const { findStyle } = await import("./style.ts");
  return await findStyle(outputStyle, { ...searchOptions, stylePlugins: knowledge.plugins }, notice);
}

function lostRestrictionMessage({ path, line, reason }: KnowledgeProblem): string {
  return `${line === undefined ? path : `${path}:${line}`}: ${reason}.`;
}

function mayHaveStyle(styleName: string, { plugins }: Knowledge): boolean {
  return (
    styleName.toLowerCase() !== "default" || plugins.some(({ styles }) => styles.some((place) => existsSync(place)))
  );
}

/** Settings may have named another folder meanwhile, and an agent works in a folder of its own. */
function loadStartKnowledge(options: KnowledgeOptions, { machine, knowledge }: Surroundings): Promise<Knowledge> {
  const isSame = knowledge?.cwd === options.cwd && knowledge.claudeHome === options.claudeHome;
  return machine.knowledge(isSame ? { ...options, roots: knowledge.roots } : options);
}

/** For the plugins' programs, which rely on these folders. */
function makeDataFolders({ plugins }: Knowledge, { pawlHome, notice }: Surroundings): void {
  for (const { id, hooks, servers } of plugins)
    if (hooks.length + servers.length > 0) makeDataFolder(pluginDataFolder(id, pawlHome), notice);
}

/** Folders can enable dozens of plugins that lie elsewhere. */
const maxNamedPlugins = 10;

/** Reports missing plugins and parts of plugins: one may have been a guard. `pluginNames`: the folders of plugins. */
function reportMissingPlugins(
  knowledge: Knowledge,
  pluginNames: readonly string[],
  notice: (text: string) => void,
): void {
  const lost = explicitPluginProblems(knowledge, pluginNames);
  for (const [reason, all] of Map.groupBy(lost, (problem) => problem.reason)) {
    const shown = all.slice(0, maxNamedPlugins).map(({ path }) => path);
    const rest = all.length - shown.length;
    const namesText = `${shown.join(", ")}${rest > 0 ? ` and ${rest} more, which "pawl doctor" lists` : ""}`;
    notice(`${all.length === 1 ? "The plugin" : "Each of the plugins"} ${namesText}: ${reason}.`);
  }
}

export interface KnowledgeRooms {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  conversation: Conversation;
  tools: ToolParts;
  view: ToolsView;
  models: ModelParts;
  selected: ModelChoice;
  permissions: Permissions;
  occasions: HookOccasions;
  skills: SkillDesk;
  openingTexts: OpeningTexts;
  /** Set for an agent. */
  agentRun: StartedAgent | undefined;
  leader: NamedAgent | undefined;
}

/** Joins memory with the rooms, and gives skills and commands what they need from the rooms they are used in. */
export async function joinMemory(rooms: KnowledgeRooms, fork: SkillRooms["fork"]): Promise<SessionMemory> {
  const { options, around, store, occasions, tools, models, permissions, view, skills, conversation } = rooms;
  const { contextWindow } = models.catalog.info(models.id);
  tools.shared.sessionVariables = () => sessionVariables(rooms);
  const hasTool = (): boolean => view.names().includes("Skill");
  const listingLines = (listedSkills?: readonly Skill[]): string[] => skills.listing(contextWindow, listedSkills);
  const notifyOnce = createNoticeOnce(rooms);
  const nestedSkills = new NestedSkills({
    cwd: around.cwd,
    skills,
    applyChoice: (found) => applySkillChoice({ skills: found }, options).skills,
    listingLines,
    hasTool,
    notice: notifyOnce,
  });
  const memory = new SessionMemory({
    options,
    opening: rooms.leader?.initialPrompt,
    place: () => rooms.openingTexts.place,
    around,
    notice: notifyOnce,
    occasions,
    messages: () => conversation.messages,
    isBare: rooms.agentRun?.definition.bare === true || isBareSession(around.env),
    isResumed: rooms.agentRun === undefined && store.messages.length > 0,
    mayRead: (path) => !permissions.isReadDenied(path),
    skills: () => (hasTool() ? listingLines() : []),
    nestedSkills,
  });
  tools.onRead = (path, place) => memory.noteRead(path, place);
  skills.attach({
    permissions,
    findTool: (name) => tools.tools.find((tool) => tool.name === name),
    cwd: () => tools.cwd.get(),
    sessionId: store.sessionId,
    messages: () => conversation.messages,
    effort: () => effortField(rooms).effort?.level,
    home: around.home,
    news: () => memory.news(),
    markNotShown: (toolUseId) => tools.shared.readState.markNotShown(toolUseId),
    shellLineRefusal: (line, signal) => occasions.shellLineRefusal(line, signal),
    fork,
  });
  await nestedSkills.resume(conversation.messages, () => tools.shared.readState.recent(Infinity));
  return memory;
}

/** Session variables for commands, the same as for hooks. */
function sessionVariables({
  store,
  ...rooms
}: Pick<KnowledgeRooms, "models" | "selected" | "store">): Record<string, string> {
  const level = effortField(rooms).effort?.level;
  return {
    CLAUDE_CODE_SESSION_ID: store.sessionId,
    CLAUDE_PID: String(process.pid),
    ...(level === undefined ? {} : { CLAUDE_EFFORT: level }),
  };
}
