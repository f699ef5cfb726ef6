// Integers that a number does not keep, in the inputs of servers that give a call's input as an object.
import { expect, test } from "vitest";
import { createAnthropicModel } from "../../../src/model/index.ts";
import {
  answering,
  blocksOf,
  close,
  end,
  hear,
  json,
  open,
  sse,
  start,
  stop,
  type Answer,
  type WireEvent,
} from "../support/wire.ts";

const id = "2512292042121000001";
const call = { type: "tool_use", id: "t", name: "Read", input: { rows: [{ id: "ID" }] } };
/** The digits as a server writes them. */
const written = (json: string): string => json.replaceAll('"ID"', id);

async function told(answer: Answer | string) {
  const heard = await hear(createAnthropicModel({ transport: answering(answer), version: "1.0.0" }));
  return { ...heard, blocks: blocksOf(heard.events) };
}

const streamed = (...events: WireEvent[]) => told(written(sse(start(), ...events, close(0), end("tool_use"), stop)));

const asJson = (content: unknown[]) => {
  const message = { id: "m", type: "message", role: "assistant", content, stop_reason: "tool_use", usage: {} };
  return told({ headers: { "content-type": "application/json" }, body: [written(JSON.stringify(message))] });
};

test("an integer too large for a number makes the input invalid, also in an input sent as an object", async () => {
  const piece = {
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: call.input },
  };
  for (const { blocks } of [
    await streamed(open(0, call)),
    await streamed(open(0, { ...call, input: {} }), piece as WireEvent),
    await asJson([call]),
  ])
    expect(blocks).toMatchObject([{ block: { input: {} }, invalidInput: `{"rows":[{"id":${id}}]}` }]);
});

test("such digits inside a string, or an integer that is exact, do not make the input invalid", async () => {
  const input = { id: 9007199254740992, text: `{"id":${id}}` };
  for (const { blocks } of [await streamed(open(0, { ...call, input })), await asJson([{ ...call, input }])]) {
    expect(blocks).toMatchObject([{ block: { input } }]);
    expect(blocks[0]).not.toHaveProperty("invalidInput");
  }
  const { blocks } = await streamed(open(0, { ...call, input: {}, at: "ID" }), json(0, '{"a":1}'));
  expect(blocks).toMatchObject([{ block: { input: { a: 1 } } }]);
});
