/** Plain ports for using the loop alone: each does the least that is correct, and each can be replaced. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { contentText } from "../protocol/block-text.ts";
import type { ContextPort } from "../protocol/context.ts";
import { noHookAnswer } from "../protocol/hook.ts";
import type { ToolResultContent } from "../protocol/message.ts";
import type { ModelInfo, ModelPort } from "../protocol/model.ts";
import type { Tool, ToolInputSchema, ToolResult } from "../protocol/tool.ts";
import { turnEndPass } from "../protocol/turn-end.ts";
import type { ClockPort, IdPort, LoopConfig, LoopPorts, RetryPort, ToolsPort } from "./ports.ts";

export interface PlainParts {
  model: ModelPort;
  tools: readonly Tool[];
  clock: ClockPort;
  ids: IdPort;
}

/**
 * Makes ports around a model and tools. Read-only calls run; others need a `permission` port. Inputs are checked for required fields only.
 * Nothing is stored or counted, and only tool results that are too long are cut. A failed request is retried up to four times. `overrides`
 * replaces the ports it names.
 */
export function plainPorts({ model, tools, clock, ids }: PlainParts, overrides: Partial<LoopPorts> = {}): LoopPorts {
  return {
    model,
    tools: plainTools(tools),
    clock,
    ids,
    retry: plainRetry,
    permission: {
      decide({ toolName, isReadOnly }) {
        if (isReadOnly) return { behavior: "allow", reason: { type: "mode", mode: "default" } };
        const message = `${toolName} does more than read, and nobody was there to permit it.`;
        return { behavior: "deny", message, reason: { type: "unanswered", text: message } };
      },
    },
    hooks: { has: () => false, run: async () => noHookAnswer, runDetached: () => undefined },
    turnEnd: {
      *steps() {
        yield* [];
        return turnEndPass;
      },
      register: () => undefined,
    },
    context: plainContext,
    budget: {
      admit: ({ maxTokens }) => ({ admitted: true, ticket: "", maxTokens, lowered: false }),
      settle: () => 0,
    },
    transcript: { append: () => ({ ok: true }) },
    queue: { take: () => [], settle: () => undefined, news: () => [] },
    ...withoutUndefined(overrides),
  };
}

/** Makes a config. `system` becomes one system block; an empty string, none. */
export function plainConfig(system: string, overrides: Partial<LoopConfig> = {}): LoopConfig {
  return {
    sessionId: "",
    system: system === "" ? [] : [{ text: system }],
    fallbackModels: [],
    thinking: { type: "auto" },
    querySource: "main",
    includeRawEvents: false,
    ...withoutUndefined(overrides),
  };
}

/** Makes a model port from a function that streams answers. Context window and output limit (tokens) have assumed values unless given. */
export function plainModel(stream: ModelPort["stream"], info: Partial<ModelInfo> = {}): ModelPort {
  return {
    stream,
    measure: (request) => ({ bytes: JSON.stringify([request.system, request.tools, request.messages]).length }),
    info: (id) => ({
      id,
      known: false,
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
      thinking: "none",
      thinkingBoundToPrefix: false,
      keepsOldThinking: true,
      efforts: [],
      minCacheTokens: 1_024,
      maxImages: 100,
      ...withoutUndefined(info),
    }),
  };
}

export interface PlainTool<Input> {
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  /** The tool changes nothing: it is allowed without a question, and may run in parallel with other read-only calls. Default false. */
  readOnly?: boolean;
  call: (input: Input, signal: AbortSignal) => Promise<ToolResultContent | ToolResult>;
}

/** Makes a tool from its `call` function. What `call` throws becomes an error result for the model. */
export function plainTool<Input>({ readOnly = false, call, ...definition }: PlainTool<Input>): Tool {
  return {
    ...definition,
    isConcurrencySafe: () => readOnly,
    isReadOnly: () => readOnly,
    replay: readOnly ? "safe" : "never",
    maxResultSizeChars: 50_000,
    async call(input, { signal }) {
      const answer = await call(input as Input, signal);
      return typeof answer === "string" || Array.isArray(answer) ? { content: answer } : answer;
    },
  };
}

function plainTools(tools: readonly Tool[]): ToolsPort {
  const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return {
    definitions: () => definitions,
    find: (name) => tools.find((tool) => tool.name === name || tool.aliases?.includes(name) === true),
    validate({ required = [] }, input) {
      const missing = required.filter((name) => input[name] === undefined);
      return missing.length === 0 ? { ok: true } : { ok: false, message: `${missing.join(", ")} must be there` };
    },
    cwd: () => "/",
  };
}

const retryLimit = 4;

const plainRetry: RetryPort = {
  advise(failure, attempt, random) {
    if (failure.recovery !== "retry" || attempt > retryLimit) return { retry: false, failure };
    const delayMs = Math.round(failure.retryAfterMs ?? 500 * 2 ** (attempt - 1) * (0.5 + random / 2));
    return { retry: true, delayMs, maxRetries: retryLimit };
  },
};

const plainContext: ContextPort = {
  async *fit({ messages, maxTokens, tracking }) {
    yield* [];
    return { kind: "ready", messages, records: [], estimatedTokens: 0, maxTokens, tracking, applied: [] };
  },
  async *drain() {
    yield* [];
    return { kind: "no_progress", why: "nothing shortens the conversation" };
  },
  async *compactReactively() {
    yield* [];
    return { kind: "no_progress", why: "nothing shortens the conversation" };
  },
  async fitToolResult(content, { maxChars, usedChars }) {
    const room = Math.max(1_000, Math.min(maxChars, 200_000 - usedChars));
    const text = contentText(content);
    return text.length <= room ? content : `${text.slice(0, room)}\n[${text.length - room} characters were left out.]`;
  },
  canDrain: () => false,
};
