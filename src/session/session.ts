/** One joined session: what the engine asks of it between user turns. */
import type { ContentBlock, Message } from "../protocol/message.ts";
import type { Effort, SystemBlock } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { Failure, Terminal } from "../protocol/stop.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { ClockPort, IdPort, LoopConfig, LoopLimits, LoopPorts } from "../loop/ports.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { toSDKMessage } from "./convert.ts";
import type { Conversation } from "./conversation.ts";
import { userContext, type FirstMessageOptions } from "./first-message.ts";
import type { Ledger } from "./ledger.ts";
import type { ModelParts } from "./model-parts.ts";
import type { EngineOptions } from "./options.ts";
import type { SessionParts } from "./parts.ts";
import { promptText } from "./prompt.ts";
import type { InputQueue } from "./queue.ts";
import type { Store } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ToolParts } from "./tool-parts.ts";
import type { ToolsView } from "./tools-port.ts";

export interface Joined {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  models: ModelParts;
  ledger: Ledger;
  tools: ToolParts;
  view: ToolsView;
  permissions: Permissions;
  conversation: Conversation;
  queue: InputQueue;
  hooks: OwnedHooks;
  ports: LoopPorts;
  limits: Partial<LoopLimits>;
  selected: { current: string; effort?: Effort };
  system: SystemBlock[];
  first: FirstMessageOptions;
  restart: () => Promise<SessionParts>;
}

const hookDrainMs = 5_000;
const backgroundGraceMs = 5_000;

export class Session implements SessionParts {
  readonly sessionId: string;
  readonly transcriptPath?: string;
  readonly cwd: string;
  readonly version: string;
  readonly apiKeySource: "user" | "none" = "user";
  readonly toolNames: readonly string[];
  readonly clock: ClockPort;
  readonly ids: IdPort;
  readonly ports: LoopPorts;
  readonly limits: Partial<LoopLimits>;
  readonly maxBudgetUsd?: number;
  readonly queue: InputQueue;
  readonly conversation: Conversation;
  readonly ledger: Ledger;
  readonly model: { current: string; effort?: Effort };
  readonly #joined: Joined;
  #promptRecorded: boolean;
  #isClosed = false;

  constructor(joined: Joined) {
    this.#joined = joined;
    this.sessionId = joined.store.sessionId;
    this.transcriptPath = joined.store.transcript?.path;
    this.cwd = joined.around.cwd;
    this.version = joined.around.version;
    this.toolNames = joined.view.names;
    this.clock = joined.around.clock;
    this.ids = joined.around.ids;
    this.ports = joined.ports;
    this.limits = joined.limits;
    this.maxBudgetUsd = joined.options.maxBudgetUsd;
    this.queue = joined.queue;
    this.conversation = joined.conversation;
    this.ledger = joined.ledger;
    this.model = joined.selected;
    this.#promptRecorded = JSON.stringify(joined.store.restored.systemPrompt) === JSON.stringify(joined.system);
  }

  loopConfig(): LoopConfig {
    const { options, models, system } = this.#joined;
    return {
      sessionId: this.sessionId,
      system,
      fallbackModels: models.fallbacks,
      thinking: models.thinking,
      effort: this.model.effort,
      maxOutputTokens: models.maxOutputTokens,
      querySource: options.headless === true ? "sdk" : "main",
      taskBudget: options.taskBudget,
      includeRawEvents: options.includePartialMessages === true,
    };
  }

  record(prompt: ContentBlock[], { uuid, isMeta }: { uuid?: string; isMeta?: boolean }): Failure | null {
    if (!prompt.some((block) => block.type !== "text" || block.text.trim() !== "")) {
      return { kind: "invalid_request", message: "The prompt is empty: say what is to be done." };
    }
    const { transcript } = this.#joined.store;
    if (!this.#promptRecorded) {
      const written = transcript?.appendMeta("system_prompt", this.#joined.system);
      if (written?.ok === false) return written.failure;
      this.#promptRecorded = true;
    }
    const messages: Message[] = this.conversation.messages.length === 0 ? [this.#context()] : [];
    const own = {
      type: "user" as const,
      uuid: uuid ?? this.ids.uuid(),
      timestamp: this.clock.timestamp(),
      content: prompt,
    };
    messages.push(isMeta === true ? { ...own, isMeta } : { ...own, origin: "human" });
    for (const message of messages) {
      const written = this.conversation.append(message);
      if (!written.ok) return written.failure;
    }
    return null;
  }

  #context(): Message {
    const timestamp = this.clock.timestamp();
    const content = [{ type: "text" as const, text: userContext(this.#joined.first, timestamp) }];
    return { type: "user", uuid: this.ids.uuid(), timestamp, content, isMeta: true, origin: "context" };
  }

  async *submitHooks(prompt: string | ContentBlock[], cancel: Cancel): AsyncGenerator<SDKMessage, Terminal | null> {
    const { hooks } = this.#joined;
    if (!hooks.has("UserPromptSubmit")) return null;
    const answer = await hooks.run({ hook_event_name: "UserPromptSubmit", prompt: promptText(prompt) }, cancel.signal);
    const context = { sessionId: this.sessionId, uuid: () => this.ids.uuid() };
    const own = () => ({ uuid: this.ids.uuid(), timestamp: this.clock.timestamp() });
    const recorded: Message[] = [...answer.notices];
    for (const text of answer.additionalContext) {
      recorded.push({
        type: "attachment",
        ...own(),
        attachment: { kind: "hook_context", event: "UserPromptSubmit", text },
      });
    }
    const why = answer.blocking[0] ?? answer.preventContinuation;
    if (why !== undefined) {
      const erased = this.conversation.messages.at(-1);
      if (erased !== undefined)
        recorded.push({ type: "tombstone", ...own(), targets: [erased.uuid], reason: "refusal" });
      recorded.push({
        type: "notice",
        ...own(),
        level: "warning",
        name: "prompt_blocked",
        text: `A hook blocked the prompt: ${why}`,
      });
    }
    for (const message of recorded) {
      this.conversation.append(message);
      const shown = toSDKMessage(message, context);
      if (shown !== null) yield shown;
    }
    return why === undefined ? null : { reason: "stop_hook_prevented" };
  }

  recordFacts(): void {
    const { store, tools } = this.#joined;
    const { transcript } = store;
    if (transcript === null) return;
    transcript.appendMeta("ledger", this.ledger.snapshot());
    if (tools.shared.todos.get().length > 0) transcript.appendMeta("todos", tools.shared.todos.get());
    transcript.appendMeta("read_file_state", tools.shared.readState.snapshot());
  }

  setModel(name: string): void {
    const { models, around, store } = this.#joined;
    this.model.current = models.catalog.resolveModel(name, around.env);
    store.transcript?.appendMeta("model", { model: this.model.current });
  }

  getPermissionMode(): PermissionMode {
    return this.#joined.permissions.getMode();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#joined.permissions.setMode(mode);
    this.#joined.store.transcript?.appendMeta("permission_mode", { mode });
  }

  debug(line: string): void {
    this.#joined.options.debug?.(line);
  }

  restart(): Promise<SessionParts> {
    return this.#joined.restart();
  }

  killNow(): void {
    this.#joined.tools.shared.background.killNow();
  }

  async close(hurry: boolean): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { hooks, tools, store, models, options } = this.#joined;
    const graceMs = options.headless === true && !hurry ? backgroundGraceMs : 0;
    await Promise.all([hooks.drain(hookDrainMs), tools.shared.background.dispose(graceMs)]);
    tools.cleanUp();
    store.transcript?.close();
    models.model.dispose();
  }
}
