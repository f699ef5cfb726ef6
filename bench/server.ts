// The scripted model in its own process, so that none of its work counts as the agent's. The harness forks it once,
// requests a fresh server for each run over the channel and, after the run, that server's report.
import { watch, type FSWatcher } from "node:fs";
import { startScriptedServer, type ScriptedServer } from "../src/testing/index.ts";
import { effectFile, scripts, type ScriptOptions } from "./scripts.ts";
import { promptTokens } from "./tokens.ts";
import type { Exchange, ServerAnswer, ServerQuestion, ServerReport } from "./server-types.ts";

interface RunningServer {
  server: ScriptedServer;
  /** Monotonic ms from which the server's record times count. */
  startedAt: number;
  /** By request number. */
  endedAt: Map<number, number>;
  pausedAt: number | undefined;
  effectAt: number | undefined;
  watcher: FSWatcher | undefined;
  epochOffset: number;
}

/** In ms, from a clock that all processes of the machine share. */
const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Returns what to add to the monotonic clock to get epoch ms. Read at the moment when the coarser clock ticks. */
function epochOffset(): number {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  return now - monotonic();
}

async function startServer(name: string, options: ScriptOptions): Promise<RunningServer> {
  const make = scripts[name];
  if (make === undefined) throw new Error(`No script is called ${name}`);
  const { script, watched, ...settings } = make(options);
  const endedAt = new Map<number, number>();
  const startedAt = monotonic();
  const running: RunningServer = {
    startedAt,
    endedAt,
    pausedAt: undefined,
    effectAt: undefined,
    watcher: undefined,
    epochOffset: epochOffset(),
    server: await startScriptedServer(script, {
      ...settings,
      now: monotonic,
      onRecord: (record) => endedAt.set(record.number, monotonic()),
      async sleep(milliseconds) {
        // Called when everything before the pause has been handed to the socket.
        running.pausedAt ??= monotonic();
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
      },
    }),
  };
  if (watched !== undefined) {
    running.watcher = watch(watched, (_, name) => {
      if (name === effectFile) running.effectAt ??= monotonic();
    });
  }
  return running;
}

async function stopServer({ server, startedAt, endedAt, watcher, ...seen }: RunningServer): Promise<ServerReport> {
  watcher?.close();
  await server.close();
  server.assertDone();
  const calls = server.requests.filter(({ endpoint }) => endpoint === "messages");
  const exchanges: Exchange[] = calls.map(({ number, at, bodyBytes }) => ({
    arrivedAt: startedAt + at,
    endedAt: endedAt.get(number),
    bodyBytes,
  }));
  const first = calls[0];
  return {
    exchanges,
    firstArrivedEpoch: first === undefined ? undefined : startedAt + first.at + seen.epochOffset,
    otherRequests: server.requests.length - calls.length,
    dollars: server.bill.totalUsd,
    cacheReadShare: server.cacheReadShare,
    prefix: first?.body === undefined ? undefined : promptTokens(first.body),
    effectMs: seen.effectAt === undefined || seen.pausedAt === undefined ? undefined : seen.effectAt - seen.pausedAt,
  };
}

let running: RunningServer | undefined;

async function answerQuestion(question: ServerQuestion): Promise<ServerAnswer> {
  if (question.ask === "start") {
    running = await startServer(question.script, question.options);
    return { url: running.server.url };
  }
  if (running === undefined) throw new Error("No server is running");
  const report = await stopServer(running);
  running = undefined;
  return { report };
}

process.on("message", (question: ServerQuestion) => {
  answerQuestion(question).then(
    (message) => process.send?.(message),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
