// One session in which every prompt calls a tool that may change anything: what the snapshots of the folder before and after cost.
// Usage: pawl-snapshots.js on|off PROMPTS. Prints the CPU time of each prompt, including both snapshots.
import { cpuMs, library, streamedResponse, type StreamEvent } from "./in-process-model.ts";

const [, , checkpointing = "off", count = "10"] = process.argv;

function replyEvents(at: number): StreamEvent[] {
  const usage = { input_tokens: 900, output_tokens: 40 };
  const isCall = at % 2 === 0;
  const block = isCall
    ? { type: "tool_use", id: `toolu_${at}`, name: "Act", input: {} }
    : { type: "text", text: "Done." };
  return [
    { type: "message_start", message: { id: `msg_${at}`, role: "assistant", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: isCall ? "tool_use" : "end_turn" }, usage },
    { type: "message_stop" },
  ];
}

let requests = 0;
const engine = await library.createEngine({
  headless: true,
  tools: [],
  permissionMode: "bypassPermissions",
  enableFileCheckpointing: checkpointing === "on",
  customTools: [library.tool("Act", "Does nothing.", { type: "object" }, async () => "done")],
  async transport() {
    return streamedResponse(replyEvents(requests++));
  },
});

const prompts: number[] = [];
for (let at = 0; at < Number(count); at++) {
  const from = cpuMs();
  for await (const message of engine.submitMessage("Act."))
    if (message.type === "result" && message.is_error) throw new Error("It failed.");
  // The snapshot after a turn ends before the next turn starts. There is nothing else to wait for.
  await new Promise((resolve) => setTimeout(resolve, 300));
  prompts.push(cpuMs() - from);
}
await engine.dispose();
process.stdout.write(`${JSON.stringify({ prompts })}\n`);
