/**
 * Telemetry: what a session counts, reports and times, in the form of OpenTelemetry, for collectors that the user names. It only
 * observes: nothing here throws, makes a turn wait, or takes more memory than its queues may hold.
 */
import { withoutUndefined } from "../lib/without-undefined.ts";
import type { Environment } from "../lib/environment.ts";
import { errorText } from "../lib/error-text.ts";
import { Counters } from "./counters.ts";
import { metrics, type MetricName } from "./metrics.ts";
import { Pipeline, type PipelineContext, type RecordSource } from "./pipeline.ts";
import { signals, type Signal, type TelemetryPlan } from "./plan.ts";
import { BoundedQueue } from "./queue.ts";
import type { Attributes, EventRecord, Records, SpanContext, SpanRecord } from "./record.ts";

export interface TelemetryWorld {
  /** ms since the epoch. */
  now(): number;
  /** Calls `action` repeatedly without keeping the process alive. Returns the function that stops it. */
  every(ms: number, action: () => void): () => void;
  /** Calls `action` once, and keeps the process alive until then. Returns the function that cancels it. */
  after(ms: number, action: () => void): () => void;
  /** Returns this many random bytes as hexadecimal digits. */
  randomHex(bytes: number): string;
  print(text: string): void;
  /** Shows a text to people. */
  notice(text: string): void;
  debug(text: string): void;
  headers?: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  version: string;
  /** The variables that name the proxy to collectors, if there is one. */
  proxies: Environment;
}

/** An operation with a duration. It can be ended once; further calls have no effect. */
export interface OpenSpan {
  readonly context: SpanContext;
  end(attributes?: Attributes, isError?: boolean): void;
}

const batchSize = 512;

export class Telemetry {
  readonly plan: TelemetryPlan;
  readonly #world: TelemetryWorld;
  readonly #pipelines: Record<Signal, Pipeline[]>;
  readonly #counters: Counters[];
  readonly #logs: BoundedQueue<EventRecord>[];
  readonly #spans: BoundedQueue<SpanRecord>[];
  readonly #abort = new AbortController();
  readonly #stopTimers: (() => void)[];
  #hasReported = false;
  #sequence = 0;
  #closing: Promise<void> | undefined;

  constructor(plan: TelemetryPlan, world: TelemetryWorld) {
    this.plan = plan;
    this.#world = world;
    const { destinations, isCumulative, resource } = plan;
    const { version, headers } = world;
    const pipelineContext: PipelineContext = {
      resource,
      version,
      proxies: world.proxies,
      ...(headers === undefined ? {} : { headers }),
      print: (text) => world.print(text),
      reportProblem: (problem) => this.#reportProblem(problem),
      signal: this.#abort.signal,
    };
    this.#counters = destinations.metrics.map(() => new Counters(isCumulative, world.now()));
    this.#logs = destinations.logs.map(() => new BoundedQueue<EventRecord>());
    this.#spans = destinations.traces.map(() => new BoundedQueue<SpanRecord>());
    this.#pipelines = {
      metrics: destinations.metrics.map(
        (to, at) => new Pipeline(metricSource(this.#counters[at]!, plan, world), to, pipelineContext),
      ),
      logs: destinations.logs.map((to, at) => {
        const source = queueSource(this.#logs[at]!, (records) => ({ signal: "logs", records }));
        return new Pipeline(source, to, pipelineContext);
      }),
      traces: destinations.traces.map((to, at) => {
        const source = queueSource(this.#spans[at]!, (records) => ({ signal: "traces", records }));
        return new Pipeline(source, to, pipelineContext);
      }),
    };
    this.#stopTimers = signals.flatMap((signal) =>
      this.#pipelines[signal].length === 0 ? [] : [world.every(plan.intervals[signal], () => this.#flushSoon(signal))],
    );
  }

  get hasTraces(): boolean {
    return this.#spans.length > 0;
  }

  count(name: MetricName, value: number, attributes: Attributes): void {
    if (this.#closing !== undefined || !(value > 0)) return;
    const metric = { name: `claude_code.${name}`, ...metrics[name] };
    for (const counters of this.#counters) counters.add(metric, value, withoutUndefined(attributes), this.#world.now());
  }

  /** Records an event. Long texts are cut. */
  log(name: string, attributes: Attributes, span?: SpanContext): void {
    if (this.#closing !== undefined || this.#logs.length === 0) return;
    const atMs = this.#world.now();
    const order = {
      "event.name": name,
      "event.timestamp": new Date(atMs).toISOString(),
      "event.sequence": this.#sequence++,
    };
    const record: EventRecord = { name, atMs, attributes: shortenTexts({ ...order, ...attributes }), span };
    const size = sizeOf(record.attributes);
    for (const queue of this.#logs) queue.push(record, size);
    if (this.#pipelines.logs.some((pipeline) => pipeline.isFull(batchSize))) this.#flushSoon("logs");
  }

  /** Starts a span, which records nothing if no traces are sent. `agoMs`: how long ago it began. */
  span(name: string, parent: SpanContext | undefined, attributes: Attributes, agoMs = 0): OpenSpan {
    const context = {
      traceId: parent?.traceId ?? this.#world.randomHex(16),
      spanId: this.#world.randomHex(8),
    };
    const fromMs = this.#world.now() - agoMs;
    let isOpen = this.hasTraces;
    const end = (more: Attributes = {}, isError = false): void => {
      if (!isOpen || this.#closing !== undefined) return;
      isOpen = false;
      const own = shortenTexts({ ...attributes, ...more });
      const toMs = Math.max(fromMs, this.#world.now());
      const record = {
        ...context,
        name: `claude_code.${name}`,
        parentSpanId: parent?.spanId,
        fromMs,
        toMs,
        attributes: own,
        isError,
      };
      for (const queue of this.#spans) queue.push(record, sizeOf(own));
      if (this.#pipelines.traces.some((pipeline) => pipeline.isFull(batchSize))) this.#flushSoon("traces");
    };
    return { context, end };
  }

  /** A failed observer affects nothing else. */
  noteFailure(error: unknown): void {
    this.#world.debug(`telemetry: ${errorText(error)}`);
  }

  /** Sends what is left, waiting at most as long as the plan says. Can be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const stop of this.#stopTimers) stop();
    const stop = this.#world.after(this.plan.closeMs, () => this.#abort.abort());
    try {
      await Promise.all(signals.flatMap((signal) => this.#pipelines[signal].map((pipeline) => pipeline.finish())));
    } finally {
      stop();
    }
    const dropped = [...this.#logs, ...this.#spans].reduce((sum, queue) => sum + queue.dropped, 0);
    if (dropped > 0) this.#world.debug(`telemetry: ${dropped} records were dropped, the oldest first`);
  }

  async #flush(signal: Signal): Promise<void> {
    await Promise.all(this.#pipelines[signal].map((pipeline) => pipeline.flush()));
  }

  /** Only the end of the session waits for this flush, and sends what is left after it. */
  #flushSoon(signal: Signal): void {
    this.#flush(signal).catch((error: unknown) => this.noteFailure(error));
  }

  /** People are told about the first problem; the others only go to the debug file. */
  #reportProblem(problem: string): void {
    try {
      this.#world.debug(`telemetry: ${problem}`);
      if (this.#hasReported) return;
      this.#hasReported = true;
      this.#world.notice(
        `Telemetry could not be sent to ${problem}. The session goes on without it; this is said once.`,
      );
    } catch (error) {
      this.#world.debug(`telemetry: a notice could not be given (${errorText(error)})`);
    }
  }
}

function metricSource(counters: Counters, { isCumulative }: TelemetryPlan, world: TelemetryWorld): RecordSource {
  return {
    get size() {
      return counters.size;
    },
    take() {
      const { points, putBack } = counters.collect(world.now());
      return { records: { signal: "metrics", records: points, isCumulative }, putBack };
    },
  };
}

function queueSource<T>(queue: BoundedQueue<T>, toRecords: (records: T[]) => Records): RecordSource {
  return {
    get size() {
      return queue.size;
    },
    take() {
      const { records, putBack } = queue.take(batchSize);
      return { records: toRecords(records), putBack };
    },
  };
}

/** The limit of the convention. */
const maxTextLength = 60 * 1024;

function shortenTexts(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(withoutUndefined(attributes)).map(([key, value]) => [
      key,
      typeof value === "string" && value.length > maxTextLength ? value.slice(0, maxTextLength) : value,
    ]),
  );
}

/** The approximate number of characters. */
function sizeOf(attributes: Attributes): number {
  let size = 100;
  for (const [key, value] of Object.entries(attributes)) size += key.length + String(value).length;
  return size;
}
