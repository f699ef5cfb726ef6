/** Opens a session's tools and its store: all that is needed to inspect a session too, without a model or a turn. */
import { contextPolicy } from "../context/index.ts";
import { isRecord } from "../lib/is-record.ts";
import { lateBound, type LateBound } from "../lib/late-bound.ts";
import type { Message } from "../protocol/message.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Snapshot } from "../transcript/index.ts";
import { openAgentStore } from "./agents/agent-store.ts";
import { Conversation } from "./store/conversation.ts";
import { Checkpoints } from "./files/checkpoints.ts";
import { checkpointScope, openSnapshots } from "./files/checkpoint-parts.ts";
import type { HookDefinitions } from "./hooks/extra-hooks.ts";
import type { StartedAgent } from "./agents/started-agent.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { branchAtStart } from "./surroundings/machine.ts";
import { loadedTools } from "./mcp/known-before.ts";
import type { EngineOptions } from "./options/options.ts";
import { offeredToolNames } from "./permissions/offered-tool-names.ts";
import type { SandboxParts } from "./permissions/sandbox-parts.ts";
import { Snips } from "./context/snips.ts";
import type { StructuredOutput } from "./tools/structured-output.ts";
import { openStore, sourceOf } from "./store/store.ts";
import type { CopySession, Store, StoreOptions } from "./store/store-shape.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";
import { composeTools, type ToolParts } from "./tools/tool-parts.ts";
import { onlyOutside } from "./worktrees/isolation-rules.ts";

function createSnips({ snipReplay: replay }: EngineOptions, { settings, env, notice }: Surroundings): Snips {
  return new Snips({ replay, isEnabled: contextPolicy(settings, env).snip, notice });
}

export interface OpenedSession {
  store: Store;
  tools: ToolParts;
  checkpoints: Checkpoints;
  snips: Snips;
  conversation: Conversation;
  /** Set once the model, whose prices it counts by, is known. A compaction boundary carries it. */
  ledger: LateBound<Ledger>;
}

/** What a session has besides its options. */
export interface OpeningParts {
  sandbox?: SandboxParts | undefined;
  structured?: StructuredOutput | undefined;
  /** Tools that the session makes itself. */
  sessionTools?: readonly Tool[];
  /** Hooks from plugins. */
  pluginHooks?: readonly HookDefinitions[];
  agentRun?: StartedAgent | undefined;
  copySession?: CopySession | undefined;
}

/** Opens the tools before the store: a resume asks them what to say about a call whose outcome is unknown. */
export function openSession(
  options: EngineOptions,
  around: Surroundings,
  { sandbox, structured, sessionTools = [], pluginHooks = [], agentRun, copySession }: OpeningParts = {},
): OpenedSession {
  const { cwd, env, home, settings, clock, ids, machine } = around;
  const ledger = lateBound<Ledger>("the ledger");
  const tools = composeTools({
    cwd,
    roots: [cwd, ...(options.addDirs ?? []), ...settings.permissions.additionalDirectories],
    home,
    env,
    clock,
    spillDirectory: () => store.spillDirectory,
    spills: machine.spills,
    sessionKey: ids.uuid(),
    names: offeredToolNames(options, around, sessionTools, pluginHooks),
    custom: [...(options.customTools ?? []), ...(structured === undefined ? [] : [structured.tool])],
    sessionTools,
    isForAgent: agentRun !== undefined,
    questionPreviews: options.toolConfig?.askUserQuestion?.previewFormat,
    ...(sandbox === undefined ? {} : { sandbox: sandbox.sandbox }),
  });
  const snips = createSnips(options, around);
  const carried = createSnapshotReader(() => ({ tools, store, conversation }));
  const store: Store =
    agentRun === undefined
      ? openSessionStore(options, around, {
          copySession,
          replayOf: createReplayLookup(tools),
          snips,
          snapshot: () => ({ ledger: ledger.get().snapshot(), ...carried() }),
        })
      : openAgentStore(agentRun, around, {
          durability: options.durability ?? "process",
          replayOf: createReplayLookup(tools),
          snips,
          snapshot: carried,
        });
  const conversation = openConversation(store, snips, around, agentRun);
  tools.shared.todos.set(lastTodos(store.messages) ?? store.restored.todos);
  tools.shared.readState.restore(store.restored.readFileState);
  const { transcript } = store;
  const checkpoints = new Checkpoints({
    transcript: agentRun === undefined ? transcript : null,
    scope: checkpointScope(options, around),
    ...(transcript === null ? {} : { snapshots: () => openSnapshots({ options, around, transcript, tools }) }),
    flush: options.durability === "power",
    lastSeen: (path) => tools.shared.readState.get(path)?.hash,
    onRestored: (path) => tools.shared.readState.delete(path),
  });
  // Changes by an agent belong to the prompt that its session is answering.
  tools.changes = agentRun?.parent.tools.changes ?? checkpoints;
  const before = (path: string): Promise<void> => tools.changes?.before(path) ?? Promise.resolve();
  // Files in an agent's own worktree are not among those that a rewind restores.
  tools.shared.beforeChange = agentRun?.place === undefined ? before : onlyOutside(agentRun.place.path, before);
  return { store, tools, conversation, ledger, checkpoints, snips };
}

function createReplayLookup(tools: ToolParts): StoreOptions["replayOf"] {
  return (name) => tools.tools.find((tool) => tool.name === name)?.replay;
}

/** The todo list as the last TodoWrite left it, for when the process died before the end of the turn recorded it. */
function lastTodos(messages: readonly Message[]): unknown {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    const output = message.type === "user" ? message.toolUseResult : undefined;
    if (isRecord(output) && Array.isArray(output["newTodos"]) && Array.isArray(output["oldTodos"]))
      return output["newTodos"];
  }
  return undefined;
}

function openConversation(
  { transcript, messages, restored }: Store,
  snips: Snips,
  { telemetry }: Surroundings,
  agentRun: StartedAgent | undefined,
): Conversation {
  const watch = telemetry?.recordsFor(agentRun);
  return new Conversation(transcript, snips.foldInto, messages, watch, restored.summedUp);
}

function openSessionStore(
  options: EngineOptions,
  around: Surroundings,
  fromSession: Pick<StoreOptions, "copySession" | "replayOf" | "snips" | "snapshot">,
): Store {
  const store = openStore({
    pawlHome: around.sessionsHome ?? around.pawlHome,
    mirror: around.mirror,
    cwd: around.cwd,
    version: around.version,
    gitBranch: branchAtStart(around),
    worktrees: () => around.machine.worktrees(around.cwd),
    source: sourceOf(options),
    files: around.machine.files,
    processes: around.machine.processes,
    notice: around.notice,
    persist: options.persistSession ?? true,
    resume: options.resume,
    continue: options.continue ?? false,
    resumeAt: options.resumeSessionAt,
    dropsTurn: options.resumeDropsTurn,
    fork: options.forkSession ?? false,
    sessionId: options.sessionId,
    orphanedToolUseId: options.orphanedPermission?.toolUseId,
    durability: options.durability ?? "process",
    clock: around.clock,
    ids: around.ids,
    ...fromSession,
  });
  for (const text of store.notices) around.notice(text);
  around.telemetry?.reportStart(store.sessionId, options);
  return store;
}

/** The state that a compaction boundary carries, apart from the ledger. */
function createSnapshotReader(
  parts: () => Pick<OpenedSession, "tools" | "store" | "conversation">,
): () => Partial<Snapshot> {
  let loaded: string[] | undefined;
  return () => {
    const { tools, store, conversation } = parts();
    // The boundary replaces the messages that loaded these tools; others were loaded before the messages that were read back.
    loaded = loadedTools(conversation.messages, loaded ?? store.restored.loadedTools);
    return {
      todos: tools.shared.todos.get(),
      readFileState: tools.shared.readState.snapshot(),
      summedUp: conversation.summedUp,
      loadedTools: loaded,
    };
  };
}
