/** The interface of a session's MCP servers for the rest of the session, without the code that runs them. */
import type { SDKMcpServersSet } from "../../protocol/sdk-control.ts";
import type { Attachment, ToolResultContent } from "../../protocol/message.ts";
import type { HostServer } from "../../mcp/hub.ts";
import type { McpServerStatus } from "../../protocol/mcp.ts";
import type { PermissionPort } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { TypedCommand } from "../intake/read-command.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import type { RunningServers } from "../surroundings/surroundings.ts";

/** Holds a session's servers: filled from the start, or once the host names some. */
export interface McpSlot {
  /** Absent if no server is configured. */
  desk: McpDesk | undefined;
  /** Opens a desk without servers if there is none yet. Rejects with a `SessionError` once the session is closed. */
  open(): Promise<McpDesk>;
  /** Prevents further starts. Ends the running servers unless another session takes this one's place. */
  close(isLast: boolean): Promise<void>;
}

/** Further methods for assembling a session. */
export interface McpRoom extends McpDesk {
  /** Returns why a person must be asked about this tool whatever allows it. `source`: the source of the rule that would allow it. */
  personOnlyReason(tool: string, source: string | null): string | undefined;
  /** Wraps a judge so that an allowed tool is remembered with its definition. */
  recordingApprovals(judge: PermissionPort): PermissionPort;
}

export interface McpDesk {
  readonly servers: RunningServers;
  /** Awaited before a user turn lists the tools: limited by the servers' own time limits, and given up if the turn is cancelled. */
  ready(signal: AbortSignal): Promise<void>;
  /** Returns the server prompt that the user's text starts with. */
  promptIn(text: string): TypedCommand | undefined;
  /** Fetches from the servers what the user's text names. `tellsUnknown`: also reports a prompt that no server has. */
  fetchTypedReferences(text: string, signal: AbortSignal, tellsUnknown?: boolean): Promise<ToolResultContent[]>;
  /** Whether a word that follows an at sign in the user's text is for a server's resources, and so no file. */
  isResourceReference(word: string): boolean;
  /** Returns what can be typed after a slash: the servers' prompts. */
  promptCommands(): SlashCommand[];
  /** Returns what has changed since the last call; new tools are offered from now on. */
  news(): Attachment[];
  /** After a compaction: returns what is said once about servers and is still true. */
  reattached(): ReattachItem[];
  statuses(): McpServerStatus[];
  /** Returns the server that a tool of this name would belong to, whether or not the server has it. */
  serverOfTool(tool: string): McpServerStatus | undefined;
  /** Closes the connection to a server, if there is one, and opens a new one. Throws if there is no such server. */
  reconnect(name: string): Promise<McpServerStatus>;
  /** Removes what logins under this server's name left, and reconnects without a login. Returns false if there was no login. */
  logOut(name: string): Promise<boolean>;
  /** Replaces the servers that the host has added while the session runs. */
  setHostServers(wanted: readonly HostServer[]): Promise<SDKMcpServersSet>;
  toggle(name: string, isEnabled: boolean): Promise<McpServerStatus>;
  /** Ends the servers if this session owns them. */
  end(): Promise<void>;
  killNow(): void;
}
