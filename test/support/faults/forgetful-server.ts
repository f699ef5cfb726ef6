/** A model for runs of thousands of turns. It judges each request without keeping it, and fails now and then. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { blocksOf, problemsOf, type Json, type WireRequest } from "../../e2e/support/strict.ts";
import { errorBody, messageEvents } from "../../e2e/support/wire.ts";

export interface ForgetfulServer {
  url: string;
  readonly counts: Record<string, number>;
  readonly problems: string[];
  close(): Promise<void>;
}

/** Coprime strides, so that every fault meets every phase of the conversation. */
const faults: readonly (readonly [every: number, name: string])[] = [
  [61, "overloaded"],
  [83, "reset before the headers"],
  [97, "cut in the middle"],
  [113, "reset after the call"],
];

export async function startForgetfulServer(folder: () => string): Promise<ForgetfulServer> {
  const counts: Record<string, number> = {};
  const problems: string[] = [];
  const count = (name: string): number => (counts[name] = (counts[name] ?? 0) + 1);
  const failures: unknown[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => failures.push(error));
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await incoming.toArray()).toString("utf8");
    const request = JSON.parse(text) as WireRequest;
    const at = count("requests");
    const isSpan = isSpanAsked(request);
    for (const problem of problemsOf(request, { signatures: false }).slice(0, 3))
      // A span is sent once and alone, so its tail needs no cache breakpoint.
      if (!isSpan || problem !== "no breakpoint moves with the tail") problems.push(`request ${at}: ${problem}`);
    const fault = faults.find(([every]) => at % every === 0)?.[1];
    if (fault !== undefined) count(fault);
    if (fault === "reset before the headers") return void incoming.socket.resetAndDestroy();
    if (fault === "overloaded") {
      response.writeHead(529, { "content-type": "application/json", "retry-after-ms": "5" });
      return void response.end(errorBody("overloaded_error", "Overloaded"));
    }
    if (isSummaryAsked(request)) count("summaries");
    if (isSpan) count("summaries of spans");
    // About what a real server counts, so that the client knows when its window fills.
    const events = answerEvents(request, at, folder(), { input_tokens: Math.ceil(text.length / 4), output_tokens: 1 });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const keep = fault === undefined ? events.length : fault === "cut in the middle" ? 3 : events.length - 2;
    response.write(
      events
        .slice(0, keep)
        .map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
    );
    if (fault === "reset after the call") setTimeout(() => incoming.socket.resetAndDestroy(), 20);
    else response.end();
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    problems,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (failures.length > 0) throw failures[0];
    },
  };
}

function isSummaryAsked({ messages }: WireRequest): boolean {
  return JSON.stringify(messages.at(-1)).includes("the conversation is about to be shortened");
}

function isSpanAsked({ messages }: WireRequest): boolean {
  return JSON.stringify(messages.at(-1)).includes("The work above is finished.");
}

/** Answers a prompt with a tool call, a tool result with text, and a request for a summary with a summary. */
function answerEvents(request: WireRequest, at: number, folder: string, usage: Json): Json[] {
  const last = blocksOf(request.messages.at(-1) ?? { role: "user", content: [] });
  const isSummary = isSummaryAsked(request) || isSpanAsked(request);
  const isAnswered = last.some((block) => block["type"] === "tool_result");
  const id = `msg_${at}`;
  if (isSummary || isAnswered) {
    const text = isSummary ? "Many small things were done." : `Done, ${"and said at some length ".repeat(8)}😀.`;
    return messageEvents([{ type: "text", text }], { id, usage });
  }
  const call = { type: "tool_use", id: `toolu_${at}`, ...toolUseAt(at, folder) };
  return messageEvents([{ type: "text", text: "One more." }, call], { id, usage, stopReason: "tool_use" });
}

function toolUseAt(at: number, folder: string): Json {
  const file = `${folder}/made-${at % 40}-${Math.trunc(at / 40)}.txt`;
  const calls: Json[] = [
    { name: "Glob", input: { pattern: "notes*" } },
    { name: "Read", input: { file_path: `${folder}/notes.txt` } },
    { name: "Bash", input: { command: `echo ${at} >> effects.log`, description: "Mark" } },
    { name: "TodoWrite", input: { todos: [{ content: `Thing ${at}`, status: "pending", activeForm: "Doing it" }] } },
    { name: "Write", input: { file_path: file, content: `line ${at}\n` } },
    { name: "Bash", input: { command: "seq 1 8000", description: "Print a lot" } },
    { name: "Grep", input: { pattern: "note" } },
  ];
  return calls[at % calls.length] ?? {};
}
