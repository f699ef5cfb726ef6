/** Which parts of a session an agent shares, and which are its own: its options, its model, its system prompt. */
import { stricterMode } from "../../permissions/judging/strictness.ts";
import type { AskPermission } from "../../protocol/permission.ts";
import type { SystemBlock } from "../../protocol/model.ts";
import { clearedSessionOptions } from "../options/normalize-options.ts";
import type { EngineOptions } from "../options/options.ts";
import type { AgentRun, Joined } from "../joined.ts";
import type { ModelParts } from "../model/model-parts.ts";
import { withModelSource } from "../model/model-source.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { OutputStyle } from "../../knowledge/output-styles.ts";
import { OpeningTexts } from "../knowledge/opening-texts.ts";
import {
  restoredPrompt,
  surroundingsText,
  sessionSystemPrompt,
  includesGitStatus,
  placeForFirstMessage,
} from "../knowledge/session-system-prompt.ts";
import type { Store } from "../store/store-shape.ts";
import { buildSystemPrompt } from "../knowledge/system-prompt.ts";

/** The parent's options, without those that belong to the session's one conversation. */
function agentOptions({ options, permissions, tools }: Joined, agentRun: AgentRun): EngineOptions {
  const custom = new Set((options.customTools ?? []).map(({ name }) => name));
  // Tools of MCP servers come with the servers.
  const builtToolNames = new Set(tools.tools.map(({ name }) => name));
  return {
    ...options,
    ask: options.ask === undefined ? undefined : askAsAgent(options.ask, agentRun),
    debug: debugAsAgent(agentRun),
    ...(agentRun.place === undefined ? {} : { cwd: agentRun.place.around.cwd, addDirs: agentRun.place.addDirs }),
    tools: agentRun.tools.filter((name) => builtToolNames.has(name) && !custom.has(name)),
    customTools: (options.customTools ?? []).filter(({ name }) => agentRun.tools.includes(name)),
    permissionMode: stricterMode(permissions.getMode(), agentRun.definition.permissionMode),
    maxTurns: agentRun.turns,
    agent: undefined,
    subagent: { agentId: agentRun.id, agentType: agentRun.definition.name },
    teammate: agentRun.member?.port,
    verbatimPrompts: true,
    includePartialMessages: false,
    toolUseSummaries: false,
    abortController: undefined,
    tokenBudget: undefined,
    outputFormat: undefined,
    taskBudget: undefined,
    ...clearedSessionOptions,
  };
}

/** The log of the session names the agent in each line, and for an agent's own agent only the inner one. */
function debugAsAgent({ id, root }: AgentRun): EngineOptions["debug"] {
  const { debug } = root.options;
  return debug === undefined ? undefined : (line) => debug(`agent ${id} ${line}`);
}

function askAsAgent(ask: AskPermission, { id, stall }: AgentRun): AskPermission {
  return async (question, signal) => {
    const answer = Promise.resolve(ask({ ...question, agentId: question.agentId ?? id }, signal));
    return await (stall?.pauseDuring(answer) ?? answer);
  };
}

/** The same connections and catalog with another model. */
export function agentModels(agentRun: AgentRun): ModelParts {
  const { model, definition, parent, stall } = agentRun;
  const { models, selected, around } = parent;
  const effort = definition.effort ?? selected.effort;
  const { forAgents, catalog } = models;
  const modelFor: typeof forAgents.modelFor = (debug) => {
    const model = forAgents.modelFor(debug);
    return stall === undefined ? model : { ...model, ...stall.watchModel(model) };
  };
  const own = withModelSource(modelFor(debugAsAgent(agentRun)), () => agentRun);
  return {
    ...models,
    cacheTtl: forAgents.cacheTtl,
    // Activity of an agent's own agents counts as a sign of life of the agent, too.
    forAgents: { ...forAgents, modelFor },
    model: around.telemetry?.modelFor(own, catalog, agentRun) ?? own,
    id: model,
    wishes: { ...models.wishes, effort, taskBudget: undefined },
  };
}

async function agentPrompt(
  { definition, place, root }: AgentRun,
  around: Surroundings,
  signal: AbortSignal,
): Promise<SystemBlock[]> {
  const { cwd, env, settings, machine } = around;
  const about = place === undefined ? "" : `\n\n${place.description}`;
  const isGitRepository = machine.isGitRepository(cwd);
  const folders = settings.permissions.additionalDirectories;
  const wantsGit = definition.bare !== true && includesGitStatus(around) && isGitRepository;
  const status = wantsGit ? await machine.gitStatus({ cwd, env, signal }) : undefined;
  const custom = `${definition.prompt}\n\n${surroundingsText(around, isGitRepository, folders)}${about}`;
  const append = root.options.appendSubagentSystemPrompt;
  return buildSystemPrompt({ custom, append, environment: "", gitStatus: status });
}

interface OpeningParts {
  options: EngineOptions;
  around: Surroundings;
  store: Pick<Store, "restored" | "messages">;
  agentRun: AgentRun | undefined;
  style: OutputStyle | undefined;
}

/** Begins to take what the session tells the model of its start. */
export function takeOpeningTexts({ options, around, store, agentRun, style }: OpeningParts): OpeningTexts {
  const { messages, restored } = store;
  const restoredSystem = restored.systemPrompt;
  return new OpeningTexts(async (signal) => {
    // The session's own system prompt is not given to its agents.
    if (agentRun !== undefined)
      return { system: restoredPrompt(restoredSystem) ?? (await agentPrompt(agentRun, around, signal)), place: "" };
    const [system, place] = await Promise.all([
      sessionSystemPrompt({ options, around, restored: restoredSystem, messages, style, signal }),
      messages.length === 0 ? placeForFirstMessage(options, around, signal) : "",
    ]);
    return { system, place };
  }, around.machine.processes);
}

/** An agent's session is joined like any other, with fewer parts of its own. */
export function agentOpening<S extends object>(
  agentRun: AgentRun,
  shared: S,
): [EngineOptions, Surroundings, S & { source: "startup"; servers: undefined; grantedRules: []; agentRun: AgentRun }] {
  const { parent, place } = agentRun;
  const around = place?.around ?? parent.around;
  const own = { source: "startup" as const, servers: undefined, grantedRules: [] as [], agentRun };
  const confined = place === undefined ? {} : { sandbox: place.sandbox };
  const opening = { ...shared, ...confined, ...own };
  const { mcp } = parent;
  const borrowing = mcp.desk === undefined ? around : { ...around, mcpServers: mcp.desk.servers };
  return [agentOptions(parent, agentRun), borrowing, opening];
}
