// Prompts one after another, each in its own session: by an executable, as agent SDKs do, or by query() in this process.
// Usage: pawl-query.js child|here COUNT [--deltas]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { query } from "../src/index.ts";

const [, , side = "here", count = "1", more] = process.argv;
const isPartial = more === "--deltas";
const prompt = "Look at every note in turn and say when you are done.";

interface ClientMessage {
  type: string;
  subtype?: string;
}

/** Acts as a client over pipes: initialize, the prompt, its messages, the end of the input. */
async function* messagesOfChild(): AsyncGenerator<ClientMessage> {
  const flags = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
  const argv = [process.env["BENCH_COMMAND"] ?? "", ...flags, ...(isPartial ? ["--include-partial-messages"] : [])];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const write = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  write({ type: "control_request", request_id: "1", request: { subtype: "initialize" } });
  write({ type: "user", message: { role: "user", content: prompt }, parent_tool_use_id: null });
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as ClientMessage;
    if (message.type === "result") child.stdin.end();
    yield message;
  }
  await ended;
}

async function* messagesOfQuery(): AsyncGenerator<ClientMessage> {
  const library = (await import(process.env["BENCH_LIBRARY"] ?? "")) as { query: typeof query };
  yield* library.query({ prompt, options: { includePartialMessages: isPartial } });
}

const durations: number[] = [];
let messages = 0;
for (let index = 0; index < Number(count); index++) {
  const began = performance.now();
  let subtype = "none";
  for await (const message of side === "child" ? messagesOfChild() : messagesOfQuery()) {
    messages += 1;
    if (message.type === "result") subtype = message.subtype ?? "";
  }
  if (subtype !== "success") throw new Error(`Prompt ${index} ended with ${subtype}`);
  durations.push(performance.now() - began);
}
// The first prompt loads and compiles the code.
const later = durations.length > 1 ? durations.slice(1) : durations;
const middle = later.toSorted((one, other) => one - other)[later.length >> 1];
process.stdout.write(`${JSON.stringify({ middle, messages })}\n`);
