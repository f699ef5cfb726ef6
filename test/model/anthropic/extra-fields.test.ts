// Which of the fields that a user adds are sent in which request.
import { describe, expect, test } from "vitest";
import { createCatalog } from "../../../src/model/catalog.ts";
import { createSerializer } from "../../../src/model/anthropic/serialize.ts";
import type { ModelRequest } from "../../../src/protocol/model.ts";
import { modelRequest } from "../support/wire.ts";

const catalog = createCatalog();
const tool = { name: "Read", description: "Reads.", inputSchema: { type: "object" as const, properties: {} } };
const auto = { type: "auto", disable_parallel_tool_use: true };

function serializerWith(extraBody: object): (change: Partial<ModelRequest>) => Record<string, unknown> {
  const serialize = createSerializer((id) => catalog.info(id), "5m", undefined, undefined, { ...extraBody });
  return (change) => JSON.parse(Buffer.concat(serialize(modelRequest(change)).body()).toString()) as never;
}

describe("a field that the user adds", () => {
  const summary = { tools: [tool], model: "claude-opus-5-5", compaction: { instructions: "Briefly." } };

  test("is left out of requests that may not have it: tool_choice if there are no tools", () => {
    const bodyOf = serializerWith({ tool_choice: auto, top_k: 5 });
    expect(bodyOf({ tools: [tool] })).toMatchObject({ tool_choice: auto, top_k: 5 });
    const small = bodyOf({ tools: [] });
    expect(small).toHaveProperty("top_k", 5);
    expect(small).not.toHaveProperty("tool_choice");
    expect(bodyOf({ tools: [tool] })).toMatchObject({ tool_choice: auto, top_k: 5 });
  });

  test("is left out of requests for a summary that may not have it", () => {
    const refused = { stop_sequences: ["End"], context_management: { edits: [] } };
    const bodyOf = serializerWith({ ...refused, tool_choice: { type: "any" }, top_k: 5 });
    expect(bodyOf({ tools: [tool] })).toMatchObject({ ...refused, tool_choice: { type: "any" } });
    const asked = bodyOf(summary);
    expect(asked).toMatchObject({ top_k: 5, compaction: { type: "summarize" } });
    for (const name of [...Object.keys(refused), "tool_choice"]) expect(asked).not.toHaveProperty(name);
    expect(serializerWith({ tool_choice: auto })(summary)).toMatchObject({ tool_choice: auto });
  });
});
