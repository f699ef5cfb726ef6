/** The rooms of one session, joined: the only place that knows all of them. */
import type { Knowledge } from "../knowledge/load-knowledge.ts";
import type { Attachment } from "../protocol/message.ts";
import type { Tool } from "../protocol/tool.ts";
import { composeAgents } from "./agents/compose.ts";
import { agentsBegun } from "./agents/kept-facts.ts";
import { heldBack, mainAgent } from "./agents/main-agent.ts";
import { agentModels, agentOpening, firstPrompt } from "./agents/seat.ts";
import { ownPrompt } from "./knowledge/own-prompts.ts";
import { createCommandReader } from "./commands/run-command.ts";
import { composeCollapses } from "./context/collapses.ts";
import { createDayNews } from "./context/new-day.ts";
import { Conversation } from "./conversation.ts";
import { createDiskNews } from "./tools/disk-news.ts";
import { createEndedTasks } from "./tools/ended-tasks.ts";
import { folderNews } from "./tools/left-folder.ts";
import { composeKnowledge, joinMemory } from "./knowledge/knowledge-parts.ts";
import { beginsMore } from "./knowledge/typed.ts";
import { HookOccasions } from "./hooks/hook-occasions.ts";
import { beginHooks, composeHooks } from "./hooks/hook-parts.ts";
import { agentHooks, pluginsHooks, type GivenHooks } from "./hooks/hooks-beside.ts";
import { Facts, knownFacts } from "./facts.ts";
import type { AgentSeat, Joined } from "./joined.ts";
import { completedPorts } from "./loop-ports.ts";
import { createLedger } from "./create-ledger.ts";
import { attachLiveSettings } from "./settings/live-parts.ts";
import { loopLimits } from "./loop-limits.ts";
import { composeModel } from "./model/model-parts.ts";
import type { EngineOptions } from "./options.ts";
import { openSession } from "./open-session.ts";
import { answerable } from "./permissions/answerable.ts";
import { judgedTools } from "./permissions/judged-tools.ts";
import type { McpSlot, RunningServers } from "./mcp/desk.ts";
import type { StartSource } from "./intake.ts";
import { InputQueue } from "./queue.ts";
import { composePlan, type PlanParts } from "./plan/compose-plan.ts";
import type { SandboxParts } from "./permissions/sandbox-parts.ts";
import type { DescribedRule } from "../permissions/rule.ts";
import { Session, type Restart } from "./session.ts";
import { OpenDesk } from "./desk/open-desk.ts";
import { Choices } from "./model/choices.ts";
import type { Snips } from "./context/snips.ts";
import type { Store } from "./store-shape.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ToolParts } from "./tools/tool-parts.ts";
import { joinWeb } from "./tools/web-parts.ts";
import { budgetOf } from "./unrecorded.ts";
import { wholeNumber } from "./variables.ts";

export interface Opening {
  restart: Restart;
  source: StartSource;
  grantedRules: readonly DescribedRule[];
  sandbox: SandboxParts | undefined;
  /** The MCP servers of the session that this one takes the place of. */
  servers: RunningServers | undefined;
  /** Of an agent below another session. */
  seat?: AgentSeat;
}

export async function joinSession(
  given: EngineOptions,
  around: Surroundings,
  { restart, source, grantedRules, sandbox, servers, seat }: Opening,
): Promise<Session> {
  const { knowledge, skills, skillTools, style } = await composeKnowledge(given, around, seat?.root.knowledge);
  const structured = await structuredOutput(given, around);
  const open = (taken: AgentSeat) => joinSession(...agentOpening(taken, { restart, sandbox }));
  const below = composeAgents(given, around, { seat, open, found: knowledge.agents });
  const { plan, ...kit } = ownTools(given, around, { seat, knowledge }, [...skillTools, ...below.tools]);
  const { store, tools, facts, checkpoints, snips } = openSession(given, around, { sandbox, structured, ...kit, seat });
  const main = seat === undefined ? ledBy(given, { store, tools, below, around }) : undefined;
  const { definition: leader, options } = main ?? { options: given };
  const collapses = composeCollapses(store);
  // Asked for now and awaited below: git takes its time in processes of its own.
  const asked = firstPrompt(options, around, store, seat, style);
  let mcp: McpSlot | undefined;
  try {
    const models = seat === undefined ? composeModel(options, around, store.restored.model) : agentModels(seat);
    const ledger = seat?.parent.ledger ?? createLedger(options, around, models, store);
    facts.ledger = ledger;
    const occasions = new HookOccasions(seat?.parent.occasions.promptId);
    const conversation = (facts.conversation = openConversation(store, snips, around, seat));
    const session = { options, around, store, tools, occasions, conversation, plan: plan?.mode };
    const judged = await judgedTools({ ...session, sandbox, seat, leader, ledger }, models, grantedRules, servers);
    const { permissions, permission, view } = ({ mcp } = judged);
    facts.permissions = permissions;
    if (leader !== undefined) heldBack(permissions, leader);
    joinWeb({ tools, models, ledger, store, permissions, ids: around.ids });
    const rights = { permissions, view, seat };
    const selected = { current: models.id, effort: models.wishes.effort };
    const memory = joinMemory({ ...session, models, selected, skills, leader, ...rights }, below.forkSkill);
    facts.memory = memory;
    const own = { ...session, memory, skills, style, knowledge, ...below.crew };
    const system = await asked;
    const input = createInput({ ...own, mcp: judged.mcp, system }, tools, conversation);
    const [{ model, retry }, { cwd, shared }] = [models, tools];
    occasions.beside = [...kit.brought, ...agentHooks(seat?.definition ?? leader, leader !== undefined)];
    const hookParts = { ...own, ...rights, leader, shared, models, model, budget: ledger, cwd, selected };
    const asking = await composeHooks(hookParts);
    skills.onHooks = (given) => beginHooks(hookParts, asking.hooks, given);
    await skills.resumeHooks();
    if (seat === undefined) attachLiveSettings(hookParts, asking.hooks);
    const said = { tools: view, permission, hooks: asking.hooks, transcript: conversation, queue: input.queue };
    const mostPorts = { ...said, model, retry, budget: budgetOf(seat, ledger), clock: around.clock, ids: around.ids };
    const rooms = { ...own, mcp, models, tools, system, selected, snips, collapses, structured };
    const completed = await completedPorts(rooms, mostPorts);
    const limits = loopLimits(options, around, models.longestSilenceMs);
    const mine = { ledger, conversation, ...asking, checkpoints, source, limits };
    const kept = { facts: new Facts(store.transcript, knownFacts(store.restored)), seat };
    const joined: Joined = { ...rooms, ...completed, ...mine, ...judged, ...input, ...kept };
    plan?.attach(joined);
    await below.attach(joined);
    return sessionOver(joined, restart);
  } catch (error) {
    await asked.catch(() => undefined);
    if (servers === undefined) await mcp?.desk?.end();
    store.transcript?.close();
    throw error;
  }
}

function sessionOver(joined: Joined, restart: Restart): Session {
  const choices = new Choices(joined);
  return new Session(joined, choices, new OpenDesk(joined, choices), restart);
}

/** What a session makes itself, and plan mode, which no agent has: it asks nobody, and its plan is its answer. */
function ownTools(
  given: EngineOptions,
  around: Surroundings,
  { seat, knowledge }: { seat: AgentSeat | undefined; knowledge: Knowledge },
  others: readonly Tool[],
): { plan: PlanParts | undefined; more: readonly Tool[]; brought: readonly GivenHooks[] } {
  const brought = pluginsHooks(knowledge.plugins, around);
  const plan = seat === undefined ? composePlan(given, around) : undefined;
  const answering = { options: given, settings: around.settings, brought };
  return { plan, more: answerable([...others, ...(plan?.tools ?? [])], answering), brought };
}

function openConversation(
  { transcript, messages, restored }: Store,
  snips: Snips,
  { telemetry }: Surroundings,
  seat: AgentSeat | undefined,
): Conversation {
  const watch = telemetry?.recordsFor(seat);
  return new Conversation(transcript, snips.foldInto, messages, watch, restored.summedUp);
}

/** A session that cannot be led as it is asked to is not begun. */
function ledBy(given: EngineOptions, places: Parameters<typeof mainAgent>[1]): ReturnType<typeof mainAgent> {
  try {
    return mainAgent(given, places);
  } catch (error) {
    places.store.transcript?.close();
    throw error;
  }
}

async function structuredOutput({ outputFormat }: EngineOptions, { env }: Surroundings) {
  if (outputFormat === undefined) return undefined;
  const { StructuredOutput: Output } = await import("./tools/structured-output.ts");
  const tries = wholeNumber(env["MAX_STRUCTURED_OUTPUT_RETRIES"]);
  return new Output({ schema: outputFormat.schema, ...(tries === undefined ? {} : { tries }) });
}

type InputRooms = Pick<
  Joined,
  | "options"
  | "around"
  | "occasions"
  | "memory"
  | "skills"
  | "agentNews"
  | "letters"
  | "mcp"
  | "store"
  | "plan"
  | "system"
>;

/** What the user and the machine say while the loop is busy, and which of it is for the session itself. */
function createInput(rooms: InputRooms, tools: ToolParts, conversation: Conversation) {
  const { options, around, occasions, memory, skills, agentNews, letters, mcp, store, plan, system } = rooms;
  const isVerbatim = options.verbatimPrompts === true;
  const isPrompt = (name: string): boolean =>
    ownPrompt(name, "") !== undefined || (mcp.desk !== undefined && name.startsWith("mcp__"));
  const isSkill = (name: string): boolean => skills.findForUser(name) !== undefined || isPrompt(name);
  const commandOf = isVerbatim ? () => undefined : createCommandReader(around.machine.paths, isSkill);
  const { readState, background, cwd } = tools.shared;
  const began = { folder: cwd.get(), system, carriesOver: cwd.carriesOver };
  const moved = options.subagent === undefined ? folderNews(conversation.messages, began) : [];
  const day = createDayNews(conversation.messages, around);
  const ended = createEndedTasks(background, () => agentsBegun({ store, around }), conversation.messages);
  const takeActed = (): boolean => {
    const hasActed = tools.mayHaveActed;
    tools.mayHaveActed = false;
    return hasActed;
  };
  const outputs = () => new Set(background.list().map(({ outputPath }) => outputPath));
  const looked = { readState, clock: around.clock, takeActed, messages: conversation.messages };
  const outputFolders = [store.spillDirectory, store.spilledBefore];
  const changes = createDiskNews({ ...looked, growing: outputs, outputFolders });
  const fresh = (): Attachment[] => [
    ...ended(),
    ...moved.splice(0),
    ...day(),
    ...agentNews.splice(0),
    ...occasions.late(),
    ...skills.news(),
    ...memory.news(),
    ...(mcp.desk?.news() ?? []),
  ];
  let handed: Attachment[] = [];
  const news = (isInTurn: boolean): Attachment[] => {
    // What a full disk did not take is news still.
    handed = [...handed.filter((each) => !conversation.hasAttached(each)), ...fresh()];
    return [...(plan?.news(isInTurn) ?? []), ...handed, ...(letters?.take() ?? [])];
  };
  const queue = new InputQueue({
    newsOf: () => [...news(true), ...changes(true)],
    isRecorded: (uuid) => conversation.hasTaken(uuid),
    isCommand: (prompt) => commandOf(prompt) !== undefined || (!isVerbatim && beginsMore(prompt, skills, mcp.desk)),
  });
  return { commandOf, newsSince: () => news(false), changedFiles: () => changes(false), queue };
}
