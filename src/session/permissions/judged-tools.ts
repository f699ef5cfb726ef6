/** The tools that the permission rules leave to the model: built-in ones now, those of MCP servers as they connect. */
import { Validator } from "@cfworker/json-schema";
import { loadAhead, loadOnce } from "../../lib/load-once.ts";
import { definitionAllows, mayUseTool } from "../agents/rights.ts";
import type { DescribedRule } from "../../permissions/rules/rule.ts";
import { loadJudge } from "../../permissions/load-judge.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { PermissionPort, PermissionRequest } from "../../protocol/permission.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { McpRoom, McpSlot } from "../mcp/desk.ts";
import type { RunningServers } from "../surroundings/surroundings.ts";
import { composeMcp, type McpPartsOptions } from "../mcp/mcp-parts.ts";
import type { ModelParts } from "../model/model-parts.ts";
import { sessionErrors } from "../session-errors.ts";
import type { EngineOptions } from "../options/options.ts";
import type { OrphanedCall } from "./orphan.ts";
import type { ClassifierInputs } from "./classifier-parts.ts";
import { composePermissions, type Concerns, type PermissionPartsOptions } from "./permission-parts.ts";
import type { Store } from "../store/store-shape.ts";
import { loadBashAhead } from "../../tools/bash.ts";
import { withDebugLines } from "../tools/debug-lines.ts";
import { withStartRecord, type ToolParts } from "../tools/tool-parts.ts";
import { createToolsPort, type ToolsView } from "../tools/tools-port.ts";

export interface JudgedTools {
  permissions: Permissions;
  /** The permissions, extended with what remembers decisions and watches changes. */
  permission: PermissionPort;
  orphan: OrphanedCall | null;
  view: ToolsView;
  mcp: McpSlot;
}

/** `before`: the servers of the session that this one replaces. */
export async function composeJudgedTools(
  parts: Omit<PermissionPartsOptions, "concerns" | "judge"> & Omit<ClassifierInputs, "models">,
  models: ModelParts,
  grantedRules: readonly DescribedRule[],
  before: RunningServers | undefined,
): Promise<JudgedTools> {
  const { options, around, store, tools, agentRun, leader, occasions } = parts;
  const concerns: Concerns = {};
  const judged = composePermissions({ ...parts, concerns, judge: { ...parts, models } });
  const { permissions } = judged;
  for (const { rule, behavior } of grantedRules) permissions.addSessionRule(rule, behavior);
  const recorded = createCallRecorder(parts);
  const removed = permissions.removedTools(tools.tools.map((tool) => tool.name));
  const view = offeredTools(tools, removed, recorded, options);
  concerns.findTool = (name) => view.find(name);
  const { contextWindow } = models.catalog.info(models.id);
  const hides = (name: string): boolean =>
    permissions.removedTools([name]).length > 0 ||
    (agentRun !== undefined && !mayUseTool(agentRun.definition, name)) ||
    (leader !== undefined && !definitionAllows(leader, name));
  const watched = around.live?.withCurrentSettings(permissions) ?? permissions;
  let judge = watched;
  const attach = (session: McpRoom): McpRoom => {
    concerns.personOnlyReason = (tool, source) => session.personOnlyReason(tool, source);
    judge = session.recordingApprovals(watched);
    return session;
  };
  const agent = agentRun?.definition ?? leader;
  const { messages: earlierMessages, restored } = store;
  const baseParts = { options, around, before, contextWindow, occasions, hides, view, recorded, agent };
  const mcpParts = { ...baseParts, earlierMessages, loadedBefore: restored.loadedTools };
  const mcp = createMcpSlot(mcpParts, attach);
  const found = await composeMcp(mcpParts);
  if (found !== undefined) mcp.desk = attach(found);
  const permission: PermissionPort = {
    decide(request, signal) {
      // Agents change files too, although the Agent call itself counts as read-only.
      if (!request.isReadOnly || request.toolName === "Agent") tools.mayHaveActed = true;
      return judge.decide(nameCompletingTools.has(request.toolName) ? completeNames(request, view) : request, signal);
    },
  };
  return { ...judged, permission, view, mcp };
}

const nameCompletingTools: ReadonlySet<string> = new Set(["Agent", "Skill"]);

/** Completes the names in a call before rules are matched, so that a name in another case, or one left out, still matches its rule. */
function completeNames(request: PermissionRequest, view: ToolsView): PermissionRequest {
  const { toolName, input, cwd } = request;
  const tool = view.find(toolName);
  return tool?.observableInput === undefined ? request : { ...request, input: tool.observableInput(input, cwd) };
}

/** Returns one slot, whose servers are composed once however often it is opened. */
function createMcpSlot(parts: McpPartsOptions, attach: (session: McpRoom) => McpRoom): McpSlot {
  const open = loadOnce(async (): Promise<McpRoom> => {
    const composed = await composeMcp({ ...parts, isWanted: true });
    if (composed === undefined) throw new Error("There can be no MCP servers here.");
    return attach(composed);
  });
  let isClosed = false;
  const slot: McpSlot = {
    desk: undefined,
    async open() {
      const desk = slot.desk ?? (await open());
      // Nobody would end a server that starts after the close.
      if (isClosed) throw sessionErrors.closed();
      return (slot.desk = desk);
    },
    async close(isLast) {
      isClosed = true;
      if (isLast) await slot.desk?.end();
    },
  };
  return slot;
}

/** Returns the tools offered to the model: without those that a rule removes, and with a record written before each call. */
function offeredTools(
  tools: ToolParts,
  removed: readonly string[],
  recorded: (tool: Tool) => Tool,
  { toolAliases, customTools = [] }: EngineOptions,
): ToolsView {
  const offered = tools.tools.filter((tool) => !removed.includes(tool.name));
  const hosts = customTools.map(({ name }) => name);
  const prepared = offered.map((tool) => preloadOnAnnouncement(tool, tools)).map(recorded);
  return createToolsPort(prepared, () => tools.cwd.get(), Validator, toolAliases, hosts);
}

/** Preloads while the first answer is awaited: commands are what the model asks for most, and they take longest to load. */
export function preloadTools({ tools }: ToolParts): void {
  if (tools.length > 0) loadAhead(loadJudge);
  if (tools.some(({ name }) => name === "Bash")) loadBashAhead();
}

/** Adds to a tool that may change anything: once its call is announced, the judge and the change recorder are made ready. */
function preloadOnAnnouncement(tool: Tool, tools: ToolParts): Tool {
  if (tool.onAnnounced === undefined) return tool;
  return {
    ...tool,
    onAnnounced() {
      tool.onAnnounced?.();
      loadAhead(loadJudge);
      tools.changes?.expect();
    },
  };
}

/** Returns what adds to a tool the record of each call, and its lines in the debug log if somebody reads it. */
function createCallRecorder({
  store,
  tools,
  options: { debug },
  around: { clock },
}: Pick<PermissionPartsOptions, "store" | "tools" | "options" | "around">): (tool: Tool) => Tool {
  const recorded = createStartRecorder(store, tools);
  return debug === undefined ? recorded : (tool) => withDebugLines(recorded(tool), debug, () => clock.elapsed());
}

function createStartRecorder({ transcript }: Store, tools: ToolParts): (tool: Tool) => Tool {
  if (transcript === null) return (tool) => tool;
  const record = (toolUseId: string) => transcript.appendMeta("tool_started", { toolUseId });
  const beforeAnything = () => tools.changes?.beforeAnything();
  return (tool) => withStartRecord(tool, record, beforeAnything, tools.selfWaitingTools.has(tool.name));
}
