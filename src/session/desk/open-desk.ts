/** The desk of a running session. Parts that are rarely used are loaded on demand. */
import { SessionError } from "../../lib/session-error.ts";
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { ThinkingDisplay } from "../../protocol/model.ts";
import type { McpServerConfig, McpServerStatus } from "../../protocol/mcp.ts";
import type { ToolInput } from "../../protocol/tool.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type {
  SDKAccountInfo,
  SDKActiveGoal,
  SDKAgentInfo,
  SDKBackgroundTask,
  SDKFileContents,
  SDKHooksListing,
  SDKMcpCallResult,
  SDKMcpResource,
  SDKMcpServersSet,
  SDKModelInfo,
  SDKPermissionRules,
  SDKPluginsReloaded,
  SDKSettingsReport,
  SDKTaskOutput,
} from "../../protocol/sdk-control.ts";
import { checkFunction, checkObject, checkOptionalTexts, checkSignal, checkTexts } from "../options/check-arguments.ts";
import type { Choices } from "../choices.ts";
import type { FolderSource } from "./add-folder.ts";
import { openedContextUsage, sessionContextUsage } from "./context-usage.ts";
import { keySource } from "../surroundings/credentials.ts";
import { agentList, goalReport, pluginList } from "./desk-lists.ts";
import { onTaskEnd, stopTask, taskList } from "./desk-tasks.ts";
import type { ReadFileOptions, SessionDesk, StatusLinePlace, OwnCommandResult } from "./desk.ts";
import type { Joined } from "../joined.ts";
import type { McpDesk } from "../mcp/desk.ts";
import { requireOpen } from "../session-errors.ts";
import { isBareSession } from "../options/variables.ts";
import { modelList } from "./model-list.ts";
import { setMaxThinkingTokens } from "./thinking-tokens.ts";

/** The most time a tool may take when a host calls it. */
const toolCallLimitMs = 120_000;

export class OpenDesk implements SessionDesk {
  readonly #joined: Joined;
  readonly #firstThinking: Joined["models"]["wishes"]["thinking"];
  readonly #choices: Choices;
  /** Folders that were added or registered. */
  #addedFolders: readonly string[] = [];

  constructor(joined: Joined, choices: Choices) {
    this.#joined = joined;
    this.#choices = choices;
    this.#firstThinking = joined.models.wishes.thinking;
  }

  get title(): string | undefined {
    return this.#choices.title;
  }

  setTitle(title: string): void {
    checkTexts({ title });
    const failure = this.#choices.setTitle(title);
    if (failure !== null) throw new SessionError("not_recorded", failure.message);
  }

  get firstModel(): string {
    return this.#joined.models.id;
  }

  async switchModel(name: string | undefined, signal: AbortSignal = new AbortController().signal): Promise<void> {
    checkTexts({ model: name ?? this.firstModel });
    checkSignal(signal);
    const { switchForHost } = await import("../model/model-switch.ts");
    const places = { choices: this.#choices, contextUsage: () => openedContextUsage(requireOpen(this.#joined)) };
    await switchForHost(requireOpen(this.#joined), places, name, signal);
  }

  get theme(): SessionDesk["theme"] {
    return this.#joined.around.settings.theme;
  }

  get statusLine(): SessionDesk["statusLine"] {
    return isBareSession(this.#joined.around.env) ? undefined : this.#joined.around.settings.statusLine;
  }

  async statusLineText(place: StatusLinePlace, signal: AbortSignal = new AbortController().signal): Promise<string> {
    checkObject("place", place);
    checkSignal(signal);
    const { statusLineText } = await import("./status-line.ts");
    return await statusLineText(this.#joined, this, place, signal);
  }

  plugins(): { name: string; path: string; version?: string }[] {
    return pluginList(this.#joined);
  }

  get outputStyle(): string {
    return this.#joined.style?.name ?? "default";
  }

  models(): SDKModelInfo[] {
    return modelList(this.#joined);
  }

  agents(): SDKAgentInfo[] {
    return agentList(this.#joined);
  }

  async reloadSkills(): Promise<SlashCommand[]> {
    const { reloadSkills } = await import("../knowledge/reload-skills.ts");
    return await reloadSkills(requireOpen(this.#joined));
  }

  async reloadPlugins(): Promise<SDKPluginsReloaded> {
    const { reloadPlugins } = await import("./reload-plugins.ts");
    return await reloadPlugins(requireOpen(this.#joined), this);
  }

  async reloadOutputStyles(): Promise<string[]> {
    const { styleNames } = await import("../knowledge/style.ts");
    return await styleNames(this.#joined);
  }

  async registerRepoRoot(directory: string, reload: { instructions: boolean }): Promise<void> {
    checkTexts({ directory });
    checkObject("reload", reload);
    const { instructions } = reload;
    const root = await this.#addFolder(directory, "register_repo_root");
    if (instructions) this.#joined.memory.noteRead(`${root}/CLAUDE.md`);
  }

  async addDirectory(directory: string): Promise<string> {
    checkTexts({ directory });
    return await this.#addFolder(directory, "slash_command");
  }

  async #addFolder(directory: string, source: FolderSource): Promise<string> {
    const { addFolder } = await import("./add-folder.ts");
    const folder = addFolder(requireOpen(this.#joined), directory, source, this.#addedFolders);
    this.#addedFolders = [...this.#addedFolders, folder];
    if (source === "slash_command") await this.reloadSkills();
    return folder;
  }

  async callMcpTool(tool: string, input: ToolInput, signal?: AbortSignal): Promise<SDKMcpCallResult> {
    checkTexts({ tool });
    checkObject("input", input);
    checkSignal(signal);
    const { callServerTool } = await import("./desk-servers.ts");
    return await callServerTool(this.#joined, { tool, input, signal: signal ?? AbortSignal.timeout(toolCallLimitMs) });
  }

  async readMcpResource(server: string, uri: string): Promise<SDKMcpResource> {
    checkTexts({ server, uri });
    const { readServerResource } = await import("./desk-servers.ts");
    return await readServerResource(requireOpen(this.#joined), server, uri);
  }

  async runCommand(
    command: string,
    signal: AbortSignal = new AbortController().signal,
    onOutput: (text: string) => void = () => undefined,
  ): Promise<OwnCommandResult> {
    checkTexts({ command });
    checkSignal(signal);
    const { runOwnCommand } = await import("./own-command.ts");
    return await runOwnCommand(this.#joined, command, { signal, onOutput });
  }

  account(): SDKAccountInfo {
    const { env, settings } = this.#joined.around;
    const source = keySource(env, settings);
    return { ...(source === undefined ? {} : { apiKeySource: source }), apiProvider: "firstParty" };
  }

  mcpServers(): McpServerStatus[] {
    return this.#joined.mcp.desk?.statuses() ?? [];
  }

  async reconnectMcpServer(name: string): Promise<McpServerStatus> {
    return await this.#mcpDesk(name).reconnect(name);
  }

  async toggleMcpServer(name: string, isEnabled: boolean): Promise<McpServerStatus> {
    return await this.#mcpDesk(name).toggle(name, isEnabled);
  }

  async setMcpServers(servers: Record<string, McpServerConfig>): Promise<SDKMcpServersSet> {
    checkObject("servers", servers);
    const { setMcpServers } = await import("./set-servers.ts");
    return await setMcpServers(this.#joined, servers);
  }

  async promptToolProblem(signal: AbortSignal = new AbortController().signal): Promise<string | undefined> {
    checkSignal(signal);
    const { promptToolProblem } = await import("./prompt-tool-problem.ts");
    return await promptToolProblem(this.#joined, signal);
  }

  #mcpDesk(name: string): McpDesk {
    checkTexts({ name });
    const { desk } = requireOpen(this.#joined).mcp;
    if (desk === undefined) throw new SessionError("no_such_server", `There is no MCP server ${name}.`);
    return desk;
  }

  contextUsage(): ContextUsage {
    return sessionContextUsage(this.#joined, this.#joined.conversation.messages);
  }

  setMaxThinkingTokens(tokens: number | null | undefined, display?: ThinkingDisplay | null): void {
    const { wishes } = requireOpen(this.#joined).models;
    setMaxThinkingTokens(wishes, { tokens, display, first: this.#firstThinking });
  }

  async settings(): Promise<SDKSettingsReport> {
    const { settingsReport } = await import("./desk-reports.ts");
    return settingsReport(this.#joined);
  }

  async applyFlagSettings(settings: object): Promise<void> {
    checkObject("settings", settings);
    const { applyFlagSettings } = await import("./host-settings.ts");
    applyFlagSettings(requireOpen(this.#joined), this.#choices, settings);
  }

  async updateSettings(scope: "user" | "local", settings: object): Promise<void> {
    checkObject("settings", settings);
    const { updateSettings } = await import("./host-settings.ts");
    await updateSettings(requireOpen(this.#joined), scope, settings);
  }

  async permissionRules(): Promise<SDKPermissionRules> {
    const { permissionReport } = await import("./desk-reports.ts");
    await this.#joined.around.live?.applyAtCall(new AbortController().signal);
    return permissionReport(this.#joined, this.#addedFolders);
  }

  async hooks(): Promise<SDKHooksListing> {
    const { hooksReport } = await import("./desk-reports.ts");
    return hooksReport(this.#joined);
  }

  tasks(): SDKBackgroundTask[] {
    return taskList(this.#joined);
  }

  goal(): SDKActiveGoal | null {
    return goalReport(this.#joined.goals);
  }

  onTaskEnd(listener: (message: SDKTaskNotification) => void): () => void {
    checkFunction("listener", listener);
    return onTaskEnd(this.#joined, listener);
  }

  async stopTask(id: string): Promise<SDKBackgroundTask | undefined> {
    checkTexts({ id });
    return await stopTask(this.#joined, id);
  }

  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    checkOptionalTexts({ toolUseId });
    return this.#joined.tools.shared.background.foreground.move(toolUseId) > 0 || toolUseId === undefined;
  }

  async taskOutput(id: string): Promise<SDKTaskOutput | undefined> {
    checkTexts({ id });
    const task = this.#joined.tools.shared.background.get(id);
    if (task === undefined) return undefined;
    const { outputTail } = await import("./desk-files.ts");
    return outputTail(task.outputPath, task.outputBytes);
  }

  async readFile(path: string, options: ReadFileOptions = {}): Promise<SDKFileContents> {
    checkTexts({ path });
    checkObject("options", options);
    const { readForHost } = await import("./desk-files.ts");
    return await readForHost(this.#joined, path, options);
  }

  async suggestFiles(query: string): Promise<string[]> {
    checkTexts({ query });
    const { suggestFiles } = await import("./desk-files.ts");
    return await suggestFiles(this.#joined, query);
  }

  async completePath(begun: string, signal?: AbortSignal): Promise<string[]> {
    checkTexts({ begun });
    checkSignal(signal);
    const { completePath } = await import("./complete-path.ts");
    return await completePath(this.#joined, begun, signal ?? AbortSignal.timeout(toolCallLimitMs));
  }

  async seedReadState(path: string, mtimeMs: number): Promise<void> {
    checkTexts({ path });
    const { seedReadState } = await import("./desk-files.ts");
    seedReadState(requireOpen(this.#joined), path, mtimeMs);
  }
}
