/** The MCP servers of one session: awaited once, reported at turn borders, and limited to what the user allowed. */
import type { SDKMcpServersSet } from "../../protocol/sdk-control.ts";
import type { McpServerStatus } from "../../protocol/mcp.ts";
import type { Attachment, ToolResultContent } from "../../protocol/message.ts";
import type { PermissionDecision, PermissionPort, PermissionRequest } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { HubReader, McpHub, HostServer } from "../../mcp/hub.ts";
import type * as TypedRoom from "../../mcp/typed-references.ts";
import type { Pins } from "../../mcp/pins.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { TypedCommand } from "../intake/read-command.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import type { McpRoom } from "./desk.ts";

/** The name of the reminders. */
const reminderName = "mcp";

export interface McpSessionOptions {
  hub: McpHub;
  reader: HubReader;
  pins: Pins;
  view: ToolsView;
  /** Wraps foreign tools for the session, with copies and records. */
  wrapTool: (tool: Tool) => Tool;
  /** Whether the first turn waits until each server has answered or failed. */
  waits: boolean;
  /** Called when the wait begins; the returned function is called when it ends. */
  onLongWait?: () => () => void;
  /** Prompts go to the model unchanged. */
  isVerbatim: boolean;
  /** Whether the model must not have this tool. */
  hides: (tool: string) => boolean;
  /** The most characters of a server's answer to the user's own text. */
  maxTypedChars: number;
  typed: Pick<typeof TypedRoom, "fetchReferences" | "isResourceReference" | "promptCommands" | "promptIn">;
  /** Another session started the servers and will end them. */
  isBorrowed: boolean;
  /** Whether a rule source outlives the session. */
  isLasting: (source: string) => boolean;
}

function reminder(text: string): Attachment {
  return { kind: "reminder", name: reminderName, text };
}

export class McpSession implements McpRoom {
  readonly servers: McpHub;
  readonly #options: McpSessionOptions;
  #news: Attachment[] = [];
  #hasWaited = false;

  constructor(options: McpSessionOptions) {
    this.servers = options.hub;
    this.#options = options;
  }

  async ready(signal: AbortSignal): Promise<void> {
    if (this.#options.waits && !this.#hasWaited) await this.#wait(signal);
    this.#offerTools();
  }

  promptIn(text: string): TypedCommand | undefined {
    const { isVerbatim, typed } = this.#options;
    return isVerbatim ? undefined : typed.promptIn(this.servers, text);
  }

  async fetchTypedReferences(text: string, signal: AbortSignal, reportsUnknown = true): Promise<ToolResultContent[]> {
    const { maxTypedChars: maxChars, isVerbatim, typed, hides: isHidden } = this.#options;
    if (isVerbatim) return [];
    const context = { servers: this.servers, isHidden, maxChars, reportsUnknown };
    return await typed.fetchReferences(context, text, signal);
  }

  isResourceReference(word: string): boolean {
    const { isVerbatim, typed } = this.#options;
    return !isVerbatim && typed.isResourceReference(this.servers, word);
  }

  /** A cancelled wait does not count as a wait. */
  async #wait(signal: AbortSignal): Promise<void> {
    const ended = this.#options.onLongWait?.();
    try {
      await this.servers.whenSettled(signal);
      this.#hasWaited = true;
    } catch {
      return;
    } finally {
      ended?.();
    }
  }

  promptCommands(): SlashCommand[] {
    const { isVerbatim, typed } = this.#options;
    return isVerbatim ? [] : typed.promptCommands(this.servers);
  }

  news(): Attachment[] {
    this.#offerTools();
    return this.#news.splice(0);
  }

  reattached(): ReattachItem[] {
    const coming = new Set(this.#news.map((news) => (news.kind === "reminder" ? news.text : "")));
    const texts = this.#options.reader.standingNotices().filter((text) => !coming.has(text));
    return texts.map((text) => ({ label: "what MCP servers say of themselves", name: reminderName, text }));
  }

  #offerTools(): void {
    const { reader, view, wrapTool, pins } = this.#options;
    const { offered, callable, news } = reader.takeChanges();
    view.makeCallable(callable.map(wrapTool));
    view.offer(offered.map(wrapTool));
    for (const { name } of [...offered, ...callable]) {
      const entry = reader.entry(name);
      if (entry !== undefined) pins.noteFirstSeen(entry);
    }
    this.#addNews(news);
  }

  #addNews(texts: readonly string[]): void {
    this.#news.push(...texts.map(reminder));
  }

  async end(): Promise<void> {
    if (!this.#options.isBorrowed) await this.servers.close();
  }

  killNow(): void {
    if (!this.#options.isBorrowed) this.servers.killNow();
  }

  reconnect(name: string): Promise<McpServerStatus> {
    return this.servers.reconnect(name);
  }

  logOut(name: string): Promise<boolean> {
    return this.servers.logOut(name);
  }

  setHostServers(wanted: readonly HostServer[]): Promise<SDKMcpServersSet> {
    return this.servers.setHostServers(wanted);
  }

  toggle(name: string, isEnabled: boolean): Promise<McpServerStatus> {
    return this.servers.toggle(name, isEnabled);
  }

  statuses(): McpServerStatus[] {
    return this.servers.statuses();
  }

  serverOfTool(tool: string): McpServerStatus | undefined {
    return this.servers.serverOfTool(tool);
  }

  personOnlyReason(tool: string, source: string | null): string | undefined {
    const { reader, pins, isLasting } = this.#options;
    const entry = reader.entry(tool);
    if (entry?.definition === undefined) return undefined;
    const { definition, connection } = entry;
    if (source === null && connection.server.policies?.get(definition.name) === "ask")
      return "its server's owner wants a person to be asked each time";
    if (source === null) return definition.asksAlways ? "its server wants a person to be asked each time" : undefined;
    if (!pins.hasChanged(entry, isLasting(source))) return undefined;
    return `the MCP server ${entry.connection.server.name} describes this tool differently than when it was allowed`;
  }

  recordingApprovals(judge: PermissionPort): PermissionPort {
    return {
      decide: (request, signal) => {
        const decision = judge.decide(request, signal);
        if (!(decision instanceof Promise)) return this.#rememberApproval(request, decision);
        return decision.then((late) => this.#rememberApproval(request, late));
      },
    };
  }

  #rememberApproval({ toolName }: PermissionRequest, decision: PermissionDecision): PermissionDecision {
    const { reader, pins, isLasting } = this.#options;
    const entry = decision.behavior === "allow" ? reader.entry(toolName) : undefined;
    if (entry === undefined) return decision;
    const { reason } = decision;
    if (reason.type === "user") pins.accept(entry);
    else if (reason.type === "rule" && isLasting(reason.source)) pins.pinIfMissing(entry);
    return decision;
  }
}
