/** Joins a session with its MCP servers; nothing of them is loaded where there are none. */
import { join } from "node:path";
import type { McpHub } from "../../mcp/hub.ts";
import { sessionSource } from "../../permissions/permissions.ts";
import type { AnswerElicitation, McpElicitationAnswer } from "../../protocol/mcp.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Message } from "../../protocol/message.ts";
import type { Tool } from "../../protocol/tool.ts";
import { adopted } from "../tools/custom-tool.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { HookOccasions } from "../hooks/hook-occasions.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { McpRoom, RunningServers } from "./desk.ts";
import type { McpSession } from "./mcp-session.ts";
import { loadedTools, toldOf } from "./known-before.ts";
import { findServers } from "./sources.ts";

export interface McpPartsOptions {
  options: EngineOptions;
  around: Surroundings;
  /** Of the session before a `/clear`: its servers go on. */
  before: RunningServers | undefined;
  contextWindow: number;
  occasions: HookOccasions;
  /** Not to be offered, nor called. */
  hides: (tool: string) => boolean;
  view: ToolsView;
  recorded: (tool: Tool) => Tool;
  /** May have servers of its own. */
  agent: NamedAgent | undefined;
  /** Of the conversation that goes on. */
  past: readonly Message[];
  /** Names of tools that were loaded before what a summary stands for. */
  loadedBefore: readonly string[] | undefined;
}

/** A wait of this length is told, ms. */
const toldAfterMs = 1_000;

const maxTypedChars = 100_000;

/** Starts the servers, and waits for none. Undefined where there are none, but where `isWanted` all the same. */
export async function composeMcp(parts: McpPartsOptions & { isWanted?: true }): Promise<McpRoom | undefined> {
  const opened: McpHub[] = [];
  try {
    return await roomOf(parts, opened);
  } catch (error) {
    // Nobody else would end what was started for a session that cannot be.
    await Promise.all(opened.map((hub) => hub.close()));
    throw error;
  }
}

/** `opened` gets what it starts. */
async function roomOf(parts: McpPartsOptions & { isWanted?: true }, opened: McpHub[]): Promise<McpRoom | undefined> {
  const { options, around } = parts;
  const { mcpServers: borrowed } = around;
  // What runs was made below, in another session.
  const running = (parts.before ?? borrowed) as McpHub | undefined;
  const hub = running ?? (await openedHub(parts));
  if (hub !== undefined && running === undefined) opened.push(hub);
  const isBorrowed = parts.before === undefined && borrowed !== undefined;
  const shared = hub === undefined ? undefined : await sessionOf(hub, parts, isBorrowed);
  const asks = (parts.agent?.mcpServers?.length ?? 0) > 0;
  if (parts.agent === undefined || !asks) return shared;
  const { openAgentServers, TwoRooms } = await import("./agent-servers.ts");
  const ownHub = await openAgentServers(parts.agent, hub, options, around);
  if (ownHub === undefined) return shared;
  opened.push(ownHub);
  const own = await sessionOf(ownHub, parts, false);
  return shared === undefined ? own : new TwoRooms(own, shared);
}

async function sessionOf(hub: McpHub, parts: McpPartsOptions, isBorrowed: boolean): Promise<McpSession> {
  const { options, around, view, recorded, agent } = parts;
  const [{ McpSession }, { Pins }, typed] = await Promise.all([
    import("./mcp-session.ts"),
    import("../../mcp/pins.ts"),
    import("../../mcp/typed.ts"),
  ]);
  const reader = hub.reader(parts.hides, {
    loaded: loadedTools(parts.past, parts.loadedBefore),
    wasTold: toldOf(parts.past),
  });
  if (!isBorrowed) {
    hub.elicit = (asked, signal) => parts.occasions.elicited(asked, answerOf(options, around), signal);
    hub.onElicited = (done) => parts.occasions.elicitationDone(done, options.onElicitationComplete);
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
    taken: (tool) => recorded(adopted(tool)),
    // A person at a terminal types meanwhile; everybody else's first turn is to have what was asked for. An earlier conversation's
    // requests had their tools: without them what it thought is refused, and nothing of it found in the cache.
    waits: options.headless !== false || agent !== undefined || parts.past.length > 0,
    ...(options.headless === false ? { onLongWait: longWait(hub, around) } : {}),
    isLasting: (source) => source !== sessionSource && !source.startsWith("--"),
  });
}

/** A person sees what is waited for. Answers what calls it off. */
function longWait(hub: McpHub, { clock, notice }: Surroundings): () => () => void {
  return () =>
    clock.timer(toldAfterMs, () => {
      const names = hub.connections().flatMap(({ server, status }) => (status === "pending" ? [server.name] : []));
      if (names.length > 0)
        notice(
          `Waiting for ${names.join(", ")} of the MCP servers, at most MCP_TIMEOUT: the session goes on with the tools it had.`,
        );
    });
}

async function openedHub(parts: McpPartsOptions & { isWanted?: true }): Promise<McpHub | undefined> {
  const { options, around, contextWindow, isWanted = false } = parts;
  const none = { servers: [], problems: [] };
  const found = isWanted ? none : ((await findServers(options, around)) ?? none);
  if (found.servers.length + found.problems.length === 0 && !isWanted) return undefined;
  const { openHub, missingText } = await import("./open-hub.ts");
  return await openHub(found, options, around, contextWindow, (missing) => around.notice(missingText(missing)));
}

/** How the host answers; what it says that is no answer declines. */
function answerOf({ onElicitation }: EngineOptions, { ids }: Surroundings): AnswerElicitation | undefined {
  if (onElicitation === undefined) return undefined;
  return async (asked, signal) => {
    const answer: Partial<McpElicitationAnswer> | null = await onElicitation(asked, { signal, requestId: ids.uuid() });
    const { action } = answer ?? {};
    if (action === "accept") return answer as McpElicitationAnswer;
    return { action: action === "cancel" ? "cancel" : "decline" };
  };
}
