// The loop alone, over a model and a tool of your own.
import { createState, plainConfig, plainModel, plainPorts, plainTool, query, type UserMessage } from "pawl/loop";

const clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  timestamp: () => new Date().toISOString(),
  timer(ms: number, fire: () => void) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
const ids = { uuid: () => crypto.randomUUID(), random: Math.random };
const usage = { inputTokens: 9, outputTokens: 3, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

const add = plainTool<{ a: number; b: number }>({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: {}, b: {} }, required: ["a", "b"] },
  readOnly: true,
  call: async ({ a, b }) => String(a + b),
});
const model = plainModel(async function* ({ messages }) {
  yield { type: "start", messageId: `answer-${messages.length}`, usage };
  const last = messages.at(-1)?.content.at(-1);
  const isAnswer = last?.type === "tool_result";
  const answer = { type: "text" as const, text: isAnswer ? `It is ${JSON.stringify(last.content)}.` : "" };
  const call = { type: "tool_use" as const, id: "call-1", name: "add", input: { a: 2, b: 3 } };
  yield { type: "block", index: 0, block: isAnswer ? answer : call };
  return { ok: true, stopReason: isAnswer ? "end_turn" : "tool_use", usage };
});

const content = [{ type: "text" as const, text: "2 + 3?" }];
const said: UserMessage = { type: "user", uuid: ids.uuid(), timestamp: clock.timestamp(), content };
const state = createState({ messages: [said], model: "mine" });
const run = query({ state, config: plainConfig("Be brief."), ports: plainPorts({ model, tools: [add], clock, ids }) });
let step = await run.next();
for (; step.done !== true; step = await run.next())
  if (step.value.type === "assistant") console.log(JSON.stringify(step.value.content[0]));
console.log(step.value.reason);
