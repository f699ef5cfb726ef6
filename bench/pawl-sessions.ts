// pawl's 200 sessions in one process, all at once, through the library. Usage: pawl-sessions.js COUNT [--memory | --hold]
// With --memory (and node --expose-gc): measures what a session holds beyond its messages, and what is left once all are closed.
// With --hold: prints a line once all have answered, and keeps them open until its input ends.
import type { createEngine, QueryEngine } from "../src/index.ts";

const count = Number(process.argv[2]);
const library = (await import(process.env["BENCH_LIBRARY"] ?? "")) as { createEngine: typeof createEngine };

async function runSession(index: number): Promise<QueryEngine> {
  const engine = await library.createEngine({ headless: true });
  let subtype = "none";
  for await (const message of engine.submitMessage(`Session ${index}: read every note in turn.`)) {
    if (message.type === "result") subtype = message.subtype;
  }
  if (subtype !== "success") throw new Error(`Session ${index} ended with ${subtype}`);
  return engine;
}

const runSessions = (length = count): Promise<QueryEngine[]> =>
  Promise.all(Array.from({ length }, (_, index) => runSession(index)));

async function disposeAll(engines: QueryEngine[]): Promise<void> {
  await Promise.all(engines.map((engine) => engine.dispose()));
}

/** Returns the bytes in use after garbage collection. */
async function heldBytes(): Promise<number> {
  // Collect twice, with an event loop iteration in between: the first round makes further objects unreachable.
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns the listeners on the process, and the resources that keep it alive. */
function processHandles(): string[] {
  const listeners = process
    .eventNames()
    .flatMap((name) => process.listeners(name as "exit").map(() => `on ${String(name)}`));
  return [...listeners, ...process.getActiveResourcesInfo()].toSorted();
}

async function measureMemory(): Promise<Record<string, unknown>> {
  // Enough sessions to compile all shared code beforehand, because it belongs to no session.
  await disposeAll(await runSessions(40));
  const before = await heldBytes();
  const handlesBefore = processHandles();
  const engines = await runSessions();
  const after = await heldBytes();
  const copies = engines.map((engine) => structuredClone(engine.getMessages()));
  const messageBytes = (await heldBytes()) - after;
  const messages = copies.reduce((sum, copy) => sum + copy.length, 0);
  copies.length = 0;
  await disposeAll(engines);
  engines.length = 0;
  const left = processHandles();
  for (const handle of handlesBefore) if (left.includes(handle)) left.splice(left.indexOf(handle), 1);
  const end = await heldBytes();
  const kilobytes = (bytes: number): number => bytes / 1024 / count;
  return {
    messages: messages / count,
    messageKilobytes: kilobytes(messageBytes),
    beyondKilobytes: kilobytes(after - before - messageBytes),
    leftKilobytes: kilobytes(end - before),
    left,
  };
}

async function holdSessions(): Promise<void> {
  const engines = await runSessions();
  process.stdout.write("open\n");
  await new Promise((resolve) => process.stdin.on("end", resolve).resume());
  await disposeAll(engines);
}

let answer: Record<string, unknown> = {};
if (process.argv[3] === "--memory") answer = await measureMemory();
else if (process.argv[3] === "--hold") await holdSessions();
else await disposeAll(await runSessions());
process.stdout.write(`${JSON.stringify({ sessions: count, ...answer })}\n`);
