/** What one run of the loop holds besides its State: ports, limits, the cancellation, and what it must dispose of. */
import { errorText } from "../lib/error-text.ts";
import type { QueryEvent } from "../protocol/event.ts";
import type { Message, ResponseEndMessage, ThinkingStrippedMessage } from "../protocol/message.ts";
import type { SystemBlock } from "../protocol/model.ts";
import type { Failure } from "../protocol/stop.ts";
import type { ToolDefinition } from "../protocol/tool.ts";
import type { Usage } from "../protocol/usage.ts";
import { Doorbell } from "../lib/doorbell.ts";
import { rethrowIfLeft, waitFor, type Steps } from "../lib/steps.ts";
import { withTimeLimit } from "../lib/with-time-limit.ts";
import type { Cancel } from "./cancel.ts";
import type { Draft, Unminted } from "./fact.ts";
import type { LoopConfig, LoopLimits, LoopPorts } from "./ports.ts";
import { RunMemory } from "./run-memory.ts";
import * as texts from "./texts.ts";

export interface Run {
  ports: LoopPorts;
  config: LoopConfig;
  limits: LoopLimits;
  cancel: Cancel;
  /** Shared by the runs of the conversation. */
  memory: RunMemory;
  /** Rung by an abort, by news from a tool, or by a watchdog. */
  doorbell: Doorbell;
  /** Like `memory.answerLimits`, but for answers limited by the account's credit: with more credit, the next run may get a long answer again. */
  coveredAnswers: Map<string, number>;
  /** Like `memory.unthinking`, for this run only. */
  unthinkingThisRun: Set<string>;
  /** The first fault that ends the run whatever the stage reports: the transcript could not be written. */
  fault: Failure | null;
  /** A verdict has ended the run: a consumer that leaves from now on interrupts nothing. */
  isConcluded: boolean;
  /** Queued prompts this run took: those the model has not answered yet (`waiting`), and those it has (`seen`). */
  consumed: { waiting: string[]; seen: string[] };
  /** Summaries being made. Each has a time limit and is awaited before the run closes. */
  summaries: Map<string, { ids: string[]; text: Promise<string | null> }>;
  /** Tokens of system prompt and tools, with the tools they were counted for; null until first needed. */
  fixedTokenCount: { tools: readonly ToolDefinition[]; tokens: number } | null;
  reportedMending: boolean;
  /** The user's choice of model at the last request; null before the first. */
  chosenModel: string | null;
  /** Left over from a wait that ended at once; the next wait reuses it. */
  unusedController: AbortController | null;
}

export function createRun(
  ports: LoopPorts,
  config: LoopConfig,
  limits: LoopLimits,
  cancel: Cancel,
  messages: readonly Message[],
  memory = new RunMemory(),
): Run & { batch: null } {
  memory.learn(messages);
  return {
    ports,
    config,
    limits,
    cancel,
    memory,
    doorbell: new Doorbell(),
    coveredAnswers: new Map(),
    unthinkingThisRun: new Set(),
    batch: null,
    fault: null,
    isConcluded: false,
    consumed: { waiting: [], seen: [] },
    summaries: new Map(),
    fixedTokenCount: null,
    reportedMending: false,
    chosenModel: null,
    unusedController: null,
  };
}

export function fixedTokens(run: Run): number {
  const tools = run.ports.tools.definitions();
  if (run.fixedTokenCount?.tools !== tools)
    run.fixedTokenCount = { tools, tokens: estimateFixedTokens(run.config.system, tools) };
  return run.fixedTokenCount.tokens;
}

/** Estimates the tokens of system prompt and tools. */
export function estimateFixedTokens(system: readonly SystemBlock[], tools: readonly ToolDefinition[]): number {
  let characters = 0;
  for (const block of system) characters += block.text.length;
  for (const tool of tools)
    characters += tool.name.length + tool.description.length + JSON.stringify(tool.inputSchema).length;
  return Math.ceil(characters / 3.5);
}

type UnmintedMessage = Draft | Unminted<ThinkingStrippedMessage> | Unminted<ResponseEndMessage>;
type Minted<D extends UnmintedMessage> = Extract<Message, { type: D["type"] }>;

export function mint<D extends UnmintedMessage>(run: Run, draft: D): Minted<D> {
  return { ...draft, uuid: run.ports.ids.uuid(), timestamp: run.ports.clock.timestamp() } as object as Minted<D>;
}

/** Appends a message to the transcript before anything depends on it. Returns true once it is safe; false ends the run. */
export function* recordMessage(run: Run, message: Message, usageSoFar?: Usage): Steps<never, boolean> {
  if (run.fault !== null) return false;
  try {
    const answer = run.ports.transcript.append(message, usageSoFar);
    const result =
      "then" in answer ? yield* waitFor(withTimeLimit(run.ports.clock, run.limits.portMs, answer)) : answer;
    if (result === null) run.fault ??= transcriptFailure("it did not answer in time");
    else if (!result.ok)
      run.fault ??= (result.failure as Failure | undefined) ?? transcriptFailure("it answered neither yes nor no");
  } catch (error) {
    rethrowIfLeft(error);
    run.fault ??= transcriptFailure(errorText(error));
  }
  return run.fault === null;
}

/** Records each message, then yields it. Returns the safe ones. A message that cannot be recorded is not yielded, nor is any after it. */
export function* recordAndYield(
  run: Run,
  messages: readonly (Message | UnmintedMessage)[],
): Steps<QueryEvent, Message[]> {
  const safe: Message[] = [];
  for (const each of messages) {
    const message = "uuid" in each ? each : mint(run, each);
    if (!(yield* recordMessage(run, message))) break;
    safe.push(message);
    yield message;
  }
  return safe;
}

function transcriptFailure(why: string): Failure {
  const message = `The session's transcript could not be written: ${why}. Nothing written before is lost.`;
  return { kind: "transcript", message };
}

export function internalFailure(what: string, error: unknown): Failure {
  return { kind: "internal", message: texts.unexpectedFailure(what, errorText(error)) };
}
