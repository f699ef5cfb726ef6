/** The harness's handle on the server's process. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ScriptOptions } from "./scripts.ts";
import type { ServerAnswer, ServerQuestion, ServerReport } from "./server-types.ts";

export class ServerProcess {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "server.ts"));
  }

  /** Serves the script to the programs that `work` starts. Returns the result of `work` and the server's report. */
  async serve<T>(
    script: string,
    options: ScriptOptions,
    work: (url: string) => Promise<T>,
  ): Promise<{ result: T; report: ServerReport }> {
    const started = await this.#ask({ ask: "start", script, options });
    if (!("url" in started)) throw new Error("The server did not start");
    const result = await work(started.url);
    const stopped = await this.#ask({ ask: "stop" });
    if (!("report" in stopped)) throw new Error("The server did not report");
    return { result, report: stopped.report };
  }

  close(): void {
    this.#child.disconnect();
  }

  async #ask(question: ServerQuestion): Promise<ServerAnswer> {
    const answered = once(this.#child, "message");
    this.#child.send(question);
    const [answer] = (await answered) as [ServerAnswer];
    if ("error" in answer) throw new Error(answer.error);
    return answer;
  }
}
