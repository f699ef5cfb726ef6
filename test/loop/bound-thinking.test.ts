// Thinking that its model binds to what stood before it, where the tools on offer change: a search has loaded some, a server has new ones.
import { expect, test } from "vitest";
import type { ToolDefinition } from "../../src/protocol/tool.ts";
import { createHarness, noticeNames, ofType } from "./support/harness.ts";
import { reply, say, thinkingBlock, toolUse } from "./support/script.ts";

const found: ToolDefinition = { name: "mcp__docs__find", description: "Finds.", inputSchema: { type: "object" } };

async function runWhereTools(changed: (tools: readonly ToolDefinition[]) => readonly ToolDefinition[], bound = true) {
  const harness = createHarness({
    model: [
      reply([thinkingBlock("one"), toolUse("Read")]),
      reply([thinkingBlock("two"), toolUse("Read")]),
      reply([thinkingBlock("three"), toolUse("Read")]),
      say("Done."),
    ],
    infos: { "model-a": { thinkingBoundToPrefix: bound } },
  });
  const { tools, model } = harness;
  const before = tools.definitions();
  const after = changed(before);
  tools.definitions = () => (model.requests.length < 2 ? before : after);
  const { events, terminal } = await harness.run();
  expect(terminal).toEqual({ reason: "completed" });
  const thoughts = model.requests.map(({ messages }) =>
    messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []))),
  );
  return { thoughts, events, records: harness.transcript.records };
}

test("after the tools have changed, earlier thinking is no longer sent, and new thinking is", async () => {
  const { thoughts, events, records } = await runWhereTools((tools) => [...tools, found]);
  expect(thoughts).toEqual([[], ["one"], [], ["three"]]);
  expect(records.flatMap((record) => (record.type === "thinking_stripped" ? [record.reason] : []))).toEqual([
    "rewritten",
  ]);
  expect(ofType(events, "thinking_stripped")).toHaveLength(1);
  expect(noticeNames(events)).toEqual([]);
});

test("an equal copy of the tool list strips no thinking", async () => {
  const { thoughts, records } = await runWhereTools((tools) => structuredClone([...tools]));
  expect(thoughts.at(-1)).toEqual(["one", "two", "three"]);
  expect(records.some(({ type }) => type === "thinking_stripped")).toBe(false);
});

test("thinking of a model that does not bind it to the prefix is kept when the tools change", async () => {
  const { thoughts, records } = await runWhereTools((tools) => [...tools, found], false);
  expect(thoughts.at(-1)).toEqual(["one", "two", "three"]);
  expect(records.some(({ type }) => type === "thinking_stripped")).toBe(false);
});
