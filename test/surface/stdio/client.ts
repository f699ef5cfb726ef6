/** A client of the control protocol, written from the protocol alone: it drives pawl over pipes, those of a process or of this one. */
import { randomUUID } from "node:crypto";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { parseArguments } from "../../../src/cli/args.ts";
import { startDrivenRun } from "../../../src/cli/driven-run.ts";
import { engineOptions } from "../../../src/cli/engine-options.ts";
import type { RunResources } from "../../../src/cli/run-resources.ts";
import { UsageError } from "../../../src/lib/usage-error.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { calls, inOrder, refusals, says } from "../../e2e/support/ask.ts";
import { makePlace, type Place } from "../../e2e/support/place.ts";
import { startWire, type Answer, type Answerer, type WireServer } from "../../e2e/support/wire.ts";

export { calls, says };
export type Json = Record<string, unknown>;

type Answers = (request: Json, signal: AbortSignal) => Json | Promise<Json>;

export interface ClientOptions {
  args?: readonly string[];
  /** Answers what is asked of the client; what it throws is an error response. */
  answer?: Answers;
  env?: Record<string, string>;
  /** The real command as a process of its own. Else everything but the process: quicker. */
  isProcess?: true;
}

export interface Ended {
  code: number | null;
  stderr: string;
}

interface Link {
  stdin: Writable;
  stdout: Readable;
  stderr: () => string;
  ended: Promise<Ended>;
  /** Undefined where it is no process of its own. */
  pid?: number;
  stop: StopDesk;
}

const words = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

function processLink(place: Place, args: readonly string[], env: Record<string, string>): Link {
  const started = place.start([...words, ...args], { stdin: "open", env });
  const { child, ended } = started;
  const stderr = (): string => started.stderr();
  const { stdin, stdout, pid } = child;
  return { stdin, stdout, stderr, ended, stop: new StopDesk(), ...(pid === undefined ? {} : { pid }) };
}

/** As the command does it, without its process. */
function linkHere(place: Place, args: readonly string[], env: Record<string, string>): Link {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.setEncoding("utf8");
  let told = "";
  stderr.on("data", (chunk) => (told += String(chunk)));
  const stop = new StopDesk();
  const resources: Pick<RunResources, "stop" | "engine"> = { stop };
  const tell = (text: string): void => void (told += `pawl: ${text}\n`);
  const run = async (): Promise<number> => {
    try {
      const command = parseArguments([...words, ...args]);
      if (command.kind !== "run") throw new UsageError("no run");
      const around = { env: { ...place.env, ...env }, cwd: place.folder, version: "1.2.3" };
      const options = { ...engineOptions(command.run, around), onNotice: tell };
      const places = { stdin, stdout, stderr, resources, version: "1.2.3", newId: randomUUID };
      return await startDrivenRun(command.run, options, places);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      tell(error.message);
      return 2;
    } finally {
      await resources.engine?.dispose();
    }
  };
  const ended = run().then((code) => ({ code, stderr: told }));
  return { stdin, stdout, stderr: () => told, ended, stop };
}

export class Client {
  readonly place: Place;
  readonly server: WireServer;
  readonly messages: Json[] = [];
  /** Requests of the other side, in order. */
  readonly controlRequests: Json[] = [];
  readonly withdrawn: string[] = [];
  readonly replies: Json[] = [];
  /** Types of all lines as they came. */
  readonly order: string[] = [];
  readonly ended: Promise<Ended>;
  readonly link: Link;
  readonly #answer: Answers | undefined;
  readonly #open = new Map<string, AbortController>();
  #watchers = new Set<() => void>();
  #incompleteLine = "";
  #ids = 0;

  constructor(place: Place, server: WireServer, { args = [], answer, env = {}, isProcess }: ClientOptions) {
    this.place = place;
    this.server = server;
    this.#answer = answer;
    this.link = isProcess === true ? processLink(place, args, env) : linkHere(place, args, env);
    this.link.stdout.on("data", (text: string) => this.#take(text));
    this.link.stdin.on("error", () => undefined);
    this.ended = this.link.ended;
  }

  get stderr(): string {
    return this.link.stderr();
  }

  write(message: Json | string): void {
    this.link.stdin.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
  }

  /** Answers the inner response; rejects with the error of an error response. */
  async request(subtype: string, fields: Json = {}): Promise<Json> {
    this.#ids += 1;
    const id = `r${this.#ids}`;
    this.write({ type: "control_request", request_id: id, request: { subtype, ...fields } });
    const reply = await this.replyTo(id);
    if (reply["subtype"] === "error") throw new Error(String(reply["error"]));
    return reply["response"] as Json;
  }

  async replyTo(id: string): Promise<Json> {
    const found = (): Json | undefined => this.replies.find((reply) => reply["request_id"] === id);
    await this.until(() => found() !== undefined, `a reply to ${id}`);
    return found() ?? {};
  }

  sendPrompt(content: unknown, extra: Json = {}): void {
    this.write({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      session_id: "",
      ...extra,
    });
  }

  results(): Json[] {
    return this.messages.filter(({ type }) => type === "result");
  }

  async result(count = 1): Promise<Json> {
    await this.until(() => this.results().length >= count, `${count} results`);
    return this.results()[count - 1] ?? {};
  }

  /** Resolves once the condition holds, checked with everything that comes; rejects when the process ends without it. */
  until(condition: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const watch = (): void => {
        if (!condition()) return;
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
      watch();
      this.ended.then(
        ({ code, stderr }) => {
          watch();
          const seen = JSON.stringify(this.messages.slice(-5));
          reject(new Error(`ended with ${code} without ${what}:\n${seen}\n${stderr}`));
        },
        (error: unknown) => reject(error as Error),
      );
    });
  }

  /** No more input; resolves with its end. */
  async close(): Promise<Ended> {
    this.link.stdin.end();
    return await this.ended;
  }

  #take(text: string): void {
    const lines = (this.#incompleteLine + text).split("\n");
    this.#incompleteLine = lines.pop() ?? "";
    for (const line of lines) this.#read(JSON.parse(line) as Json);
    for (const watch of this.#watchers) watch();
  }

  #read(message: Json): void {
    this.order.push(String(message["type"]));
    switch (message["type"]) {
      case "control_response":
        this.replies.push(message["response"] as Json);
        return;
      case "control_request":
        this.#onControlRequest(String(message["request_id"]), message["request"] as Json);
        return;
      case "control_cancel_request": {
        const id = String(message["request_id"]);
        if (this.#open.has(id)) this.withdrawn.push(id);
        this.#open.get(id)?.abort();
        return;
      }
      default:
        this.messages.push(message);
    }
  }

  #onControlRequest(id: string, request: Json): void {
    this.controlRequests.push(request);
    const controller = new AbortController();
    this.#open.set(id, controller);
    const reply = (response: Json): void => {
      if (!controller.signal.aborted)
        this.write({ type: "control_response", response: { request_id: id, ...response } });
    };
    Promise.resolve()
      .then(() => {
        if (this.#answer === undefined) throw new Error("nobody answers here");
        return this.#answer(request, controller.signal);
      })
      .then(
        (response) => reply({ subtype: "success", response }),
        (error: unknown) => reply({ subtype: "error", error: (error as Error).message }),
      );
  }
}

/** A turn whose model begins an agent in the background, which answers `counted` once that is there. */
export function beginsAgent(counted: Promise<Answer>): Answerer {
  const agent = calls(["Agent", { description: "counts", prompt: "Count.", run_in_background: true }]);
  let asked = 0;
  return ({ body }) => {
    if (JSON.stringify(body.messages[0]).includes("Count.")) return counted;
    asked += 1;
    return asked === 1 ? agent : says("begun");
  };
}

/** A client, a folder, and a scripted server, all closed afterwards; every request to the server has to be valid. */
export async function drive<T>(
  answers: readonly Answer[] | Answerer,
  options: ClientOptions,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const server = await startWire(typeof answers === "function" ? answers : inOrder(answers));
  const place = makePlace(server.url);
  try {
    const client = new Client(place, server, options);
    const outcome = await use(client);
    const problems = refusals(server.requests);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return outcome;
  } finally {
    place.clear();
    await server.close();
  }
}
