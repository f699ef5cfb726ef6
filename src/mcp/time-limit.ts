/** An end for work with a server: at the latest after some time, and at once where nobody wants it any more. */
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { McpClock } from "./world.ts";

export class TimeLimit {
  readonly #ended = new AbortController();
  readonly stop: () => void;

  constructor(clock: McpClock, ms: number) {
    this.stop = clock.timer(ms, () => this.end(new SdkError(SdkErrorCode.RequestTimeout, "it took too long")));
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(why: Error): void {
    this.#ended.abort(why);
  }
}
