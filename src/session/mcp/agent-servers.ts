/** Servers of a single agent: started with it under the same rules as all others, and ended with it. */
import type { SDKMcpServersSet } from "../../protocol/sdk-control.ts";
import { plainKey } from "../../lib/plain-key.ts";
import type { ReadConfig } from "../../mcp/config.ts";
import type { McpHub, HostServer } from "../../mcp/hub.ts";
import type { Server } from "../../mcp/server.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { McpScope, McpServerStatus } from "../../protocol/mcp.ts";
import type { Attachment, ToolResultContent } from "../../protocol/message.ts";
import type { PermissionPort } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { TypedCommand } from "../intake/read-command.ts";
import type { EngineOptions } from "../options/options.ts";
import type { RunningServers, Surroundings } from "../surroundings/surroundings.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import type { McpRoom } from "./desk.ts";
import { hugeContextWindow, missingServerText, openHub } from "./open-hub.ts";

const scopes = {
  "built-in": "policy",
  option: "sdk",
  policy: "policy",
  project: "project",
  user: "user",
  plugin: "project",
} as const satisfies Record<NamedAgent["source"], McpScope>;

/** Returns undefined if the agent has no servers. `shared`: the session's servers, which take precedence for a name in both. */
export async function openAgentServers(
  agent: NamedAgent,
  shared: McpHub | undefined,
  options: EngineOptions,
  around: Surroundings,
): Promise<McpHub | undefined> {
  const { readServers } = await import("../../mcp/config.ts");
  const { mcpServers = [], name, path, source } = agent;
  const known = shared?.statuses().map((each) => each.name) ?? [];
  const keys = new Set(known.map(plainKey));
  const tell = (text: string): void => around.notice(`The agent ${name} ${text}`);
  for (const each of mcpServers)
    if (typeof each === "string" && !known.includes(each))
      tell(`asks for the MCP server ${each}, which is not configured.`);
  if (options.strictMcpConfig === true && source !== "option") return undefined;
  const found: ReadConfig = { servers: [], problems: [] };
  const env = { ...around.env, CLAUDE_PROJECT_DIR: around.cwd };
  const place = { name: path ?? `agents.${name}`, scope: scopes[source], folder: around.cwd, env };
  for (const each of mcpServers) {
    if (typeof each === "string") continue;
    const { servers, problems } = readServers(each, place);
    // A rule for the session's server must not apply to another server.
    for (const server of servers)
      if (source === "project" && startsInOtherFolder(server))
        found.problems.push({ source: place.name, scope: place.scope, server: server.name, why: cwdRefusal });
      else if (!keys.has(plainKey(server.name))) found.servers.push({ ...server, providedBy: "agent" });
      else tell(`brings an MCP server ${server.name}; that of the session is used.`);
    found.problems.push(...problems);
  }
  if (found.servers.length + found.problems.length === 0) return undefined;
  return await openHub(found, options, around, hugeContextWindow, (missingServers) =>
    around.notice(missingServerText(missingServers)),
  );
}

/** Trust in a folder covers the programs that its agents' files name, relative to the folder itself. */
const cwdRefusal = 'the "cwd" of a server only counts in agent files of your own, not in those of a folder';

function startsInOtherFolder(server: Server): boolean {
  return server.type === "stdio" && server.startsIn !== server.cwd;
}

/** Combines the agent's servers with the session's. For a tool name in both, such as the tool for resources, the session's is used. */
export class TwoRooms implements McpRoom {
  readonly #own: McpRoom;
  readonly #shared: McpRoom;

  constructor(ownRoom: McpRoom, shared: McpRoom) {
    this.#own = ownRoom;
    this.#shared = shared;
  }

  /** The servers that agents below this one get: not its own. */
  get servers(): RunningServers {
    return this.#shared.servers;
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.#own.ready(signal);
    await this.#shared.ready(signal);
  }

  promptIn(text: string): TypedCommand | undefined {
    return this.#own.promptIn(text) ?? this.#shared.promptIn(text);
  }

  async fetchTypedReferences(text: string, signal: AbortSignal): Promise<ToolResultContent[]> {
    const isOwn = this.#own.promptIn(text) !== undefined;
    const ownParagraphs = await this.#own.fetchTypedReferences(text, signal, false);
    return [...ownParagraphs, ...(await this.#shared.fetchTypedReferences(text, signal, !isOwn))];
  }

  isResourceReference(word: string): boolean {
    return this.#own.isResourceReference(word) || this.#shared.isResourceReference(word);
  }

  promptCommands(): SlashCommand[] {
    return [...this.#own.promptCommands(), ...this.#shared.promptCommands()];
  }

  news(): Attachment[] {
    return [...this.#own.news(), ...this.#shared.news()];
  }

  reattached(): ReattachItem[] {
    return [...this.#own.reattached(), ...this.#shared.reattached()];
  }

  statuses(): McpServerStatus[] {
    return [...this.#own.statuses(), ...this.#shared.statuses()];
  }

  serverOfTool(tool: string): McpServerStatus | undefined {
    return this.#own.serverOfTool(tool) ?? this.#shared.serverOfTool(tool);
  }

  reconnect(name: string): Promise<McpServerStatus> {
    return this.#roomOf(name).reconnect(name);
  }

  logOut(name: string): Promise<boolean> {
    return this.#roomOf(name).logOut(name);
  }

  setHostServers(wanted: readonly HostServer[]): Promise<SDKMcpServersSet> {
    return this.#shared.setHostServers(wanted);
  }

  toggle(name: string, isEnabled: boolean): Promise<McpServerStatus> {
    return this.#roomOf(name).toggle(name, isEnabled);
  }

  #roomOf(name: string): McpRoom {
    return this.#own.statuses().some((each) => each.name === name) ? this.#own : this.#shared;
  }

  async end(): Promise<void> {
    await Promise.all([this.#own.end(), this.#shared.end()]);
  }

  killNow(): void {
    this.#own.killNow();
    this.#shared.killNow();
  }

  personOnlyReason(tool: string, source: string | null): string | undefined {
    return this.#own.personOnlyReason(tool, source) ?? this.#shared.personOnlyReason(tool, source);
  }

  recordingApprovals(judge: PermissionPort): PermissionPort {
    return this.#own.recordingApprovals(this.#shared.recordingApprovals(judge));
  }
}
