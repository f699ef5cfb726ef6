/** Implements the Context port: runs the layers of `layers.ts` around each request, and keeps what they remember for a session. */
import { errorText } from "../lib/error-text.ts";
import type {
  AutoCompactTracking,
  ContextEvent,
  ContextInput,
  ContextPort,
  FitResult,
  LayerApplied,
  Message,
  ModelInfo,
  ShrinkResult,
} from "../protocol/index.ts";
import { toAsyncGenerator, rethrowIfLeft, type Steps } from "../lib/steps.ts";
import { canDrain } from "./collapse-drain.ts";
import { compactManually, type ManualOptions } from "./manual-compact.ts";
import type { Change, ContextDeps, ContextMemory, Overflow, Pass, World, SnipRequest } from "./layer.ts";
import { newNotice } from "../protocol/new-record.ts";
import { layers } from "./layers.ts";
import { measureRequest, requestTokens, type Measurement } from "./measure.ts";
import { mediaBounds } from "./media-tokens.ts";
import { guaranteedCharacters, resultRoom } from "./result-room.ts";
import { takeOutSpan, type Snipped } from "./snip.ts";
import { withoutSignature } from "./signed-summary.ts";
import { taskTokensLost } from "./task-tokens.ts";
import { knownWindow, recordWindow, correctGuess, guessWindow } from "./known-windows.ts";
import { fittingMaxTokens, windowFigures, type WindowFigures } from "./window.ts";

export interface SessionContext extends ContextPort {
  fitSteps: NonNullable<ContextPort["fitSteps"]>;
  /** Records the most tokens a server said it takes (`ModelFailure.tokens.maximum`). */
  setWindow(modelId: string, tokens: number, isRate?: boolean): void;
  /** Records that a server refused a request of about so many tokens as too long, without naming its limit. */
  guessWindow(modelId: string, refusedTokens: number): void;
  /** Compacts at the user's request, however full the window is, if need be without a model. If there is nothing to do, it says why. */
  compactManually(
    input: ContextInput,
    options: ManualOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ContextEvent, ShrinkResult>;
  /** Runs layer 1 for a conversation that is not being answered. Returns what to record, or why the span stays. */
  snip(input: ContextInput, request: SnipRequest): Snipped;
  /** Returns the tokens of a request with these messages: what was counted, plus an estimate for the rest. */
  measure(messages: readonly Message[], fixedTokens: number): Measurement;
  /** Returns the window figures for this model's next request. */
  windowOf(model: ModelInfo, maxTokens: number): WindowFigures;
}

export function createContext(deps: ContextDeps): SessionContext {
  const memory: ContextMemory = {
    windows: new Map(deps.windows),
    rateLimits: new Map(),
    guesses: new Map(),
    droppedGuesses: new Set(),
    scale: 1,
    failures: 0,
    signedRefused: new Set(),
    modelsWithoutThinking: new Set(),
    modelsNeedingUnsigned: new Set(),
    hasCompacted: false,
    refills: 0,
    hasReportedStop: false,
    hasWarned: false,
  };
  const world: World = { ...deps, memory };
  const passOf = (input: ContextInput): Pass => createPass(world, input);
  return {
    windowOf: (model, maxTokens) => windowOf(world, model, maxTokens),
    measure: (messages, fixedTokens) => measureRequest(messages, fixedTokens, memory.scale),
    fittingMaxTokens: (model, estimated, wanted) =>
      fittingMaxTokens(windowOf(world, model, wanted).window, estimated, wanted),
    setWindow: (modelId, maximum, isRate) => recordWindow(world, modelId, { maximum, isRate }),
    guessWindow: (modelId, refusedTokens) => guessWindow(world, modelId, refusedTokens),
    fit: (input, signal) => toAsyncGenerator(fit(passOf(input), signal)),
    fitSteps: (input, signal) => fit(passOf(input), signal),
    async *drain(input, signal) {
      return yield* shrink("collapse_drain", passOf(input), { media: false }, signal);
    },
    async *compactReactively(input, signal) {
      return yield* shrink(
        "reactive_compact",
        passOf(input),
        { media: input.media, actualTokens: input.actualTokens, refusal: input.refusal },
        signal,
      );
    },
    async *compactManually(input, options, signal) {
      const pass = passOf(input);
      const otherwise: ShrinkResult = { kind: "no_progress", why: "the compaction failed" };
      return yield* runGuarded(pass, "manual_compact", compactManually(pass, options, signal), otherwise);
    },
    snip: (input, request) => takeOutSpan(passOf(input), request, false),
    async fitToolResult(content, limits) {
      for (const layer of layers) {
        if (layer.at !== "source" || !layer.enabled(deps.policy)) continue;
        content = await layer.apply(content, limits, world);
      }
      return content;
    },
    resultChars: () => memory.resultRoom && guaranteedCharacters(memory.resultRoom),
    plainSummary: (messages, model) => withoutSignature(world, messages, model),
    fitMedia: async (content, signal) => (await deps.fitMedia?.(content, { signal })) ?? content,
    ...mediaBounds,
    canDrain: (messages) => canDrain(deps, messages),
  };
}

function windowOf(world: World, model: ModelInfo, maxTokens: number): WindowFigures {
  return windowFigures(knownWindow(world, model), maxTokens, world.policy);
}

/** The window of this request bounds what tools may add next. */
function createPass(world: World, input: ContextInput): Pass {
  const { memory, policy } = world;
  const { messages, fixedTokens } = input;
  correctGuess(world, input);
  const window = windowOf(world, input.model, input.maxTokens);
  memory.resultRoom = policy.toolResultBudget ? resultRoom(window, fixedTokens, memory.scale, policy) : undefined;
  return { world, input, messages, tokens: requestTokens(messages, fixedTokens, memory.scale), window };
}

function* fit(first: Pass, signal: AbortSignal): Steps<ContextEvent, FitResult> {
  let pass = first;
  let { tracking } = pass.input;
  const records = [];
  const applied: LayerApplied[] = [];
  for (const layer of layers) {
    if (layer.at !== "prepare" || !layer.enabled(pass.world.policy)) continue;
    let change: Change | undefined;
    try {
      change = yield* layer.apply(pass, signal);
    } catch (error) {
      rethrowIfLeft(error);
      yield layerFailedNotice(pass, layer.name, error);
    }
    if (signal.aborted) break;
    if (change === undefined) continue;
    tracking = addLostTokens(change.tracking, taskTokensLost(pass.messages, change.messages, pass.world.memory.scale));
    if (change.messages !== pass.messages)
      applied.push({ layer: layer.name, savedTokens: Math.max(0, pass.tokens - change.tokens) });
    records.push(...change.records);
    pass = { ...pass, input: { ...pass.input, tracking }, messages: change.messages, tokens: change.tokens };
  }
  yield* warnIfLow(pass);
  const full = runGates(pass);
  if (full !== undefined) return full;
  const maxTokens = fittingMaxTokens(pass.window.window, pass.tokens, pass.input.maxTokens);
  return {
    kind: "ready",
    messages: pass.messages,
    records,
    estimatedTokens: pass.tokens,
    maxTokens,
    tracking,
    applied,
  };
}

function runGates(pass: Pass): Extract<FitResult, { kind: "full" }> | undefined {
  for (const layer of layers) {
    if (layer.at !== "gate" || !layer.enabled(pass.world.policy)) continue;
    const full = layer.apply(pass);
    if (full !== undefined) return full;
  }
  return undefined;
}

async function* shrink(
  name: string,
  pass: Pass,
  overflow: Overflow,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShrinkResult> {
  const layer = layers.find((each) => each.name === name);
  if (layer?.at !== "overflow" || !layer.enabled(pass.world.policy)) {
    return { kind: "no_progress", why: `${name} is switched off` };
  }
  const result = yield* runGuarded(pass, name, layer.apply(pass, overflow, signal), {
    kind: "no_progress" as const,
    why: `${name} failed`,
  });
  if (result.kind === "no_progress") return result;
  return { ...result, taskTokensLost: taskTokensLost(pass.messages, result.messages, pass.world.memory.scale) };
}

function addLostTokens(tracking: AutoCompactTracking, lost: number): AutoCompactTracking {
  return lost === 0 ? tracking : { ...tracking, taskTokensLost: (tracking.taskTokensLost ?? 0) + lost };
}

/** The port must not throw: a defect in a layer disables that layer, not the turn. */
async function* runGuarded<R>(
  pass: Pass,
  name: string,
  run: AsyncGenerator<ContextEvent, R>,
  otherwise: R,
): AsyncGenerator<ContextEvent, R> {
  try {
    return yield* run;
  } catch (error) {
    yield layerFailedNotice(pass, name, error);
    return otherwise;
  }
}

function layerFailedNotice({ world }: Pass, name: string, error: unknown): ContextEvent {
  const why = errorText(error);
  return newNotice(
    world,
    "warning",
    "context_layer_failed",
    `The context layer ${name} failed and was skipped: ${why}`,
  );
}

/** Warns once each time the threshold is crossed upwards. */
function* warnIfLow({ world, window, tokens }: Pass): Steps<ContextEvent, void> {
  const isLow = tokens >= window.warnAt;
  const isNew = isLow && !world.memory.hasWarned;
  world.memory.hasWarned = isLow;
  if (!isNew) return;
  const percent = window.effective === 0 ? 100 : Math.round((tokens / window.effective) * 100);
  const next = world.policy.autoCompact
    ? "It is compacted automatically when needed."
    : "Automatic compaction is off: compact it by hand, or start a new session.";
  yield newNotice(
    world,
    world.policy.autoCompact ? "info" : "warning",
    "context_low",
    `The conversation fills ${percent} % of the context window. ${next}`,
  );
}
