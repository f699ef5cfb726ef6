/** What the rest of a session sees of its MCP servers: nothing of the room that runs them. */
import type { SDKMcpServersSet } from "../../protocol/sdk-control.ts";
import type { Attachment } from "../../protocol/message.ts";
import type { OwnServer } from "../../mcp/hub.ts";
import type { McpServerStatus } from "../../protocol/mcp.ts";
import type { PermissionPort } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { GivenCommand } from "../commands/read-command.ts";
import type { ReattachItem } from "../context/reattach.ts";

/** Servers that run; they may outlive the session that started them. */
export interface RunningServers {
  close(): Promise<void>;
  killNow(): void;
}

/** The place of a session's servers: there from the start, or once the host names some. */
export interface McpSlot {
  /** Absent where no server is configured. */
  desk: McpDesk | undefined;
  /** Without any server, where none was there. Rejects with a `SessionError` once the session is closed. */
  open(): Promise<McpDesk>;
  /** None is begun from here any more; those there are end where no other session takes this one's place. */
  close(isLast: boolean): Promise<void>;
}

/** What else the joining of a session asks of them. */
export interface McpRoom extends McpDesk {
  /** Why a person must be asked about this tool whatever allows it; `source` is that of the rule that would allow it. */
  concern(tool: string, source: string | null): string | undefined;
  /** The same judge; what was allowed is remembered by its definition. */
  guarding(judge: PermissionPort): PermissionPort;
}

export interface McpDesk {
  readonly servers: RunningServers;
  /** Before a user turn says what there is: bounded by the servers' own limits, and left where the turn is cancelled. */
  ready(signal: AbortSignal): Promise<void>;
  /** The prompt of a server that the user's words begin. */
  promptIn(text: string): GivenCommand | undefined;
  /** Has the servers say what the user's words name of them. `tellsUnknown`: a prompt that none has is told of, too. */
  typed(text: string, signal: AbortSignal, tellsUnknown?: boolean): Promise<Attachment[]>;
  /** What can be typed after a slash: the servers' prompts. */
  promptCommands(): SlashCommand[];
  /** What has changed since it was last asked; the tools that came are on offer from now on. */
  news(): Attachment[];
  /** After a compaction: what is told once of servers, and holds still. */
  reattached(): ReattachItem[];
  statuses(): McpServerStatus[];
  /** Ends a server's connection, if there is one, and makes a new one. Throws where there is no such server. */
  reconnect(name: string): Promise<McpServerStatus>;
  /** Takes out what logins under this server's name left, and has it connected anew without. False where there was none. */
  logOut(name: string): Promise<boolean>;
  /** Has the servers that the host named while the session runs be these. */
  setOwn(wanted: readonly OwnServer[]): Promise<SDKMcpServersSet>;
  toggle(name: string, isEnabled: boolean): Promise<McpServerStatus>;
  /** Ends the servers, where this session is their owner. */
  end(): Promise<void>;
  killNow(): void;
}
