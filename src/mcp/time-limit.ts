/** A limit for work with a server: it ends after some time, or at once when it is no longer needed. */
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { McpClock } from "./world.ts";

export class TimeLimit {
  readonly #controller = new AbortController();
  readonly stop: () => void;

  constructor(clock: McpClock, ms: number) {
    this.stop = clock.timer(ms, () => this.end(new SdkError(SdkErrorCode.RequestTimeout, "it took too long")));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(why: Error): void {
    this.#controller.abort(why);
  }
}
