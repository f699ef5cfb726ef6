/** Joins the rooms of one session: the only place that knows all of them. */
import type { Knowledge } from "../knowledge/load-knowledge.ts";
import type { Tool } from "../protocol/tool.ts";
import { composeAgents } from "./compose-agents.ts";
import { applyStricterMode, mainAgent } from "./agent-runs/main-agent.ts";
import { agentModels, agentOpening, takeOpeningTexts } from "./agent-runs/agent-session.ts";
import { composeCollapses } from "./context/collapses.ts";
import { composeKnowledge, joinMemory } from "./knowledge/knowledge-parts.ts";
import { HookOccasions } from "./hooks/hook-occasions.ts";
import { addHooks, composeHooks, type HookParts } from "./hooks/hook-parts.ts";
import type { HookPartsOptions } from "./hooks/hook-parts-options.ts";
import { withFormatterTracking } from "./hooks/formatter-tracking.ts";
import { agentHooks, inheritedHooks, allPluginHooks, type HookDefinitions } from "./hooks/extra-hooks.ts";
import { Facts, knownFacts } from "./store/facts.ts";
import { createInput } from "./input.ts";
import type { AgentRun, Joined } from "./joined.ts";
import { completePorts } from "./loop/loop-ports.ts";
import { createLedger } from "./ledger/create-ledger.ts";
import { attachLiveSettings } from "./attach-live-settings.ts";
import { loopLimits } from "./loop/loop-limits.ts";
import type { ForkedSkill, SkillDesk } from "./knowledge/skill-desk.ts";
import { composeModel } from "./model/model-parts.ts";
import type { EngineOptions } from "./options/options.ts";
import { openSession } from "./open-session.ts";
import { composeGoals } from "./goal/compose-goals.ts";
import { answerableTools } from "./permissions/answerable.ts";
import { composeJudgedTools, preloadTools } from "./permissions/judged-tools.ts";
import type { StartSource } from "./intake/intake.ts";
import { composePlan, type PlanParts } from "./plan/compose-plan.ts";
import type { SandboxParts } from "./permissions/sandbox-parts.ts";
import type { DescribedRule } from "../permissions/rules/rule.ts";
import { Session, type Restart } from "./session.ts";
import { OpenDesk } from "./desk/open-desk.ts";
import { Choices } from "./choices.ts";
import type { RunningServers, Surroundings } from "./surroundings/surroundings.ts";
import { connectWebFetch } from "./tools/web-parts.ts";
import { budgetForAgent } from "./ledger/agent-budget.ts";
import { wholeNumber } from "./options/variables.ts";

export interface Opening {
  restart: Restart;
  source: StartSource;
  grantedRules: readonly DescribedRule[];
  sandbox: SandboxParts | undefined;
  /** The MCP servers of the session that this one replaces. */
  servers: RunningServers | undefined;
  /** Set for an agent below another session. */
  agentRun?: AgentRun;
}

/** Opens the basics, the judged tools and the rooms, then the session over them. If one fails, whatever was started by then is ended. */
export async function joinSession(
  givenOptions: EngineOptions,
  around: Surroundings,
  opening: Opening,
): Promise<Session> {
  const basics = await openBasics(givenOptions, around, opening);
  let judged: JudgedParts | undefined;
  try {
    judged = await openJudgedParts(basics, opening);
    const joined = await openRooms(basics, judged, opening);
    basics.plan?.attach(joined);
    await basics.agentParts.attach(joined);
    const choices = new Choices(joined);
    return new Session(joined, choices, new OpenDesk(joined, choices), opening.restart);
  } catch (error) {
    await basics.openingTexts.end();
    if (opening.servers === undefined) await judged?.mcp.desk?.end();
    basics.store.transcript?.close();
    throw error;
  }
}

type Basics = Awaited<ReturnType<typeof openBasics>>;
type JudgedParts = Awaited<ReturnType<typeof openJudgedParts>>;

/** What the session knows, its tools, its store, and its lead agent, if any, which may change the options. */
async function openBasics(givenOptions: EngineOptions, around: Surroundings, { restart, sandbox, agentRun }: Opening) {
  const { knowledge, skills, skillTools, style } = await composeKnowledge(
    givenOptions,
    around,
    agentRun?.root.knowledge,
  );
  const structured = await createStructuredOutput(givenOptions, around);
  const open = (agentRun: AgentRun) => joinSession(...agentOpening(agentRun, { restart, sandbox }));
  const agentParts = composeAgents(givenOptions, around, { agentRun, open, fileDefinitions: knowledge.agents });
  const otherTools = [...skillTools, ...agentParts.tools];
  const { plan, pluginHooks, sessionTools } = ownTools(givenOptions, around, { agentRun, knowledge }, otherTools);
  const copySession =
    givenOptions.forkSession === true ? (await import("./store/copy-session.ts")).copySession : undefined;
  const parts = { sandbox, structured, sessionTools, pluginHooks, agentRun, copySession };
  const opened = openSession(givenOptions, around, parts);
  const { store, tools } = opened;
  const main = agentRun === undefined ? chooseLeadAgent(givenOptions, { store, tools, agentParts, around }) : undefined;
  const { definition: leader, options } = main ?? { options: givenOptions };
  const collapses = composeCollapses(store);
  const openingTexts = takeOpeningTexts({ options, around, store, agentRun, style });
  const knowledgeParts = { knowledge, skills, style, structured, pluginHooks };
  return { options, around, ...knowledgeParts, ...opened, agentParts, plan, leader, collapses, openingTexts };
}

/** The model, its budget, and what its tools may do. */
async function openJudgedParts(basics: Basics, { grantedRules, sandbox, agentRun, servers }: Opening) {
  const { options, around, store, tools, conversation, plan, leader } = basics;
  const ahead = () => preloadTools(tools);
  const models =
    agentRun === undefined ? composeModel(options, around, store.restored.model, ahead) : agentModels(agentRun);
  const ledger = agentRun?.parent.ledger ?? createLedger(options, around, models, store);
  basics.ledger.set(ledger);
  tools.onWritten = (output) => ledger.work.addWrittenFile(output);
  const occasions = new HookOccasions(agentRun?.parent.occasions.promptId);
  const session = { options, around, store, tools, occasions, conversation, plan: plan?.mode };
  const judged = await composeJudgedTools(
    { ...session, sandbox, agentRun, leader, ledger },
    models,
    grantedRules,
    servers,
  );
  return { ...judged, session, models, ledger };
}

/** What the model is told, the hooks, and the ports that the loop runs with. */
async function openRooms(basics: Basics, judged: JudgedParts, { source, agentRun }: Opening): Promise<Joined> {
  const { options, around, store, tools, skills, style, knowledge, structured, agentParts, leader, snips } = basics;
  const { openingTexts } = basics;
  const { session, permission, ...judgedRooms } = judged;
  const { models, ledger, permissions, view, mcp } = judgedRooms;
  const { occasions, conversation } = session;
  if (leader !== undefined) applyStricterMode(permissions, leader);
  const selected = { current: models.id, effort: models.wishes.effort };
  connectWebFetch({ tools, models, selected, ledger, store, permissions, ids: around.ids });
  const permissionParts = { permissions, view, agentRun, leader, models, selected };
  const definition = agentRun?.definition ?? leader;
  const forkSkill = (forked: ForkedSkill) =>
    agentParts.forkSkill(forked, forked.isTyped ? agentRun?.definition : definition);
  // What a resumed conversation was told of its folder is compared below; its system prompt is mostly on record.
  if (store.messages.length > 0) await openingTexts.ready();
  const memory = await joinMemory({ ...session, ...permissionParts, skills, openingTexts }, forkSkill);
  const sharedParts = { ...session, memory, skills, style, knowledge, ...agentParts.rooms };
  const input = createInput({ ...sharedParts, mcp, openingTexts });
  occasions.extraHooks = [
    ...basics.pluginHooks,
    ...agentHooks(definition, leader !== undefined),
    // Of two identical hooks the first runs, with its own permissions.
    ...inheritedHooks(agentRun?.parent.occasions.extraHooks),
  ];
  const { cwd, shared } = tools;
  const hookParts = await openHooks({
    ...sharedParts,
    ...permissionParts,
    shared,
    cwd,
    model: models.model,
    budget: ledger,
  });
  const { clock, ids } = around;
  const hooks = withFormatterTracking(hookParts.hooks, shared.readState);
  const loopPorts = { tools: view, permission, hooks, transcript: conversation, queue: input.queue };
  const modelPorts = { model: models.model, retry: models.retry, budget: budgetForAgent(agentRun, ledger) };
  const { collapses, checkpoints } = basics;
  const facts = new Facts(store.transcript, knownFacts(store.restored));
  const goals = composeGoals({ ...sharedParts, ...permissionParts, ...modelPorts, ledger, facts });
  const rooms = { ...sharedParts, ...judgedRooms, openingTexts, selected, snips, collapses, structured, goals };
  const completedParts = await completePorts(rooms, { ...loopPorts, ...modelPorts, clock, ids });
  const limits = loopLimits(options, around, models.longestSilenceMs);
  return { ...rooms, ...completedParts, ...hookParts, ...input, facts, limits, checkpoints, source, agentRun };
}

/** Opens the hooks of the host and the settings, then those of skills already started. */
async function openHooks(parts: HookPartsOptions & { skills: SkillDesk }): Promise<HookParts> {
  const { skills, agentRun } = parts;
  const hookParts = await composeHooks(parts);
  skills.onHooks = (skillHooks) => addHooks(parts, hookParts.hooks, skillHooks);
  await skills.resume();
  if (agentRun === undefined) attachLiveSettings(parts, hookParts.hooks);
  return hookParts;
}

/** The tools a session makes itself, and plan mode. Agents have no plan mode: they ask nobody, and their answer is the plan. */
function ownTools(
  givenOptions: EngineOptions,
  around: Surroundings,
  { agentRun, knowledge }: { agentRun: AgentRun | undefined; knowledge: Knowledge },
  otherTools: readonly Tool[],
): { plan: PlanParts | undefined; sessionTools: readonly Tool[]; pluginHooks: readonly HookDefinitions[] } {
  const pluginHooks = allPluginHooks(knowledge.plugins, around);
  const plan = agentRun === undefined ? composePlan(givenOptions, around) : undefined;
  const answerSources = { options: givenOptions, settings: around.settings, pluginHooks };
  return { plan, sessionTools: answerableTools([...otherTools, ...(plan?.tools ?? [])], answerSources), pluginHooks };
}

/** Picks the lead agent. Closes the transcript if the session cannot be led as requested, since it then does not start. */
function chooseLeadAgent(
  options: EngineOptions,
  leadAgentParts: Parameters<typeof mainAgent>[1],
): ReturnType<typeof mainAgent> {
  try {
    return mainAgent(options, leadAgentParts);
  } catch (error) {
    leadAgentParts.store.transcript?.close();
    throw error;
  }
}

async function createStructuredOutput({ outputFormat }: EngineOptions, { env }: Surroundings) {
  if (outputFormat === undefined) return undefined;
  const { StructuredOutput: Output } = await import("./tools/structured-output.ts");
  const tries = wholeNumber(env["MAX_STRUCTURED_OUTPUT_RETRIES"]);
  return new Output({ schema: outputFormat.schema, ...(tries === undefined ? {} : { tries }) });
}
