/**
 * A fork: a run of the loop that continues from the conversation without becoming part of it. Its requests begin with the
 * conversation's own bytes; what it says and does is recorded nowhere, and paid for from the session's one ledger.
 */
import { onAbort } from "../../lib/on-abort.ts";
import { errorText } from "../../lib/error-text.ts";
import { wholeTokens } from "../../context/measure.ts";
import { middleCut } from "../../lib/text-cut.ts";
import { createCancel } from "../../loop/cancel.ts";
import type { LoopPorts, RetryAdvice } from "../../loop/ports.ts";
import { query } from "../../loop/query.ts";
import { createState } from "../../loop/state.ts";
import type { ContextInput, ContextPort, FitResult, ShrinkResult } from "../../protocol/context.ts";
import { noHookAnswer } from "../../protocol/hook.ts";
import type { ModelFailure } from "../../protocol/model.ts";
import type { PermissionDecision, PermissionPort } from "../../protocol/permission.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { Tool } from "../../protocol/tool.ts";
import { turnEndPass, type TurnEndAnswer } from "../../protocol/turn-end.ts";
import type { Usage } from "../../protocol/usage.ts";
import { commandMessage } from "../store/own-records.ts";
import { TurnLog } from "../events/turn-log.ts";
import { withoutMessageIds } from "../ledger/agent-budget.ts";
import type { ForkSource } from "./cache-safe.ts";

export interface ForkTask {
  /** For the debug log, and part of the names of its calls. */
  name: string;
  source: ForkSource;
  prompt: string;
  /** Most responses of the model. */
  maxTurns: number;
  /** Tokens of one answer, without thinking within a budget. */
  answerTokens: number;
  limitMs: number;
  /** Nobody waits for the fork: it runs only if the budget can spare it. */
  spare: boolean;
  /** The tools that may run. Absent: every call is refused. */
  tools?: ForkTools;
}

export interface ForkTools {
  find(name: string): Tool | undefined;
  permission: PermissionPort;
  /** Absolute. */
  cwd: string;
}

export interface ForkEnd {
  /** The text of the last answer, even if the fork did not end well. */
  text: string;
  usage: Usage;
  /** Why it did not end well, as a clause for people; undefined if it did. */
  failure?: string;
}

export interface ForkPorts extends Pick<LoopPorts, "model" | "retry" | "tools" | "budget" | "clock" | "ids"> {
  context: Pick<ContextPort, "mediaTokens" | "mediaBytes" | "fittingMaxTokens">;
}

/** Never rejects, and settles soon after `signal` aborts. */
export async function runFork(ports: ForkPorts, task: ForkTask, signal: AbortSignal): Promise<ForkEnd> {
  const { source, maxTurns, answerTokens } = task;
  const cancel = createCancel();
  let isLate = false;
  const stop = (): void => void cancel.cancel("user");
  const stopTimer = ports.clock.timer(task.limitMs, () => {
    isLate = true;
    stop();
  });
  const stopListening = onAbort(signal, stop);
  const log = new TurnLog(ports.clock);
  const { thinking } = source.config;
  const maxOutputTokens = answerTokens + (thinking.type === "enabled" ? thinking.budgetTokens : 0);
  const run = query({
    state: createState({ messages: [...source.messages, commandMessage(task.prompt, ports)], model: source.model }),
    config: { ...source.config, maxOutputTokens },
    ports: forkPorts(ports, task),
    limits: { maxTurns, outputTokensRecoveries: 0 },
    cancel,
  });
  try {
    let step = await run.next();
    for (; step.done !== true; step = await run.next()) log.observe(step.value);
    const failure = isLate ? "it took too long" : failureOf(step.value, log);
    return { text: log.text, usage: log.usage, ...(failure === undefined ? {} : { failure }) };
  } catch (error) {
    return { text: "", usage: log.usage, failure: errorText(error) };
  } finally {
    stopTimer();
    stopListening();
  }
}

function failureOf(terminal: Terminal, log: TurnLog): string | undefined {
  switch (terminal.reason) {
    case "completed":
      return undefined;
    case "max_turns":
      return "it asked for tools until the end";
    case "max_budget_usd":
      return "the budget does not cover it";
    case "aborted_streaming":
    case "aborted_tools":
      return "it was interrupted";
    case "model_error":
      return terminal.error.message;
    default:
      return log.errors.at(-1) ?? terminal.reason;
  }
}

/** The tool definitions stay the conversation's, since they are part of the prefix; what the tools do is the fork's. */
function forkPorts(ports: ForkPorts, { spare, tools }: ForkTask): LoopPorts {
  const { model, tools: offered, budget, clock, ids } = ports;
  return {
    model,
    retry: { advise: (failure, ...more) => limitRetry(ports.retry.advise(failure, ...more), failure, more[0], spare) },
    tools: {
      definitions: () => offered.definitions(),
      find: (name) => tools?.find(name) ?? refusingTool(offered.find(name)),
      validate: (schema, input) => offered.validate(schema, input),
      meant: (schema, input) => offered.meant?.(schema, input),
      cwd: () => tools?.cwd ?? offered.cwd(),
    },
    permission: tools?.permission ?? { decide: () => refusedDecision },
    hooks: { has: () => false, run: async () => noHookAnswer, runDetached: () => undefined },
    turnEnd: { steps: passTurnEnd, register: () => undefined },
    context: plainContext(ports.context),
    budget: {
      ...withoutMessageIds(budget),
      admit: (request) => budget.admit(spare ? { ...request, spare } : request),
    },
    transcript: { append: () => ({ ok: true }) },
    queue: { take: () => [], settle: () => undefined, news: () => [] },
    clock,
    ids,
  };
}

function* passTurnEnd(): Generator<never, TurnEndAnswer> {
  yield* [];
  return turnEndPass;
}

const refusalText = "Tools do not run here. Say what you can without them.";
const refusedDecision: PermissionDecision = {
  behavior: "deny",
  message: refusalText,
  reason: { type: "safety", text: "a side question runs no tools" },
};

/** Calls nothing of the conversation's own tool, not even its checks. */
function refusingTool(tool: Tool | undefined): Tool | undefined {
  if (tool === undefined) return undefined;
  const { name, description, inputSchema } = tool;
  return {
    name,
    description,
    inputSchema,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    replay: "safe",
    maxResultSizeChars: 1_000,
    call: async () => ({ content: refusalText, isError: true }),
  };
}

const maxRetryWaitMs = 10_000;

/** Retries work that a person waits for a few times, other work never. Neither waits out an outage. */
function limitRetry(advice: RetryAdvice, failure: ModelFailure, attempt: number, spare: boolean): RetryAdvice {
  const isSoon = advice.retry && !spare && attempt <= 3 && advice.delayMs <= maxRetryWaitMs;
  return isSoon ? advice : { retry: false, failure };
}

const noProgress: ShrinkResult = { kind: "no_progress", why: "a fork does not change the conversation" };

/** Uses the conversation as it is: the conversation has already been made to fit, and if it does not fit, the fork ends. */
function plainContext(context: ForkPorts["context"]): ContextPort {
  const ready = ({ messages, model, maxTokens: wanted, tracking, fixedTokens }: ContextInput): FitResult => {
    const estimatedTokens = wholeTokens(messages, fixedTokens);
    const maxTokens = context.fittingMaxTokens?.(model, estimatedTokens, wanted) ?? wanted;
    return { kind: "ready", messages, records: [], estimatedTokens, maxTokens, tracking, applied: [] };
  };
  return {
    fit: (input) => yieldNothing(ready(input)),
    drain: () => yieldNothing(noProgress),
    compactReactively: () => yieldNothing(noProgress),
    fitToolResult: async (content, { maxChars }) =>
      typeof content === "string" ? middleCut(content, maxChars) : content,
    mediaBytes: (messages, model) => context.mediaBytes?.(messages, model) ?? 0,
    mediaTokens: (messages, about) => context.mediaTokens?.(messages, about) ?? 0,
    canDrain: () => false,
  };
}

/** Yields nothing. */
async function* yieldNothing<R>(result: R): AsyncGenerator<never, R> {
  yield* [];
  return result;
}
