/** The way of one signal to one destination: batches, one after the other. What could not be sent waits for the next time. */
import type { ProxyVariables } from "../lib/proxy.ts";
import { errorText } from "../lib/error-text.ts";
import { untilAbort } from "../lib/until-abort.ts";
import { consoleLines } from "./console.ts";
import { otlpBody } from "./otlp.ts";
import type { Collector, Destination } from "./plan.ts";
import { post, type Posted } from "./post.ts";
import { toProtobuf } from "./protobuf.ts";
import type { Attributes, Records } from "./record.ts";

/** What the pipelines of one session have in common. */
export interface Outside {
  resource: Attributes;
  version: string;
  /** Further headers, where a command gives them. */
  headers?: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** For the exporter `console`. */
  print: (text: string) => void;
  /** A collector could not be reached, or would not have it. */
  complain: (problem: string) => void;
  /** Where the proxy to collectors is named, if there is one. */
  proxies: ProxyVariables;
  /** Aborts what is on its way. */
  signal: AbortSignal;
}

export interface Source {
  readonly size: number;
  take(): { records: Records; putBack: () => void };
}

export class Pipeline {
  readonly #source: Source;
  readonly #destination: Destination;
  readonly #outside: Outside;
  #sending: Promise<void> | undefined;
  #hasFailed = false;

  constructor(source: Source, destination: Destination, outside: Outside) {
    this.#source = source;
    this.#destination = destination;
    this.#outside = outside;
  }

  /** So much waits that it should not wait for its time. After a failure it does: who is down is not asked with each event. */
  isFull(batch: number): boolean {
    return !this.#hasFailed && this.#source.size >= batch;
  }

  /** Sends what there is. Never rejects; whoever asks while it sends waits for the same. */
  flush(): Promise<void> {
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** The last of it: what is on its way was taken before that came. */
  async finish(): Promise<void> {
    await this.#sending;
    await this.flush();
  }

  async #drain(): Promise<void> {
    // What comes while this is sent goes with the next: a busy session ends no drain.
    for (let left = this.#source.size; left > 0 && !this.#outside.signal.aborted;) {
      const { records, putBack } = this.#source.take();
      left -= Math.max(1, records.records.length);
      const posted = await this.#send(records);
      this.#hasFailed = !posted.ok;
      if (posted.ok) continue;
      if (posted.mayRetry) putBack();
      this.#outside.complain(`${nameOf(this.#destination)}: ${posted.why}`);
      return;
    }
  }

  async #send(records: Records): Promise<Posted> {
    try {
      if (this.#destination.kind === "console") {
        this.#outside.print(consoleLines(records));
        return { ok: true };
      }
      return await this.#post(records, this.#destination);
    } catch (error) {
      return { ok: false, why: errorText(error), mayRetry: false };
    }
  }

  async #post(records: Records, { url, protocol, headers, timeoutMs }: Collector): Promise<Posted> {
    const { resource, version, signal, proxies } = this.#outside;
    const asked = this.#outside.headers?.(signal) ?? Promise.resolve({});
    const more = await untilAbort(asked, signal).catch((error: unknown) =>
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

/** Without what may be secret in an address. */
function nameOf(destination: Destination): string {
  return destination.kind === "console" ? "console" : `${destination.url.origin}${destination.url.pathname}`;
}
