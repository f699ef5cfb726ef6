// One session with a model in the same process, without a network: what its turns cost as its history grows.
// Usage: pawl-history.js TURNS [SESSION_ID], which continues a copy of that session. Prints the CPU time at each request.
import { cpuMs, library, streamedResponse, type StreamEvent } from "./in-process-model.ts";

const turns = Number(process.argv[2]);
const resume = process.argv[3];

const note = "const value = compute(0, 'part 0');\n".repeat(18);
const schema = { type: "object" as const, properties: { at: { type: "number" } }, required: ["at"] };
const notes = library.tool("Note", "Gives a note.", schema, async () => note, { readOnlyHint: true });

function replyEvents(at: number): StreamEvent[] {
  const isLast = at >= turns;
  const usage = { input_tokens: 900, output_tokens: 40 };
  const call = { type: "tool_use", id: `toolu_${at}_${process.pid}`, name: "Note", input: {} };
  const events: StreamEvent[] = [
    { type: "message_start", message: { id: `msg_${at}_${process.pid}`, role: "assistant", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `Step ${at}: on to the next part.` } },
    { type: "content_block_stop", index: 0 },
  ];
  if (!isLast)
    events.push(
      { type: "content_block_start", index: 1, content_block: call },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: `{"at":${at}}` } },
      { type: "content_block_stop", index: 1 },
    );
  const delta = { stop_reason: isLast ? "end_turn" : "tool_use" };
  events.push({ type: "message_delta", delta, usage }, { type: "message_stop" });
  return events;
}

const arrivals: number[] = [];
/** The cost of only serializing the first request. */
let stringifyMs = 0;
const engine = await library.createEngine({
  headless: true,
  tools: [],
  customTools: [notes],
  ...(resume === undefined ? {} : { resume, forkSession: true }),
  async transport(exchange) {
    arrivals.push(cpuMs());
    if (arrivals.length === 1) {
      const sent: unknown = JSON.parse(Buffer.from(exchange.body).toString());
      const from = cpuMs();
      JSON.stringify(sent);
      stringifyMs = cpuMs() - from;
      arrivals.push(cpuMs());
    }
    return streamedResponse(replyEvents(arrivals.length - 1));
  },
});
async function submitPrompt(prompt: string): Promise<void> {
  let subtype = "none";
  for await (const message of engine.submitMessage(prompt)) if (message.type === "result") subtype = message.subtype;
  if (subtype !== "success") throw new Error(`The session ended with ${subtype}`);
}

const startedAtMs = cpuMs();
await submitPrompt("Go through the notes.");
const [first = 0, ...rest] = arrivals.splice(0);
// The last reply ends its turn at once, so this prompt is one request.
arrivals.length = turns + 1;
const askedAtMs = cpuMs();
await submitPrompt("Thank you.");
const promptMs = (arrivals.at(-1) ?? Number.NaN) - askedAtMs;
await engine.dispose();
process.stdout.write(`${JSON.stringify({ firstMs: first - startedAtMs, stringifyMs, promptMs, arrivals: rest })}\n`);
