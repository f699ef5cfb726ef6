// What the adapter makes of a stream: blocks, and calls in doubt.
import { describe, expect, test } from "vitest";
import { createAnthropicModel } from "../../../src/model/index.ts";
import type { ModelEvent } from "../../../src/protocol/model.ts";
import {
  answering,
  blocksOf,
  close,
  delta,
  end,
  failureOf,
  hear,
  json,
  open,
  sse,
  start,
  stop,
  text,
  textBlock,
  toolBlock,
  type Heard,
  type WireEvent,
} from "../support/wire.ts";

function stream(...events: WireEvent[]): Promise<Heard> {
  return hear(createAnthropicModel({ transport: answering(sse(...events)), version: "1.0.0" }));
}

test("without raw events, each read still yields one to show that the stream is alive", async () => {
  const reads = [
    sse(start(), open(0, { type: "text", text: "" })),
    sse(text(0, "a"), text(0, "b"), { type: "ping" }),
    sse(text(0, "c")),
  ];
  const transport = answering({ body: [...reads, sse(close(0), end(), stop)] });
  const { events } = await hear(createAnthropicModel({ transport, version: "1.0.0", rawEvents: false }));
  expect(events).toMatchObject([
    { type: "start" },
    { type: "raw", event: open(0, { type: "text", text: "" }) },
    { type: "raw", event: text(0, "b") },
    { type: "raw", event: text(0, "c") },
    { type: "block", block: { type: "text", text: "abc" } },
  ]);
});

test("without raw events, the start of an unfinished block is still yielded", async () => {
  const call = open(1, { type: "tool_use", id: "toolu_1", name: "Bash", input: {} });
  const whole = toolBlock(2, "toolu_2", "{}");
  const reads = [
    sse(start(), ...textBlock(0, "Now."), call),
    sse(json(1, '{"command":')),
    sse(json(1, '"ls"}'), close(1)),
  ];
  const transport = answering({ body: [...reads, sse(...whole, end("tool_use"), stop)] });
  const { events } = await hear(createAnthropicModel({ transport, version: "1.0.0", rawEvents: false }));
  expect(events).toMatchObject([
    { type: "start" },
    { type: "block", block: { type: "text", text: "Now." } },
    { type: "raw", event: call },
    { type: "raw", event: { type: "content_block_delta" } },
    { type: "block", block: { type: "tool_use", name: "Bash" } },
    { type: "block", block: { type: "tool_use", name: "Read" } },
  ]);
});

describe("blocks", () => {
  test("of text, thinking, redacted thinking and calls come out whole and in order, after their raw events", async () => {
    const { events, outcome } = await stream(
      start(),
      open(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "let me " }),
      delta(0, { type: "thinking_delta", thinking: "see" }),
      delta(0, { type: "signature_delta", signature: "sig==" }),
      close(0),
      open(1, { type: "redacted_thinking", data: "opaque==" }),
      close(1),
      ...textBlock(2, "Reading."),
      open(3, { type: "tool_use", id: "toolu_1", name: "Read", input: {} }),
      json(3, ""),
      json(3, '{"file_'),
      json(3, 'path":"a b.ts"}'),
      close(3),
      end("tool_use"),
      stop,
    );
    expect(blocksOf(events)).toEqual([
      { type: "block", index: 0, block: { type: "thinking", thinking: "let me see", signature: "sig==" } },
      { type: "block", index: 1, block: { type: "redacted_thinking", data: "opaque==" } },
      { type: "block", index: 2, block: { type: "text", text: "Reading." } },
      {
        type: "block",
        index: 3,
        block: { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a b.ts" } },
      },
    ]);
    expect(outcome).toMatchObject({ ok: true, stopReason: "tool_use" });
    expect(events[0]).toMatchObject({ type: "start", messageId: "msg_1", requestId: "req_1" });
    const names = events.map((event) => (event.type === "raw" ? event.event.type : event.type));
    expect(names.indexOf("block")).toBe(names.indexOf("content_block_stop") + 1);
  });

  test("of calls are yielded as soon as they are complete, before the message ends", async () => {
    const { events } = await stream(
      start(),
      ...toolBlock(0, "toolu_1", '{"a":1}'),
      ...textBlock(1, "x"),
      end("tool_use"),
      stop,
    );
    const names = events.map((event) => (event.type === "raw" ? event.event.type : event.type));
    expect(names.indexOf("block")).toBeLessThan(names.lastIndexOf("content_block_start"));
  });

  test("of text keep their citations", async () => {
    const citation = { type: "char_location", cited_text: "x", document_index: 0 };
    const { events } = await stream(
      start(),
      open(0, { type: "text", text: "", citations: [] }),
      text(0, "so"),
      delta(0, { type: "citations_delta", citation }),
      close(0),
      end(),
      stop,
    );
    expect(blocksOf(events)[0]?.block).toEqual({ type: "text", text: "so", citations: [citation] });
  });

  test("of thinking are kept with empty text, blocks of text are not", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "thinking", thinking: "" }),
      delta(0, { type: "signature_delta", signature: "s" }),
      close(0),
      open(1, { type: "text", text: "" }),
      close(1),
      end(),
      stop,
    );
    expect(blocksOf(events).map(({ block }) => block)).toEqual([{ type: "thinking", thinking: "", signature: "s" }]);
  });

  test("of thinking without a signature have no signature field", async () => {
    const { events } = await stream(start(), open(0, { type: "thinking", thinking: "hm" }), close(0), end(), stop);
    expect(blocksOf(events)[0]?.block).toEqual({ type: "thinking", thinking: "hm" });
  });

  test("of calls keep fields that are not ours", async () => {
    const caller = { type: "direct" };
    const { events } = await stream(
      start(),
      open(0, { type: "tool_use", id: "t", name: "Read", input: {}, caller }),
      json(0, '{"a":1}'),
      close(0),
      end("tool_use"),
      stop,
    );
    expect(blocksOf(events)[0]?.block).toEqual({ type: "tool_use", id: "t", name: "Read", input: { a: 1 }, caller });
  });

  test("of calls may have their input in the block's start", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "tool_use", id: "t", name: "Read", input: { a: 1 } }),
      close(0),
      end("max_tokens"),
      stop,
    );
    expect(blocksOf(events)[0]?.block).toMatchObject({ input: { a: 1 } });
  });

  test("of calls without an id get different ids", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "tool_use", name: "Read", input: { a: 1 } }),
      close(0),
      open(1, { type: "tool_use", name: "Read", input: { a: 1 } }),
      close(1),
      end("tool_use"),
      stop,
    );
    const ids = blocksOf(events).map(({ block }) => block.type === "tool_use" && block.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toBe("toolu_msg_1_0");
  });

  // OpenAI takes no longer ones back.
  test("of calls without an id get ids of at most 40 characters", async () => {
    const begun = { type: "message_start", message: { id: `msg_${"0".repeat(32)}` } };
    const call = { type: "tool_use", name: "Read", input: {} };
    const { events } = await stream(begun, open(0, call), close(0), open(1, call), close(1), end("tool_use"), stop);
    const ids = blocksOf(events).map(({ block }) => (block.type === "tool_use" ? block.id : ""));
    expect([new Set(ids).size, ...ids.map(({ length }) => length)]).toEqual([2, 40, 40]);
  });

  test("blocks may be interleaved", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "text", text: "" }),
      open(1, { type: "text", text: "" }),
      text(0, "a"),
      text(1, "b"),
      text(0, "c"),
      close(0),
      close(1),
      end(),
      stop,
    );
    expect(blocksOf(events).map(({ block }) => block.type === "text" && block.text)).toEqual(["ac", "b"]);
  });

  test("that end in another order than they began come in the order of the message", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "thinking", thinking: "" }),
      delta(0, { type: "thinking_delta", thinking: "hm" }),
      open(1, { type: "tool_use", id: "a", name: "Read", input: {} }),
      open(2, { type: "tool_use", id: "b", name: "Read", input: {} }),
      json(2, '{"b":1}'),
      close(2),
      json(1, '{"a":1}'),
      close(1),
      delta(0, { type: "signature_delta", signature: "s" }),
      close(0),
      end("tool_use"),
      stop,
    );
    expect(blocksOf(events)).toEqual([
      { type: "block", index: 0, block: { type: "thinking", thinking: "hm", signature: "s" } },
      { type: "block", index: 1, block: { type: "tool_use", id: "a", name: "Read", input: { a: 1 } } },
      { type: "block", index: 2, block: { type: "tool_use", id: "b", name: "Read", input: { b: 1 } } },
    ]);
  });

  test("of calls wait at most until the message ends for an earlier block that is never closed", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "text", text: "" }),
      text(0, "hi"),
      open(1, { type: "tool_use", id: "a", name: "Read", input: {} }),
      close(1),
      end("tool_use"),
      stop,
    );
    expect(blocksOf(events).map(({ block }) => block.type)).toEqual(["text", "tool_use"]);
  });

  test("that are never closed are complete when the message is", async () => {
    const { events } = await stream(start(), open(0, { type: "text", text: "" }), text(0, "hi"), end(), stop);
    expect(blocksOf(events)[0]?.block).toEqual({ type: "text", text: "hi" });
  });
});

describe("server-side and unknown blocks", () => {
  const opaque = async (...events: WireEvent[]): Promise<unknown> =>
    blocksOf((await stream(start(), ...events, end(), stop)).events).map(({ block }) => block);

  test("get their streamed input", async () => {
    const wire = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    expect(await opaque(open(0, wire), json(0, '{"query":'), json(0, '"x"}'), close(0))).toEqual([
      { type: "opaque", wire: { ...wire, input: { query: "x" } } },
    ]);
  });

  test.each(["web_search_tool_result", "mcp_tool_result", "container_upload", "fallback", "holographic_display"])(
    "of type %s are kept unchanged",
    async (type) => {
      const wire = { type, content: [{ type: "odd", nested: { a: [1] } }], from: "a", to: "b" };
      expect(await opaque(open(0, wire), close(0))).toEqual([{ type: "opaque", wire }]);
    },
  );

  test("of type compaction are filled by their one delta", async () => {
    const change = { type: "compaction_delta", content: "summary", encrypted_content: "e", signature: "s" };
    expect(await opaque(open(0, { type: "compaction", content: null }), delta(0, change), close(0))).toEqual([
      { type: "opaque", wire: { type: "compaction", content: "summary", encrypted_content: "e", signature: "s" } },
    ]);
  });

  test("take in known deltas and ignore unknown ones", async () => {
    expect(
      await opaque(
        open(0, { type: "novel", text: "a" }),
        text(0, "b"),
        delta(0, { type: "signature_delta", signature: "s" }),
        delta(0, { type: "sparkle_delta", sparkle: 3 }),
        close(0),
      ),
    ).toEqual([{ type: "opaque", wire: { type: "novel", text: "ab", signature: "s" } }]);
  });

  test("leave the raw start event as it was sent", async () => {
    const { events } = await stream(
      start(),
      open(0, { type: "server_tool_use", id: "s", name: "n", input: {} }),
      json(0, '{"q":1}'),
      close(0),
      end(),
      stop,
    );
    const raw = events.find((event) => event.type === "raw" && event.event.type === "content_block_start");
    expect(raw).toMatchObject({ event: { content_block: { input: {} } } });
  });

  test("are not affected by unknown events, which are yielded raw", async () => {
    const odd = { type: "vendor_metrics", gpu: 7 };
    const { events, outcome } = await stream(start(), odd, ...textBlock(0, "hi"), { type: "ping" }, end(), stop);
    expect(outcome.ok).toBe(true);
    expect(events).toContainEqual({ type: "raw", event: odd });
    expect(events).toContainEqual({ type: "raw", event: { type: "ping" } });
  });
});

describe("calls that may have been cut", () => {
  const call = (partial: string): WireEvent[] => toolBlock(0, "t0", partial);
  const inputs = (events: ModelEvent[]): unknown[] =>
    blocksOf(events).map(({ block, invalidInput }) => [
      block.type === "tool_use" ? block.input : block.type,
      invalidInput,
    ]);

  test.each(["", " "])("without input (%j) are complete once another block begins", async (partial) => {
    const { events, outcome } = await stream(
      start(),
      ...call(partial),
      ...toolBlock(1, "t1", '{"a":1}'),
      end("max_tokens"),
      stop,
    );
    expect(inputs(events)).toEqual([
      [{}, undefined],
      [{ a: 1 }, undefined],
    ]);
    expect(outcome).not.toHaveProperty("partialToolUse");
  });

  test.each(["tool_use", "end_turn", "pause_turn", "stop_sequence", "a_reason_of_tomorrow"])(
    "without input are complete if the message ends with %s",
    async (reason) => {
      const { events } = await stream(start(), ...call(""), end(reason), stop);
      expect(inputs(events)).toEqual([[{}, undefined]]);
    },
  );

  test.each(["max_tokens", "model_context_window_exceeded"])(
    "are dropped if they are last and the stop reason is %s",
    async (reason) => {
      for (const partial of ["", '{"file_path":"/a', '{"a":1},', "[1]"]) {
        const { events, outcome } = await stream(start(), ...textBlock(1, "x"), ...call(partial), end(reason), stop);
        expect(inputs(events)).toEqual([["text", undefined]]);
        expect(outcome).toMatchObject({ ok: true, stopReason: reason, partialToolUse: true });
      }
    },
  );

  test("without input are dropped in a refused message", async () => {
    const { events, outcome } = await stream(start(), ...call(""), end("refusal"), stop);
    expect(blocksOf(events)).toEqual([]);
    expect(outcome).not.toHaveProperty("partialToolUse");
  });

  test("are dropped alone: a complete call before them is kept", async () => {
    const { events, outcome } = await stream(
      start(),
      ...toolBlock(0, "t0", '{"a":1}'),
      ...toolBlock(1, "t1", '{"b'),
      end("max_tokens"),
      stop,
    );
    expect(inputs(events)).toEqual([[{ a: 1 }, undefined]]);
    expect(outcome).toMatchObject({ partialToolUse: true });
  });

  test.each(['{"a":', "[1,2]", '"text"', "null", "{'a':1}"])(
    "with broken input %s are yielded as invalid if the message ends well",
    async (partial) => {
      const { events, outcome } = await stream(start(), ...call(partial), end("tool_use"), stop);
      expect(inputs(events)).toEqual([[{}, partial]]);
      expect(outcome).not.toHaveProperty("partialToolUse");
    },
  );

  test("keep later blocks waiting, so that the order is kept", async () => {
    const { events } = await stream(
      start(),
      ...call("{x"),
      ...toolBlock(1, "t1", '{"b":1}'),
      ...call(""),
      end("tool_use"),
      stop,
    );
    expect(inputs(events)).toEqual([
      [{}, "{x"],
      [{ b: 1 }, undefined],
      [{}, undefined],
    ]);
  });

  test("are not yielded from a truncated stream, nor are open blocks", async () => {
    const held = await stream(start(), ...call(""));
    const unfinished = await stream(
      start(),
      open(0, { type: "tool_use", id: "t", name: "n", input: {} }),
      json(0, '{"a":1}'),
    );
    for (const { events, outcome } of [held, unfinished]) {
      expect(blocksOf(events)).toEqual([]);
      expect(failureOf(outcome).kind).toBe("truncated_stream");
    }
  });

  test("of the server's own are dropped without counting as a partial tool use", async () => {
    const { events, outcome } = await stream(
      start(),
      open(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      json(0, '{"quer'),
      close(0),
      end("max_tokens"),
      stop,
    );
    expect(blocksOf(events)).toEqual([]);
    expect(outcome).not.toHaveProperty("partialToolUse");
  });
});
