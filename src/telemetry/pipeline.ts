/** Sends one signal to one destination, in batches, one after the other. Records that could not be sent wait for the next time. */
import { errorText } from "../lib/error-text.ts";
import type { Environment } from "../lib/environment.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import { consoleLines } from "./console.ts";
import { otlpBody } from "./otlp.ts";
import type { Collector, Destination } from "./plan.ts";
import { post, type PostResult } from "./post.ts";
import { toProtobuf } from "./protobuf.ts";
import type { Attributes, Records } from "./record.ts";

/** What the pipelines of one session share. */
export interface PipelineContext {
  resource: Attributes;
  version: string;
  /** Returns further headers, if a command supplies them. */
  headers?: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** Used by the exporter `console`. */
  print: (text: string) => void;
  /** Called if a collector cannot be reached or rejects the data. */
  reportProblem: (problem: string) => void;
  /** The variables that name the proxy to collectors, if there is one. */
  proxies: Environment;
  /** Aborts requests in progress. */
  signal: AbortSignal;
}

export interface RecordSource {
  readonly size: number;
  take(): { records: Records; putBack: () => void };
}

export class Pipeline {
  readonly #source: RecordSource;
  readonly #destination: Destination;
  readonly #context: PipelineContext;
  #sending: Promise<void> | undefined;
  #hasFailed = false;

  constructor(source: RecordSource, destination: Destination, context: PipelineContext) {
    this.#source = source;
    this.#destination = destination;
    this.#context = context;
  }

  /** Whether so much is waiting that it should be sent early. Not after a failure: a collector that is down is not asked at each event. */
  isFull(batch: number): boolean {
    return !this.#hasFailed && this.#source.size >= batch;
  }

  /** Sends everything waiting. Never rejects; a caller during a flush waits for that flush. */
  flush(): Promise<void> {
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Sends the rest: a flush in progress does not include the latest records. */
  async finish(): Promise<void> {
    await this.#sending;
    await this.flush();
  }

  async #drain(): Promise<void> {
    // Records that arrive meanwhile are left for the next flush: otherwise a busy session would never end this one.
    for (let left = this.#source.size; left > 0 && !this.#context.signal.aborted;) {
      const { records, putBack } = this.#source.take();
      left -= Math.max(1, records.records.length);
      const posted = await this.#send(records);
      this.#hasFailed = !posted.ok;
      if (posted.ok) continue;
      if (posted.mayRetry) putBack();
      this.#context.reportProblem(`${destinationName(this.#destination)}: ${posted.why}`);
      return;
    }
  }

  async #send(records: Records): Promise<PostResult> {
    try {
      if (this.#destination.kind === "console") {
        this.#context.print(consoleLines(records));
        return { ok: true };
      }
      return await this.#post(records, this.#destination);
    } catch (error) {
      return { ok: false, why: errorText(error), mayRetry: false };
    }
  }

  async #post(records: Records, { url, protocol, headers, timeoutMs }: Collector): Promise<PostResult> {
    const { resource, version, signal, proxies } = this.#context;
    const furtherHeaders = this.#context.headers?.(signal) ?? Promise.resolve({});
    const more = await rejectOnAbort(furtherHeaders, signal).catch((error: unknown) =>
      signal.aborted ? "the session ended before its headers were known" : errorText(error),
    );
    if (typeof more === "string") return { ok: false, why: more, mayRetry: true };
    const tree = otlpBody(records, resource, version);
    const isJson = protocol === "http/json";
    const body = isJson ? Buffer.from(JSON.stringify(tree), "utf8") : toProtobuf(tree);
    const type = isJson ? "application/json" : "application/x-protobuf";
    const sent = { ...headers, ...more, "content-type": type, "user-agent": `pawl/${version}` };
    return await post({ url, headers: sent, body, timeoutMs, signal, proxies });
  }
}

/** Names the destination without parts of the URL that may be secret. */
function destinationName(destination: Destination): string {
  return destination.kind === "console" ? "console" : `${destination.url.origin}${destination.url.pathname}`;
}
