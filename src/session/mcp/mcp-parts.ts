/** Joins a session with its MCP servers; loads nothing of them if there are none. */
import { join } from "node:path";
import type { McpHub } from "../../mcp/hub.ts";
import { sessionSource } from "../../permissions/permissions.ts";
import type { AnswerElicitation, McpElicitationAnswer } from "../../protocol/mcp.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Message } from "../../protocol/message.ts";
import type { Tool } from "../../protocol/tool.ts";
import { adoptTool } from "../tools/adopt-tool.ts";
import type { EngineOptions } from "../options/options.ts";
import type { RunningServers, Surroundings } from "../surroundings/surroundings.ts";
import type { HookOccasions } from "../hooks/hook-occasions.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { McpRoom } from "./desk.ts";
import type { McpSession } from "./mcp-session.ts";
import { loadedTools, createAnnouncedTest } from "./known-before.ts";
import { findServers } from "./sources.ts";

export interface McpPartsOptions {
  options: EngineOptions;
  around: Surroundings;
  /** The servers of the session before a `/clear`, which keep running. */
  before: RunningServers | undefined;
  contextWindow: number;
  occasions: HookOccasions;
  /** Tools that must be neither offered nor called. */
  hides: (tool: string) => boolean;
  view: ToolsView;
  recorded: (tool: Tool) => Tool;
  /** The agent, which may have servers of its own. */
  agent: NamedAgent | undefined;
  /** The messages of the resumed conversation. */
  earlierMessages: readonly Message[];
  /** Names of tools that were loaded in the part that a summary replaces. */
  loadedBefore: readonly string[] | undefined;
}

/** A wait this long causes a notice, in ms. */
const waitNoticeAfterMs = 1_000;

const maxTypedChars = 100_000;

/** Starts the servers without waiting for them. Returns undefined if there are none, unless `isWanted` is set. */
export async function composeMcp(parts: McpPartsOptions & { isWanted?: true }): Promise<McpRoom | undefined> {
  const opened: McpHub[] = [];
  try {
    return await openRoom(parts, opened);
  } catch (error) {
    // Nobody else would end the servers of a session that fails to start.
    await Promise.all(opened.map((hub) => hub.close()));
    throw error;
  }
}

/** `openedHubs` collects the hubs it starts. */
async function openRoom(
  parts: McpPartsOptions & { isWanted?: true },
  openedHubs: McpHub[],
): Promise<McpRoom | undefined> {
  const { options, around } = parts;
  const { mcpServers: borrowed } = around;
  // Running servers were made by this module, in another session.
  const running = (parts.before ?? borrowed) as McpHub | undefined;
  const hub = running ?? (await openHubIfWanted(parts));
  if (hub !== undefined && running === undefined) openedHubs.push(hub);
  const isBorrowed = parts.before === undefined && borrowed !== undefined;
  const shared = hub === undefined ? undefined : await createMcpSession(hub, parts, isBorrowed);
  const asks = (parts.agent?.mcpServers?.length ?? 0) > 0;
  if (parts.agent === undefined || !asks) return shared;
  const { openAgentServers, TwoRooms } = await import("./agent-servers.ts");
  const ownHub = await openAgentServers(parts.agent, hub, options, around);
  if (ownHub === undefined) return shared;
  openedHubs.push(ownHub);
  const own = await createMcpSession(ownHub, parts, false);
  return shared === undefined ? own : new TwoRooms(own, shared);
}

async function createMcpSession(hub: McpHub, parts: McpPartsOptions, isBorrowed: boolean): Promise<McpSession> {
  const { options, around, view, recorded, agent } = parts;
  const [{ McpSession }, { Pins }, typed] = await Promise.all([
    import("./mcp-session.ts"),
    import("../../mcp/pins.ts"),
    import("../../mcp/typed-references.ts"),
  ]);
  const reader = hub.reader(parts.hides, {
    loadedTools: loadedTools(parts.earlierMessages, parts.loadedBefore),
    wasAnnounced: createAnnouncedTest(parts.earlierMessages),
  });
  if (!isBorrowed) {
    hub.elicit = (elicitation, signal) =>
      parts.occasions.answerElicitation(elicitation, elicitationAnswerer(options, around), signal);
    hub.onElicited = (completed) => parts.occasions.elicitationDone(completed, options.onElicitationComplete);
  }
  const pins = new Pins(join(around.pawlHome, "mcp-pins.json"), (line) => options.debug?.(line));
  return new McpSession({
    hub,
    reader,
    pins,
    view,
    typed,
    hides: parts.hides,
    isVerbatim: options.verbatimPrompts === true,
    maxTypedChars,
    isBorrowed,
    wrapTool: (tool) => recorded(adoptTool(tool)),
    // A person at a terminal types meanwhile; for everyone else, the first turn must have all tools. The requests of an earlier
    // conversation had their tools: without them, the server refuses its thinking blocks and finds nothing in its cache.
    waits: options.headless !== false || agent !== undefined || parts.earlierMessages.length > 0,
    ...(options.headless === false ? { onLongWait: startWaitNotice(hub, around) } : {}),
    isLasting: (source) => source !== sessionSource && !source.startsWith("--"),
  });
}

/** Tells a person which servers are waited for. Returns the function that cancels the notice. */
function startWaitNotice(hub: McpHub, { clock, notice }: Surroundings): () => () => void {
  return () =>
    clock.timer(waitNoticeAfterMs, () => {
      const names = hub.connections().flatMap(({ server, status }) => (status === "pending" ? [server.name] : []));
      if (names.length > 0)
        notice(
          `Waiting for MCP servers (${names.join(", ")}), at most MCP_TIMEOUT, so that the session continues with the tools it had.`,
        );
    });
}

async function openHubIfWanted(parts: McpPartsOptions & { isWanted?: true }): Promise<McpHub | undefined> {
  const { options, around, contextWindow, isWanted = false } = parts;
  const found = isWanted ? { servers: [], problems: [] } : await findServers(options, around);
  if (found.servers.length + found.problems.length === 0 && !isWanted) return undefined;
  const { openHub, missingServerText } = await import("./open-hub.ts");
  return await openHub(found, options, around, contextWindow, (missingServers) =>
    around.notice(missingServerText(missingServers)),
  );
}

/** Returns the host's answer; an invalid one declines. */
function elicitationAnswerer({ onElicitation }: EngineOptions, { ids }: Surroundings): AnswerElicitation | undefined {
  if (onElicitation === undefined) return undefined;
  return async (elicitation, signal) => {
    const answer: Partial<McpElicitationAnswer> | null = await onElicitation(elicitation, {
      signal,
      requestId: ids.uuid(),
    });
    const { action } = answer ?? {};
    if (action === "accept") return answer as McpElicitationAnswer;
    return { action: action === "cancel" ? "cancel" : "decline" };
  };
}
