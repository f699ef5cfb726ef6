/** `query()`: runs prompts and yields messages, in a session that it closes at the end and that can be controlled in the meantime. */
import { SessionError } from "../../lib/session-error.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { McpServerConfig, McpServerStatus } from "../../protocol/mcp.ts";
import type { ThinkingDisplay } from "../../protocol/model.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type {
  SDKAccountInfo,
  SDKAgentInfo,
  SDKBackgroundTask,
  SDKFileContents,
  SDKInitialization,
  SDKInterruptReceipt,
  SDKMcpResource,
  SDKMcpServersSet,
  SDKModelInfo,
  SDKPluginsReloaded,
} from "../../protocol/sdk-control.ts";
import { checkPrompts, checkQuery } from "../options/check-arguments.ts";
import { snapshotOptions } from "../options/snapshot-options.ts";
import type { RewindFilesOptions, RewindFilesResult } from "../files/rewind-types.ts";
import { createEngine } from "../compose.ts";
import type { ReadFileOptions, SessionDesk } from "../desk/desk.ts";
import type { QueryEngine } from "../engine.ts";
import { initializationOf } from "./initialization.ts";
import type { Signals } from "./query-prompt.ts";
import { QueryTurns } from "./query-turns.ts";
import { writableSources, type PromptInput, type Query, type QueryParams } from "./query-types.ts";

/**
 * Runs one prompt, or several one after another. Each prompt ends in one `result`, and so does the turn about background agents that
 * report after the last prompt. Throws `UsageError` if the session cannot start (no key, unknown session); every other failure is a
 * `result`. Aborting `options.abortController` ends the running prompt with its result and asks for no other.
 */
export function query(params: QueryParams): Query {
  return new RunningQuery(params);
}

/** The same, in a session that already exists. */
export function queryOf(engine: QueryEngine, params: QueryParams): Query {
  return new RunningQuery(params, Promise.resolve(engine));
}

class RunningQuery implements Query {
  readonly #params: QueryParams;
  readonly #messages: AsyncGenerator<SDKMessage, void>;
  readonly #signals: Signals;
  readonly #closing = new AbortController();
  #opening: Promise<QueryEngine> | undefined;
  readonly #turns: QueryTurns;
  /** The number of calls of `next` that have not received a message yet. */
  #pendingNextCalls = 0;

  constructor(params: QueryParams, opening?: Promise<QueryEngine>) {
    checkQuery(params);
    // The session is opened later, so the options are copied now: the caller may change its object meanwhile.
    this.#params = { prompt: params.prompt, options: snapshotOptions(params.options ?? {}) };
    this.#opening = opening;
    this.#signals = [this.#params.options?.abortController?.signal, this.#closing.signal];
    this.#turns = new QueryTurns(this.#params, this.#signals);
    this.#messages = this.#run();
  }

  async next(): Promise<IteratorResult<SDKMessage, void>> {
    this.#pendingNextCalls += 1;
    try {
      return await this.#messages.next();
    } finally {
      this.#pendingNextCalls -= 1;
    }
  }

  async return(): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    this.#turns.end();
    this.#closing.abort();
    // A pending `next` waits for the turn, so the turn has to end before the generator can return.
    const ended = this.#pendingNextCalls > 0 ? this.#dispose() : undefined;
    await this.#messages.return();
    await (ended ?? this.#dispose());
  }

  async interrupt(): Promise<SDKInterruptReceipt> {
    return { still_queued: await this.#turns.interrupt(() => this.#openEngine()) };
  }

  async setModel(model?: string): Promise<void> {
    await (await this.#openEngine()).desk.switchModel(model, this.#closing.signal);
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    (await this.#openEngine()).setPermissionMode(mode);
  }

  async setMaxThinkingTokens(tokens: number | null, display?: ThinkingDisplay | null): Promise<void> {
    (await this.#openEngine()).desk.setMaxThinkingTokens(tokens, display);
  }

  async initializationResult(): Promise<SDKInitialization> {
    const engine = await this.#openEngine();
    return initializationOf(engine, await engine.desk.reloadOutputStyles());
  }

  reinitialize(): Promise<SDKInitialization> {
    return this.initializationResult();
  }

  async supportedCommands(): Promise<SlashCommand[]> {
    return (await this.#openEngine()).supportedCommands();
  }

  async supportedModels(): Promise<SDKModelInfo[]> {
    return (await this.#openEngine()).desk.models();
  }

  async supportedAgents(): Promise<SDKAgentInfo[]> {
    return (await this.#openEngine()).desk.agents();
  }

  async mcpServerStatus(): Promise<ReturnType<SessionDesk["mcpServers"]>> {
    return (await this.#openEngine()).desk.mcpServers();
  }

  async reconnectMcpServer(name: string): Promise<void> {
    requireConnection(await (await this.#openEngine()).desk.reconnectMcpServer(name));
  }

  async toggleMcpServer(name: string, isEnabled: boolean): Promise<void> {
    const server = await (await this.#openEngine()).desk.toggleMcpServer(name, isEnabled);
    if (isEnabled) requireConnection(server);
  }

  async setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet> {
    return await (await this.#openEngine()).desk.setMcpServers(servers);
  }

  async applyFlagSettings(settings: object): Promise<void> {
    await (await this.#openEngine()).desk.applyFlagSettings(settings);
  }

  async updateSettings(source: "userSettings" | "localSettings", settings: object): Promise<void> {
    const scope = writableSources.get(source);
    if (scope === undefined) throw new UsageError("updateSettings only writes to userSettings or localSettings.");
    await (await this.#openEngine()).desk.updateSettings(scope, settings);
  }

  async reloadSkills(): Promise<{ skills: SlashCommand[] }> {
    return { skills: await (await this.#openEngine()).desk.reloadSkills() };
  }

  async reloadPlugins(): Promise<SDKPluginsReloaded> {
    return await (await this.#openEngine()).desk.reloadPlugins();
  }

  async reloadOutputStyles(): Promise<{ available_output_styles: string[] }> {
    return { available_output_styles: await (await this.#openEngine()).desk.reloadOutputStyles() };
  }

  async readMcpResource(server: string, uri: string): Promise<SDKMcpResource> {
    return await (await this.#openEngine()).desk.readMcpResource(server, uri);
  }

  async accountInfo(): Promise<SDKAccountInfo> {
    return (await this.#openEngine()).desk.account();
  }

  async getContextUsage(): Promise<ContextUsage> {
    return (await this.#openEngine()).getContextUsage();
  }

  async rewindFiles(userMessageUuid: string, options?: RewindFilesOptions): Promise<RewindFilesResult> {
    return await (await this.#openEngine()).rewindFiles(userMessageUuid, options);
  }

  async readFile(path: string, options?: ReadFileOptions): Promise<SDKFileContents | null> {
    const engine = await this.#openEngine();
    return await engine.desk.readFile(path, options).catch(() => null);
  }

  async seedReadState(path: string, mtimeMs: number): Promise<void> {
    await (await this.#openEngine()).desk.seedReadState(path, mtimeMs);
  }

  async stopTask(taskId: string): Promise<SDKBackgroundTask | undefined> {
    return await (await this.#openEngine()).desk.stopTask(taskId);
  }

  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    return await (await this.#openEngine()).desk.backgroundTasks(toolUseId);
  }

  async streamInput(prompts: AsyncIterable<PromptInput>): Promise<void> {
    this.#assertNotOver();
    checkPrompts("The argument of streamInput()", prompts);
    await this.#turns.add(prompts);
  }

  #assertNotOver(): void {
    if (this.#turns.isOver) throw new SessionError("session_closed", "This query is over: its session was closed.");
  }

  async #openEngine(): Promise<QueryEngine> {
    this.#assertNotOver();
    this.#opening ??= createEngine(this.#params.options ?? {});
    return await this.#opening;
  }

  async *#run(): AsyncGenerator<SDKMessage, void> {
    try {
      yield* this.#turns.run(await this.#openEngine());
    } finally {
      this.#turns.end();
      // The stream of a host that is still adding prompts is not waited for.
      this.#closing.abort();
      await this.#dispose();
    }
  }

  async #dispose(): Promise<void> {
    const engine = await this.#opening?.catch(() => undefined);
    await engine?.dispose();
  }
}

/** A caller that wanted a server would take a plain success for a connection. */
function requireConnection({ name, status, error = status }: McpServerStatus): void {
  if (status !== "connected")
    throw new SessionError("server_not_connected", `The MCP server ${name} is not connected: ${error}`);
}
