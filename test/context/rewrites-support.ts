/** Conversations as a server would have counted and cached them, and a history for the layers that change the past. */
import type { ContentBlock, Message, ModelInfo, ToolInput, ToolResultContent } from "../../src/protocol/index.ts";
import type { ContextDeps } from "../../src/context/index.ts";
import { spanTokens } from "../../src/context/measure.ts";
import { snipReplay } from "../../src/context/snip-replay.ts";
import type { SnipRequest } from "../../src/context/layer.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { assistant, end, modelInfo, thinking, timestamp, use, user } from "./support.ts";

/** Reads cost a tenth of input. */
export const priced: ModelInfo = {
  ...modelInfo,
  contextWindow: 1_000_000,
  thinkingBoundToPrefix: false,
  prices: [{ input: 3, output: 15, cacheWrite5m: 3.75, cacheWrite1h: 6, cacheRead: 0.3 }],
};
export const bound: ModelInfo = { ...priced, thinkingBoundToPrefix: true };

export interface Turn {
  tool?: string;
  input?: ToolInput;
  /** Characters, or the content itself. */
  result?: number | ToolResultContent;
  isError?: boolean;
  /** What clients receive of it. */
  output?: object;
  thinking?: number;
  /** Calls of one response. Default 1. */
  calls?: number;
}

export const fixedTokens = 2_000;

/** One user turn of these calls: each response counted to the token, and all but what is new read from the cache. */
export function counted(turns: readonly Turn[], prefix = ""): Message[] {
  const messages: Message[] = [
    user(`${prefix}ctx`, "memory", { isMeta: true, origin: "context" }),
    user(`${prefix}p`, "Read it all"),
  ];
  for (const [at, turn] of turns.entries()) messages.push(...turnMessages(messages, turn, `${prefix}${at}`));
  return messages;
}

function turnMessages(before: readonly Message[], turn: Turn, id: string): Message[] {
  const { tool = "Read", input, result = 40_000, isError = false, calls = 1 } = turn;
  const thought: ContentBlock[] = turn.thinking === undefined ? [] : [thinking("t".repeat(turn.thinking))];
  const ids = Array.from({ length: calls }, (_, call) => (calls === 1 ? `c${id}` : `c${id}-${call}`));
  const blocks = [...thought, ...ids.map((call) => use(call, tool, input ?? { file_path: `/src/${id}.ts` }))];
  const total = fixedTokens + spanTokens(before);
  const closed = end(`e${id}`, `m${id}`, 0, 0);
  const usage = { inputTokens: 0, outputTokens: 50, cacheReadInputTokens: 0, cacheCreationInputTokens: total };
  const content = typeof result === "number" ? `${id}:`.padEnd(result, "x y z ") : result;
  const results = ids.map((call) => {
    const block: ContentBlock = { type: "tool_result", tool_use_id: call, content };
    return user(`r${call}`, [isError ? { ...block, is_error: true } : block], {
      toolUseResult: turn.output ?? { of: call },
    });
  });
  return [assistant(`a${id}`, `m${id}`, blocks), { ...closed, usage }, ...results];
}

const readers = new Set(["Read", "Grep", "Glob", "Bash"]);

export interface HistoryDouble extends NonNullable<ContextDeps["history"]> {
  forgotten: number;
  snips: SnipRequest[];
}

export function history(more: Partial<HistoryDouble> = {}): HistoryDouble {
  const double: HistoryDouble = {
    fold: (messages, record) => foldMessage(messages, record, snipReplay),
    rerun: (name, input) =>
      readers.has(name)
        ? { what: [name, input["file_path"] ?? input["command"]].join(" "), isReadOnly: name !== "Bash" }
        : undefined,
    cacheTtl: "5m",
    forgetShown: () => void double.forgotten++,
    markNotShown: () => {},
    waitingSnips: () => [...double.snips],
    refuseSnip: (request) => void double.snips.splice(double.snips.indexOf(request), 1),
    forgotten: 0,
    snips: [],
    ...more,
  };
  return double;
}

export const now = Date.parse(timestamp);

/** Ids of calls whose results are markers. */
export function clearedIds(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.type === "user"
      ? message.content.flatMap((block) =>
          block.type === "tool_result" &&
          typeof block.content === "string" &&
          block.content.startsWith("[Old result left out")
            ? [block.tool_use_id]
            : [],
        )
      : [],
  );
}
