/** The rooms of one session, joined: the only place that knows all of them. */
import { Validator } from "@cfworker/json-schema";
import { createFunctionHooks, type FunctionHook } from "../hooks/function-hooks.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import { readBranch } from "../knowledge/git-status.ts";
import { defaultLimits, type LoopLimits, type LoopPorts } from "../loop/ports.ts";
import type { HookEvent } from "../protocol/hook.ts";
import { foldInto } from "../transcript/fold.ts";
import { composeContext } from "./context-parts.ts";
import { Conversation } from "./conversation.ts";
import { createDiskNews } from "./disk-news.ts";
import { systemPrompt, type FirstMessageOptions } from "./first-message.ts";
import { Ledger } from "./ledger.ts";
import { restoredLedger } from "./restored.ts";
import { composeModel, wholeNumber, type ModelParts } from "./model-parts.ts";
import type { EngineOptions } from "./options.ts";
import type { SessionParts } from "./parts.ts";
import { composePermissions } from "./permission-parts.ts";
import { InputQueue } from "./queue.ts";
import { Session } from "./session.ts";
import { openStore, type Store } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import { composeTools, recordingStarts, type ToolParts } from "./tool-parts.ts";
import { createToolsPort, type ToolsView } from "./tools-port.ts";

export async function joinSession(
  options: EngineOptions,
  around: Surroundings,
  restart: () => Promise<SessionParts>,
): Promise<SessionParts> {
  const { cwd, env, settings, clock, ids } = around;
  const facts: { ledger?: Ledger; tools?: ToolParts } = {};
  const store = openSessionStore(options, around, facts);
  try {
    const models = composeModel(options, around, store.restored.model);
    const ledger = createLedger(options, around, models, store);
    const tools = composeTools({
      cwd,
      roots: [cwd, ...(options.addDirs ?? []), ...settings.permissions.additionalDirectories],
      home: around.home,
      env,
      clock,
      spillDirectory: store.spillDirectory,
      names: options.tools,
      custom: options.customTools ?? [],
    });
    Object.assign(facts, { ledger, tools });
    tools.shared.todos.set(store.restored.todos);
    tools.shared.readState.restore(store.restored.readFileState);
    const find = (name: string) => tools.tools.find((tool) => tool.name === name);
    const permissions = composePermissions({
      options,
      around,
      restoredMode: store.restored.permissionMode,
      spillDirectory: store.spillDirectory,
      findTool: find,
    });
    const view = offeredTools(tools, permissions.removedTools(tools.tools.map((tool) => tool.name)), store);
    const conversation = new Conversation(store.transcript, foldInto, store.messages);
    const queue = new InputQueue(createDiskNews(tools.shared.readState));
    const first: FirstMessageOptions = { options, around, restored: store.restored.systemPrompt };
    const system = await systemPrompt(first);
    const hooks = createSessionHooks(options, around, store, () => permissions.getMode());
    const ports: Omit<LoopPorts, "context"> = {
      model: models.model,
      retry: models.retry,
      tools: view,
      permission: permissions,
      hooks,
      budget: ledger,
      transcript: conversation,
      queue,
      clock,
      ids,
    };
    const limits = loopLimits(options, env);
    const selected = { current: models.id, effort: models.effort };
    const context = composeContext({ around, models, ports, system, selected, tools, store });
    return new Session({
      options,
      around,
      store,
      models,
      ledger,
      tools,
      view,
      permissions,
      conversation,
      queue,
      hooks,
      ports: { ...ports, context },
      limits,
      selected,
      system,
      first,
      restart,
    });
  } catch (error) {
    store.transcript?.close();
    throw error;
  }
}

function openSessionStore(
  options: EngineOptions,
  around: Surroundings,
  facts: { ledger?: Ledger; tools?: ToolParts },
): Store {
  const store = openStore({
    pawlHome: around.pawlHome,
    cwd: around.cwd,
    version: around.version,
    gitBranch: readBranch(around.cwd),
    persist: options.persistSession ?? true,
    resume: options.resume,
    continue: options.continue ?? false,
    fork: options.forkSession ?? false,
    sessionId: options.sessionId,
    durability: options.durability ?? "process",
    clock: around.clock,
    ids: around.ids,
    replayOf: (name) => facts.tools?.tools.find((tool) => tool.name === name)?.replay,
    snapshot: () => ({
      ledger: facts.ledger?.snapshot(),
      todos: facts.tools?.shared.todos.get(),
      readFileState: facts.tools?.shared.readState.snapshot(),
    }),
  });
  for (const text of store.notices) around.notice(text);
  return store;
}

function createLedger(options: EngineOptions, around: Surroundings, models: ModelParts, store: Store): Ledger {
  return new Ledger({
    maxBudgetUsd: options.maxBudgetUsd,
    info: (model) => models.catalog.info(model),
    costOf: (model, usage) => models.catalog.costOf(model, usage),
    cacheTtl: models.cacheTtl,
    restored: restoredLedger(store.restored.ledger),
    onUnknownModel: (model) =>
      around.notice(`${model} is not in the catalogue: its price is unknown, and its calls are counted as $0.`),
  });
}

/** What the model is offered: without what a rule takes away, and with a record before each call. */
function offeredTools(tools: ToolParts, removed: readonly string[], { transcript }: Store): ToolsView {
  const offered = tools.tools.filter((tool) => !removed.includes(tool.name));
  const recorded =
    transcript === null
      ? offered
      : offered.map((tool) =>
          recordingStarts(tool, (toolUseId) => transcript.appendMeta("tool_started", { toolUseId })),
        );
  return createToolsPort(recorded, () => tools.cwd.get(), Validator);
}

function createSessionHooks(
  options: EngineOptions,
  around: Surroundings,
  store: Store,
  mode: () => string,
): OwnedHooks {
  const common = () => ({
    session_id: store.sessionId,
    transcript_path: store.transcript?.path ?? "",
    cwd: around.cwd,
    permission_mode: mode(),
  });
  const hooks = (options.hooks ?? {}) as Partial<Record<HookEvent, FunctionHook[]>>;
  return createFunctionHooks(hooks, { clock: around.clock, ids: around.ids, common });
}

function loopLimits(options: EngineOptions, env: Surroundings["env"]): Partial<LoopLimits> {
  const { maxTurns = wholeNumber(env["PAWL_MAX_TURNS"] ?? env["CLAUDE_CODE_MAX_TURNS"]), tokenBudget } = options;
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    toolConcurrency: wholeNumber(env["CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"]) ?? defaultLimits.toolConcurrency,
    stopHookBlocks: wholeNumber(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]) ?? defaultLimits.stopHookBlocks,
    ...options.limits,
  };
}
