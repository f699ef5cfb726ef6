// The other fakes: transcript, budget, context, hooks, permission, queue, retry, summary, trace, ids, cancellation.
import { getEventListeners } from "node:events";
import { createCancel, type Cancel } from "../../../src/loop/cancel.ts";
import type { IdPort, QueuePort, RetryAdvice, RetryPort, SummaryPort, TracePort } from "../../../src/loop/ports.ts";
import type {
  ContextEvent,
  ContextInput,
  ContextPort,
  FitResult,
  ShrinkResult,
} from "../../../src/protocol/context.ts";
import {
  noHookAnswer,
  type HookAnswer,
  type HookEvent,
  type HookInput,
  type HookPort,
} from "../../../src/protocol/hook.ts";
import type { Attachment, ContentBlock, Message, ToolResultContent } from "../../../src/protocol/message.ts";
import type { ModelFailure } from "../../../src/protocol/model.ts";
import type { Admission, AdmissionRequest, BudgetPort } from "../../../src/protocol/money.ts";
import type { PermissionDecision, PermissionPort, PermissionRequest } from "../../../src/protocol/permission.ts";
import type { AppendResult, TranscriptPort } from "../../../src/protocol/record.ts";
import type { CancelCause } from "../../../src/protocol/stop.ts";
import type { World } from "./world.ts";

export class FakeTranscript implements TranscriptPort {
  readonly records: Message[] = [];
  /** Records seen twice by uuid. */
  duplicates = 0;
  /** Answers instead of writing, from the record with this index on. */
  failFrom: number | null = null;
  isAsync = false;
  #appends = 0;
  readonly #uuids = new Set<string>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  append(message: Message): AppendResult | Promise<AppendResult> {
    const about = aboutMessage(message);
    if (this.isAsync)
      return this.#world.callAsync("transcript.append", { about }, async () => this.#write(message), diskFull);
    return this.#world.call("transcript.append", { about }, () => this.#write(message), diskFull);
  }

  has(uuid: string): boolean {
    return this.#uuids.has(uuid);
  }

  #write(message: Message): AppendResult {
    if (this.failFrom !== null && this.#appends >= this.failFrom) return diskFull();
    this.#appends++;
    if (this.#uuids.has(message.uuid)) this.duplicates++;
    this.#uuids.add(message.uuid);
    this.records.push(message);
    return { ok: true };
  }
}

/** `use:ID` and `result:ID` for a call and its result, else the message's type. */
function aboutMessage(message: Message): string {
  if (message.type !== "assistant" && message.type !== "user") return message.type;
  for (const block of message.content) {
    if (block.type === "tool_use") return `use:${block.id}`;
    if (block.type === "tool_result") return `result:${block.tool_use_id}`;
  }
  return message.type;
}

function diskFull(): AppendResult {
  return { ok: false, failure: { kind: "transcript", message: "The disk is full; the session stopped here." } };
}

export class FakeBudget implements BudgetPort {
  readonly open = new Map<string, AdmissionRequest>();
  readonly settled: { ticket: string; outcome: Parameters<BudgetPort["settle"]>[1] }[] = [];
  /** Tickets settled twice or never given. */
  wrong = 0;
  answersAtOnce = false;
  admit: BudgetPort["admit"];

  constructor(world: World, answer: (request: AdmissionRequest, call: number) => Promise<Admission> | Admission) {
    let calls = 0;
    const refused = (): Admission => ({ admitted: false, message: "injected" });
    const opened = (request: AdmissionRequest, admission: Admission): Admission => {
      if (admission.admitted) this.open.set(admission.ticket, request);
      return admission;
    };
    const ask = (request: AdmissionRequest): Promise<Admission> | Admission => {
      request.mediaTokens();
      return answer(request, calls++);
    };
    this.admit = (request) => {
      if (!this.answersAtOnce)
        return world.callAsync("budget.admit", {}, async () => opened(request, await ask(request)), refused);
      const given = world.call("budget.admit", {}, () => ask(request), refused);
      return given instanceof Promise ? given.then((late) => opened(request, late)) : opened(request, given);
    };
    this.settle = (ticket, outcome) =>
      world.call("budget.settle", { about: ticket }, () => {
        if (!this.open.delete(ticket)) this.wrong++;
        this.settled.push({ ticket, outcome });
        return "usage" in outcome ? outcome.usage.outputTokens / 1_000 : 0;
      });
  }

  settle: BudgetPort["settle"];
}

export function admitAll(request: AdmissionRequest, call: number): Admission {
  return { admitted: true, ticket: `ticket_${call}`, maxTokens: request.maxTokens, lowered: false };
}

type Shrink = (input: ContextInput & { media?: boolean }, call: number) => ShrinkResult | Promise<ShrinkResult>;

export interface ContextSpec {
  fit?: (input: ContextInput, call: number, signal: AbortSignal) => FitResult | Promise<FitResult>;
  drain?: Shrink;
  compact?: Shrink;
  canDrain?: () => boolean;
  fitToolResult?: ContextPort["fitToolResult"];
  /** Yielded by `fit` before it answers. */
  events?: readonly ContextEvent[];
}

export function readyFit(input: ContextInput): FitResult {
  return {
    kind: "ready",
    messages: input.messages,
    records: [],
    estimatedTokens: 10 * input.messages.length,
    maxTokens: input.maxTokens,
    tracking: input.tracking,
    applied: [],
  };
}

export class FakeContext implements ContextPort {
  readonly #world: World;
  readonly #spec: ContextSpec;
  readonly inputs: { kind: "fit" | "drain" | "compact"; input: ContextInput }[] = [];
  readonly results: { kind: "drain" | "compact"; result: ShrinkResult }[] = [];
  /** What the server said of its own window. */
  readonly windows: { model: string; tokens: number }[] = [];
  open = 0;
  #fits = 0;
  #shrinks = 0;

  constructor(world: World, spec: ContextSpec) {
    this.#world = world;
    this.#spec = spec;
  }

  async *fit(input: ContextInput, signal: AbortSignal): AsyncGenerator<ContextEvent, FitResult> {
    this.open++;
    try {
      if (!this.#world.isLean) this.inputs.push({ kind: "fit", input });
      for (const event of this.#spec.events ?? []) yield event;
      return await this.#world.callAsync(
        "context.fit",
        { key: input.key },
        async () => (this.#spec.fit ?? readyFit)(input, this.#fits++, signal),
        () => ({ kind: "full", estimatedTokens: 9, limitTokens: 8, tracking: input.tracking }),
      );
    } finally {
      this.open--;
    }
  }

  drain(input: ContextInput): AsyncGenerator<ContextEvent, ShrinkResult> {
    return this.#shrink("drain", input, this.#spec.drain);
  }

  compactReactively(input: ContextInput & { media: boolean }): AsyncGenerator<ContextEvent, ShrinkResult> {
    return this.#shrink("compact", input, this.#spec.compact);
  }

  async *#shrink(
    kind: "drain" | "compact",
    input: ContextInput,
    how: Shrink | undefined,
  ): AsyncGenerator<ContextEvent, ShrinkResult> {
    this.open++;
    try {
      this.inputs.push({ kind, input });
      if (kind === "compact") yield { type: "compacting", trigger: "reactive" };
      const nothing: ShrinkResult = { kind: "no_progress", why: "nothing to do" };
      const result = await this.#world.callAsync(
        `context.${kind}`,
        { key: input.key },
        async () => how?.(input, this.#shrinks++) ?? nothing,
        () => nothing,
      );
      this.results.push({ kind, result });
      return result;
    } finally {
      this.open--;
    }
  }

  fitToolResult(
    content: ToolResultContent,
    limits: { toolName: string; toolUseId: string; maxChars: number; usedChars: number },
  ): Promise<ToolResultContent> {
    return this.#world.callAsync(
      "context.fitToolResult",
      { about: limits.toolUseId },
      async () => this.#spec.fitToolResult?.(content, limits) ?? "[a preview; the rest is in a file]",
      () => "[a preview]",
    );
  }

  setWindow(model: string, tokens: number): void {
    this.#world.call("context.setWindow", { about: model }, () => this.windows.push({ model, tokens }));
  }

  mediaTokens(messages: readonly Message[]): number {
    return this.#world.call(
      "context.mediaTokens",
      {},
      () => messages.length,
      () => 0,
    );
  }

  canDrain(): boolean {
    return this.#world.call(
      "context.canDrain",
      {},
      () => this.#spec.canDrain?.() ?? this.#spec.drain !== undefined,
      () => false,
    );
  }
}

export type HookSpec = (
  input: HookInput,
  signal: AbortSignal,
  call: number,
) => Partial<HookAnswer> | Promise<Partial<HookAnswer>>;

export class FakeHooks implements HookPort {
  readonly inputs: HookInput[] = [];
  readonly detached: HookInput[] = [];
  readonly #world: World;
  readonly #specs: Partial<Record<HookEvent, HookSpec>>;
  readonly #calls = new Map<HookEvent, number>();
  readonly #limitMs: number | undefined;

  constructor(world: World, specs: Partial<Record<HookEvent, HookSpec>>, limitMs?: number) {
    this.#world = world;
    this.#specs = specs;
    this.#limitMs = limitMs;
  }

  limitMs(): number | undefined {
    return this.#limitMs;
  }

  has(event: HookEvent): boolean {
    return this.#world.call("hooks.has", { about: event }, () => this.#specs[event] !== undefined);
  }

  run(input: HookInput, signal: AbortSignal): Promise<HookAnswer> {
    const event = input.hook_event_name;
    this.inputs.push(input);
    const call = this.#calls.get(event) ?? 0;
    this.#calls.set(event, call + 1);
    return this.#world.callAsync(
      "hooks.run",
      { about: event, signal },
      async () => ({ ...noHookAnswer, ...(await this.#specs[event]?.(input, signal, call)) }),
      () => ({ ...noHookAnswer, blocking: ["injected"] }),
    );
  }

  runDetached(input: HookInput): void {
    this.#world.call("hooks.runDetached", { about: input.hook_event_name }, () => this.detached.push(input));
  }
}

export type PermissionSpec = (
  request: PermissionRequest,
  signal: AbortSignal,
) => PermissionDecision | Promise<PermissionDecision>;

export const allow: PermissionDecision = { behavior: "allow", reason: { type: "mode", mode: "default" } };

export function deny(message = "Not allowed here.", interrupt?: true): PermissionDecision {
  return { behavior: "deny", message, reason: { type: "user" }, ...(interrupt === undefined ? {} : { interrupt }) };
}

export class FakePermission implements PermissionPort {
  readonly requests: PermissionRequest[] = [];
  readonly #world: World;
  readonly #spec: PermissionSpec;

  constructor(world: World, spec: PermissionSpec) {
    this.#world = world;
    this.#spec = spec;
  }

  answersAtOnce = false;

  decide(request: PermissionRequest, signal: AbortSignal): PermissionDecision | Promise<PermissionDecision> {
    this.requests.push(request);
    const note = { key: request.key, signal };
    const refused = (): PermissionDecision => deny("injected");
    return this.answersAtOnce
      ? this.#world.call("permission.decide", note, () => this.#spec(request, signal), refused)
      : this.#world.callAsync("permission.decide", note, async () => this.#spec(request, signal), refused);
  }
}

export class FakeQueue implements QueuePort {
  readonly settled: { uuids: readonly string[]; outcome: string }[] = [];
  entries: { uuid: string; prompt: ContentBlock[] }[] = [];
  changes: { path: string; snippet: string }[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  take(): { uuid: string; prompt: ContentBlock[] }[] {
    return this.#world.call(
      "queue.take",
      {},
      () => this.entries.splice(0),
      () => [],
    );
  }

  settle(uuids: readonly string[], outcome: "completed" | "cancelled"): void {
    this.#world.call("queue.settle", {}, () => this.settled.push({ uuids, outcome }));
  }

  news(): Attachment[] {
    return this.#world.call(
      "queue.news",
      {},
      () => this.changes.splice(0).map((change) => ({ kind: "file_changed", ...change })),
      () => [],
    );
  }
}

export class FakeRetry implements RetryPort {
  readonly #world: World;
  readonly #maxRetries: number;

  constructor(world: World, maxRetries: number) {
    this.#world = world;
    this.#maxRetries = maxRetries;
  }

  advise(failure: ModelFailure, attempt: number): RetryAdvice {
    const no = (): RetryAdvice => ({ retry: false, failure: { ...failure, recovery: "none" } });
    return this.#world.call(
      "retry.advise",
      {},
      () =>
        attempt > this.#maxRetries
          ? no()
          : { retry: true, delayMs: failure.retryAfterMs ?? 500 * 2 ** attempt, maxRetries: this.#maxRetries },
      no,
    );
  }
}

export class FakeSummary implements SummaryPort {
  readonly #world: World;
  readonly #make: (messages: readonly Message[], signal: AbortSignal) => Promise<string | null>;

  constructor(world: World, make: (messages: readonly Message[], signal: AbortSignal) => Promise<string | null>) {
    this.#world = world;
    this.#make = make;
  }

  summarize(messages: readonly Message[], signal: AbortSignal): Promise<string | null> {
    return this.#world.callAsync(
      "summary.summarize",
      {},
      () => this.#make(messages, signal),
      () => null,
    );
  }
}

export class FakeTrace implements TracePort {
  readonly spans: { name: string; attributes: Record<string, string | number> }[] = [];
  open = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  spanStart(name: string): void {
    this.#world.call("trace.spanStart", { about: name }, () => this.open++);
  }

  spanEnd(name: string, attributes: Record<string, string | number>): void {
    this.#world.call("trace.spanEnd", { about: name }, () => {
      this.open--;
      this.spans.push({ name, attributes });
    });
  }
}

export class FakeIds implements IdPort {
  #count = 0;
  uuid(): string {
    return `00000000-0000-4000-8000-${String(++this.#count).padStart(12, "0")}`;
  }
  random(): number {
    return 0.5;
  }
}

/** A cancellation that knows how many listen to it. */
export class CountedCancel implements Cancel {
  readonly #inner = createCancel();
  readonly #before: () => void;
  #listening = 0;

  constructor(before: () => void) {
    this.#before = before;
  }

  get cause(): CancelCause | null {
    return this.#inner.cause;
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  /** Listeners of both kinds that are still there. */
  get listeners(): number {
    return this.#listening + getEventListeners(this.#inner.signal, "abort").length;
  }

  cancel(cause: CancelCause): boolean {
    if (this.#inner.cause === null) this.#before();
    return this.#inner.cancel(cause);
  }

  onCancel(listener: (cause: CancelCause) => void): () => void {
    this.#listening++;
    let isHeard = false;
    const once = (): void => {
      if (isHeard) return;
      isHeard = true;
      this.#listening--;
    };
    const forget = this.#inner.onCancel((cause) => {
      once();
      listener(cause);
    });
    return () => {
      once();
      forget();
    };
  }

  onEach(listener: (cause: CancelCause) => void): () => void {
    this.#listening++;
    let isListening = true;
    const forget = this.#inner.onEach(listener);
    return () => {
      if (isListening) this.#listening--;
      isListening = false;
      forget();
    };
  }
}
