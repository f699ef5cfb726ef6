/** How the context's tokens are distributed: the API's own count of the last response, divided among its parts. */
import { isAbsolute } from "node:path";
import { breakdown, contextPolicy } from "../../context/index.ts";
import { textTokens } from "../../context/measure.ts";
import { apportion } from "../../lib/apportion.ts";
import type { WindowFigures } from "../../context/window.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { ContextCategory, ContextCategoryId, ContextShare, ContextUsage } from "../../protocol/context-usage.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelInfo, SystemBlock } from "../../protocol/model.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import { defaultLimits } from "../../loop/ports.ts";
import { toWireUsage } from "../../protocol/wire-usage.ts";
import type { CountedContext } from "../context/savings.ts";
import type { Joined } from "../joined.ts";
import type { SessionMemory } from "../knowledge/session-memory.ts";
import { splitUserContext, type UserContextPart } from "../knowledge/system-prompt.ts";

interface ContextUsageParts {
  context: CountedContext;
  model: ModelInfo;
  messages: readonly Message[];
  system: readonly SystemBlock[];
  tools: readonly ToolDefinition[];
  /** `max_tokens` of the next request. */
  maxTokens: number;
  isAutoCompactEnabled: boolean;
  agentTypes: readonly NamedAgent[];
  memory: Pick<SessionMemory, "typeOf">;
}

export type SessionRooms = Pick<
  Joined,
  "context" | "models" | "around" | "view" | "openingTexts" | "limits" | "selected" | "agentTypes" | "memory"
>;

export function sessionContextUsage(rooms: SessionRooms, messages: readonly Message[]): ContextUsage {
  const { context, models, around, view, openingTexts, limits, selected } = rooms;
  const model = models.catalog.info(selected.current);
  const wanted = models.wishes.maxOutputTokens ?? limits.outputTokensDefault ?? defaultLimits.outputTokensDefault;
  return contextUsage({
    context,
    model,
    messages: messages.length === 0 ? [firstPromptContext(rooms.memory)] : messages,
    system: openingTexts.system,
    tools: view.definitions(),
    maxTokens: Math.min(wanted, model.maxOutputTokens),
    isAutoCompactEnabled: contextPolicy(around.settings, around.env).autoCompact,
    agentTypes: rooms.agentTypes,
    memory: rooms.memory,
  });
}

/** For commands, which may be typed before the system prompt is there. */
export async function openedContextUsage(joined: Joined): Promise<ContextUsage> {
  await joined.openingTexts.ready();
  return sessionContextUsage(joined, joined.conversation.messages);
}

/** What the first prompt will bring along, because people look before it, too. The date makes no difference to the count. */
function firstPromptContext(memory: SessionMemory): Message {
  const timestamp = "1970-01-01T00:00:00.000Z";
  const content = [{ type: "text" as const, text: memory.context(timestamp, true) }];
  return { type: "user", uuid: "", timestamp, content, isMeta: true, origin: "context" };
}

/** In the order shown, which is the order of the request. */
const categoryList: readonly { id: ContextCategoryId; name: string; color: string }[] = [
  { id: "system_prompt", name: "System prompt", color: "gray" },
  { id: "tools", name: "Tools", color: "cyan" },
  { id: "memory_files", name: "Memory files", color: "yellow" },
  { id: "skills", name: "Skills", color: "brightGreen" },
  { id: "summary", name: "Summary of earlier turns", color: "magenta" },
  { id: "user", name: "You", color: "green" },
  { id: "assistant", name: "Answers", color: "blue" },
  { id: "tool_calls", name: "Tool calls", color: "brightCyan" },
  { id: "tool_results", name: "Tool results", color: "brightBlue" },
  { id: "media", name: "Images and documents", color: "brightMagenta" },
  { id: "attachments", name: "Reminders", color: "brightYellow" },
];

function contextUsage(parts: ContextUsageParts): ContextUsage {
  const { context, model, messages, system, tools, maxTokens, isAutoCompactEnabled } = parts;
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    name,
    tokens: textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema)),
  }));
  const weights = new Map<ContextCategoryId, number>([
    ["system_prompt", sumOf(system.map(({ text }) => textTokens(text)))],
    ["tools", sumOf(definitions.map(({ tokens }) => tokens))],
  ]);
  const { byKind, byTool } = breakdown(messages);
  for (const [kind, tokens] of byKind) weights.set(kind, tokens);
  const fixed = (weights.get("system_prompt") ?? 0) + (weights.get("tools") ?? 0);
  const { tokens: totalTokens, usage, estimated } = context.measure(messages, fixed);
  const opening = splitUserContext(openingText(messages));
  divideOpening(weights, opening);
  const categories = usedCategories(totalTokens, weights);
  const tokensOf = (id: ContextCategoryId): number => categories.find((category) => category.id === id)?.tokens ?? 0;
  const window = context.windowOf(model, maxTokens);
  const toolShares = apportionShares(tokensOf("tools"), definitions);
  return {
    model: model.id,
    totalTokens,
    basis: usage === undefined ? "estimated" : estimated === 0 ? "counted" : "counted_and_estimated",
    maxTokens: window.window,
    rawMaxTokens: model.contextWindow,
    percentage: window.window === 0 ? 100 : Math.round((totalTokens / window.window) * 100),
    isAutoCompactEnabled,
    ...(isAutoCompactEnabled ? { autoCompactThreshold: window.compactAt } : {}),
    categories: [...categories, ...unusedCategories(totalTokens, window, isAutoCompactEnabled)],
    memoryFiles: memoryFiles(opening.memory, tokensOf("memory_files"), parts.memory),
    tools: toolShares,
    mcpTools: toolShares.flatMap(mcpToolShare),
    agents: toolShares.some(({ name }) => name === "Agent") ? parts.agentTypes.map(agentShare) : [],
    toolResults: apportionShares(
      tokensOf("tool_results"),
      Array.from(byTool, ([name, tokens]) => ({ name, tokens })),
    ),
    savings: context.savings(),
    apiUsage: usage === undefined ? null : toWireUsage(usage),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The categories that are not empty; their sum is `total`. */
function usedCategories(total: number, weights: ReadonlyMap<ContextCategoryId, number>): ContextCategory[] {
  const tokens = apportion(
    total,
    categoryList.map(({ id }) => weights.get(id) ?? 0),
  );
  return categoryList
    .map((category, at) => ({ ...category, tokens: tokens[at] ?? 0, kind: "used" as const }))
    .filter((category) => category.tokens > 0);
}

/** The unused part: free, or reserved for the answer and for compacting in time. */
function unusedCategories(total: number, window: WindowFigures, isAutoCompactEnabled: boolean): ContextCategory[] {
  const left = Math.max(0, window.window - total);
  const kept = Math.min(left, Math.max(0, window.window - (isAutoCompactEnabled ? window.compactAt : window.blockAt)));
  const name = isAutoCompactEnabled ? "Auto-compact buffer" : "Kept for the answer";
  return [
    { id: "free", name: "Free space", tokens: left - kept, color: "gray", kind: "free" },
    { id: "buffer", name, tokens: kept, color: "gray", kind: "buffer" },
  ];
}

function apportionShares(total: number, parts: readonly ContextShare[]): ContextShare[] {
  const tokens = apportion(
    total,
    parts.map((part) => part.tokens),
  );
  return parts
    .map(({ name }, at) => ({ name, tokens: tokens[at] ?? 0 }))
    .toSorted((one, other) => other.tokens - one.tokens);
}

function mcpToolShare({ name, tokens }: ContextShare): ContextUsage["mcpTools"] {
  const [, serverName] = /^mcp__(.+?)__/u.exec(name) ?? [];
  return serverName === undefined ? [] : [{ name, serverName, tokens, isLoaded: true }];
}

function agentShare({ name, description, source }: NamedAgent): ContextUsage["agents"][number] {
  return { agentType: name, source, tokens: textTokens(`${name}: ${description}`) };
}

function pathInHeading(text: string): string {
  const [heading = ""] = text.split("\n", 1);
  return heading.replace(/ \(imported by .+\)$/u, "");
}

/** Returns the text of the first message, which the program wrote; empty if there is none. */
function openingText(messages: readonly Message[]): string {
  const context = messages.find((message) => message.type === "user" && message.origin === "context");
  const block = context?.type === "user" ? context.content[0] : undefined;
  return block?.type === "text" ? block.text : "";
}

/** The first message counts as memory files as a whole. What it says besides, such as the date, continues the system prompt. */
function divideOpening(weights: Map<ContextCategoryId, number>, opening: Record<UserContextPart, string>): void {
  const { own, memory, skills } = opening;
  const [ownTokens = 0, memoryTokens = 0, skillTokens = 0] = apportion(
    weights.get("memory_files") ?? 0,
    [own, memory, skills].map(textTokens),
  );
  weights.set("system_prompt", (weights.get("system_prompt") ?? 0) + ownTokens);
  weights.set("memory_files", memoryTokens);
  weights.set("skills", skillTokens);
}

/** Finds each file by its heading in the first message's part about memory. Text before the first heading belongs to no file. */
function memoryFiles(
  memoryText: string,
  total: number,
  memory: Pick<SessionMemory, "typeOf">,
): ContextUsage["memoryFiles"] {
  const [intro = "", ...files] = memoryText.split(/^## (?=\/|[A-Za-z]:\\)/mu);
  const parts = files.map((text) => ({ path: pathInHeading(text), tokens: textTokens(text) }));
  const tokens = apportion(total, [textTokens(intro), ...parts.map((part) => part.tokens)]);
  return parts
    .map(({ path }, at) => ({ path, type: memory.typeOf(path), tokens: tokens[at + 1] ?? 0 }))
    .filter(({ path }) => isAbsolute(path));
}
