// Answers of servers that are not Anthropic's own.
import { describe, expect, test } from "vitest";
import { createAnthropicModel, type Transport } from "../../../src/model/index.ts";
import { manualTimers, settle } from "../support/manual-timers.ts";
import {
  answering,
  blocksOf,
  close,
  delta,
  end,
  failureOf,
  hang,
  hear,
  json,
  modelRequest,
  open,
  pieces,
  said,
  sse,
  start,
  stop,
  streaming,
  text,
  textBlock,
  textOf,
  toolBlock,
  type Answer,
  type Heard,
  type WireEvent,
} from "../support/wire.ts";

function run(...answers: (Answer | string)[]): Promise<Heard> {
  return hear(createAnthropicModel({ transport: answering(...answers), version: "1.0.0" }));
}

const stream = (...events: WireEvent[]): Promise<Heard> => run(sse(...events));

test("an answer without a body from a host's transport is a failure", async () => {
  const transport = (() => Promise.resolve({ status: 200, headers: streaming })) as unknown as Transport;
  const { events, outcome } = await hear(createAnthropicModel({ transport, version: "1.0.0" }));
  expect(events).toEqual([]);
  expect(failureOf(outcome).message).not.toBe("");
});

describe("an answer of a compatible server", () => {
  const message = {
    id: "msg_9",
    type: "message",
    role: "assistant",
    content: [
      { type: "text", text: "hi" },
      { type: "tool_use", id: "t", name: "Read", input: { a: 1 } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  const asJson = (
    value: unknown,
    headers: Record<string, string> = { "content-type": "application/json" },
  ): Promise<Heard> => run({ headers, body: [typeof value === "string" ? value : JSON.stringify(value)] });

  test("may be a whole message as JSON", async () => {
    const { events, outcome } = await asJson(message);
    expect(events[0]).toMatchObject({ type: "start", messageId: "msg_9" });
    expect(blocksOf(events).map(({ block }) => block)).toEqual(message.content);
    expect(outcome).toMatchObject({ ok: true, stopReason: "tool_use", usage: { inputTokens: 3, outputTokens: 4 } });
  });

  test("with a broken event keeps the blocks before it and the usage", async () => {
    const half = sse(start({ input_tokens: 7 }), ...textBlock(0, "whole"), open(1, { type: "text", text: "" }));
    const { events, outcome } = await run(`${half}data: {broken\n\n`);
    expect(blocksOf(events).map(({ block }) => block)).toEqual([{ type: "text", text: "whole" }]);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: "server_error", recovery: "retry", begun: true },
      usage: { inputTokens: 7 },
    });
  });

  test("may have a string or null as its content", async () => {
    const { events, outcome } = await asJson({ ...message, content: "hello", stop_reason: "end_turn" });
    expect(blocksOf(events)).toMatchObject([{ block: { type: "text", text: "hello" } }]);
    expect(outcome).toMatchObject({ ok: true, stopReason: "end_turn", usage: { inputTokens: 3, outputTokens: 4 } });
    expect((await asJson({ ...message, content: null, stop_reason: "end_turn" })).outcome.ok).toBe(true);
  });

  test("may begin with white space, before JSON or before events", async () => {
    const body = [" ", "\n\n", JSON.stringify(message)];
    const json = await run({ headers: { "content-type": "application/json" }, body });
    expect(json.outcome).toMatchObject({ ok: true, stopReason: "tool_use" });
    const events = await run({ headers: {}, body: [" ", "\n\n", said("hi")] });
    expect(blocksOf(events.events)).toHaveLength(1);
  });

  test("as JSON drops the last call if the answer was cut", async () => {
    const call = { type: "tool_use", id: "t", name: "Read", input: {} };
    const whole = await asJson({ ...message, content: [call] });
    expect(blocksOf(whole.events).map(({ block }) => block)).toEqual([call]);
    for (const stop_reason of ["max_tokens", "length"]) {
      const cut = await asJson({ ...message, stop_reason });
      expect(blocksOf(cut.events)).toHaveLength(1);
      expect(cut.outcome).toMatchObject({ ok: true, stopReason: "max_tokens", partialToolUse: true });
    }
  });

  test("with an error as JSON and status 200 is that error", async () => {
    const { outcome } = await asJson({ type: "error", error: { type: "overloaded_error", message: "busy" } });
    expect(failureOf(outcome).kind).toBe("overloaded");
  });

  test.each([["{}"], ['{"choices":[]}'], ['{"type":"message","content":[{"type":"te']])(
    "that is JSON but not a message is a failure: %s",
    async (body) => {
      const failure = failureOf((await asJson(body)).outcome);
      expect(failure).toMatchObject({ kind: "server_error", recovery: "retry" });
      expect(failure.message).toContain("https://api.anthropic.com");
    },
  );

  test.each([
    [{ error: "model is loading" }, "model is loading"],
    [{ code: 500, msg: "404 NOT_FOUND", success: false }, "404 NOT_FOUND"],
    [{ error: { code: 401, message: "no key" } }, "no key"],
  ])("with an error in the shape of another protocol is that error: %j", async (body, detail) => {
    expect(failureOf((await asJson(body)).outcome).detail).toBe(detail);
  });

  test("with an unnamed error event ends with that error", async () => {
    const { outcome } = await run(
      `${sse(start(), open(0, { type: "text", text: "" }))}data: {"error":{"message":"prompt is too long: 9 tokens > 5 maximum","type":"None","code":"400"}}\n\ndata: [DONE]\n\n`,
    );
    expect(failureOf(outcome)).toMatchObject({ recovery: "overflow", tokens: { actual: 9, maximum: 5 } });
    const text = failureOf((await run('data: {"error":"the engine died"}\n\n')).outcome);
    expect(text).toMatchObject({ recovery: "retry", detail: "the engine died" });
    expect((await run(`data: {"error":null,"id":"x"}\n\n${said("hi")}`)).outcome.ok).toBe(true);
  });

  test("labelled as a stream may be a message, an error or a page", async () => {
    const heard = await asJson(message, streaming);
    expect(blocksOf(heard.events).map(({ block }) => block)).toEqual(message.content);
    const refused = await asJson({ error: { code: 401, message: "no key" } }, streaming);
    expect(failureOf(refused.outcome)).toMatchObject({ kind: "authentication_failed", detail: "no key" });
    const page = await asJson("<title>Log in</title>", streaming);
    expect(failureOf(page.outcome)).toMatchObject({ detail: "Log in" });
  });

  test("may be JSON after comments and pings that kept the connection open", async () => {
    const error = { type: "error", error: { type: "authentication_error", message: "no key" } };
    const whole = JSON.stringify(error, undefined, 2);
    const chunked = (...body: string[]): Promise<Heard> => run({ headers: streaming, body });
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
    for (const before of [": PING\n\n: PING\n\n", "\n", ping]) {
      const refused = await chunked(before, whole.slice(0, 20), whole.slice(20));
      expect(failureOf(refused.outcome)).toMatchObject({ kind: "authentication_failed", detail: "no key" });
      const heard = await chunked(before, JSON.stringify(message));
      expect(blocksOf(heard.events).map(({ block }) => block)).toEqual(message.content);
    }
    const cut = await chunked(": PING\n\n", '{"type":"error"');
    expect(failureOf(cut.outcome).recovery).toBe("retry");
    const late = await chunked(said("hi"), "{}");
    expect(late.outcome.ok).toBe(true);
  });

  test("that is a web page with status 200 is a failure", async () => {
    const { outcome } = await asJson("<!doctype html><title>Log in</title>", { "content-type": "text/html" });
    expect(failureOf(outcome)).toMatchObject({ kind: "server_error", detail: "Log in" });
    expect(failureOf(outcome).message).toContain("ANTHROPIC_BASE_URL");
  });

  test.each<Record<string, string>>([{}, { "content-type": "text/plain" }, { "content-type": "application/json" }])(
    "is recognised as a stream by its text: %j",
    async (headers) => {
      expect((await run({ headers, body: [said("hi")] })).outcome).toMatchObject({ ok: true });
    },
  );

  test("may name its events only in the event field, and end with [DONE]", async () => {
    const body =
      'event: message_start\ndata: {"message":{"id":"m1"}}\n\nevent: message_stop\ndata: {}\n\ndata: [DONE]\n\n';
    const { events, outcome } = await run({ body: [body] });
    expect(events[0]).toMatchObject({ type: "start", messageId: "m1" });
    expect(outcome.ok).toBe(true);
  });

  test("without a message id gets one", async () => {
    const { events } = await run({ headers: {}, body: [sse({ type: "message_start", message: {} }, end(), stop)] });
    expect(events[0]).toEqual({ type: "start", messageId: "msg_t1.model", usage: expect.anything() as unknown });
  });

  test("has an invalid input if the input is nested too deeply", async () => {
    const deep = (levels: number): string => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const called = (json: string, input: object = {}): Promise<Heard> =>
      stream(
        start(),
        { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "Read", input } },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: json } },
        { type: "content_block_stop", index: 0 },
        end(),
        stop,
      );
    expect(blocksOf((await called(deep(20_000))).events)[0]).toMatchObject({
      block: { input: {} },
      invalidInput: deep(20_000),
    });
    expect(blocksOf((await called("", JSON.parse(deep(600)) as object)).events)[0]).toMatchObject({
      block: { input: {} },
    });
    expect(blocksOf((await called(deep(100))).events)[0]?.invalidInput).toBeUndefined();
  });

  test("has an invalid input if a number in it is too large for a double", async () => {
    const called = (input: unknown, ...events: WireEvent[]) =>
      stream(start(), open(0, { type: "tool_use", id: "t", name: "Read", input }), ...events, close(0), end(), stop);
    for (const text of ['{"a":1e400}', '{"a":[{"b":-1e999}]}', `{"a":1${"0".repeat(400)}}`])
      expect(blocksOf((await called({}, json(0, text))).events)).toMatchObject([
        { block: { input: {} }, invalidInput: text },
      ]);
    expect(blocksOf((await called(JSON.parse('{"a":1e400}'))).events)).toMatchObject([{ block: { input: {} } }]);
    expect(blocksOf((await called({}, json(0, '{"a":1e300,"b":"1e400"}'))).events)).toMatchObject([
      { block: { input: { a: 1e300, b: "1e400" } } },
    ]);
  });

  test("has an invalid input if an integer in it would be rounded", async () => {
    const called = async (text: string) =>
      blocksOf(
        (
          await stream(
            start(),
            open(0, { type: "tool_use", id: "t", name: "Read", input: {} }),
            json(0, text),
            close(0),
            end(),
            stop,
          )
        ).events,
      );
    for (const text of [
      '{"id":2512292042121000001}',
      '{"a":[{"b":-9007199254740993}]}',
      JSON.stringify('{"id":2512292042121000001}'),
    ])
      expect(await called(text)).toMatchObject([{ block: { input: {} }, invalidInput: text }]);
    // What is held, what reads back as it is written, a fraction, and digits in a text.
    const kept = '{"a":9007199254740992,"b":1732695855123456800,"c":0.1234567890123456789,"d":"2512292042121000001"}';
    const [told] = await called(kept);
    expect(told).not.toHaveProperty("invalidInput");
    expect(JSON.stringify(told?.block)).toContain('"b":1732695855123456800');
  });

  test("has impossible usage figures ignored", async () => {
    const usage = { input_tokens: 1e300, output_tokens: "7", cache_read_input_tokens: -1 };
    const { outcome } = await stream({ type: "message_start", message: { id: "m", usage } }, end(), stop);
    expect(outcome.usage).toMatchObject({ inputTokens: 0, cacheReadInputTokens: 0 });
  });

  test("may have deltas without a block start, or blocks without a stop", async () => {
    const words = async (...events: WireEvent[]): Promise<unknown[]> =>
      blocksOf((await stream(start(), ...events, end(), stop)).events).map(({ block }) => block);
    expect(await words(text(0, "hel"), text(0, "lo"), close(0))).toEqual([{ type: "text", text: "hello" }]);
    expect(await words(delta(0, { type: "thinking_delta", thinking: "hm" }), close(0), text(1, "hi"))).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "hi" },
    ]);
    expect(await words(open(0, { type: "text", text: "" }), text(0, "one"), ...textBlock(0, "two"))).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ]);
    for (const type of [undefined, null, "", 7])
      expect(await words(open(0, { type }), text(0, "hi"), close(0), open(1, { type }), close(1))).toEqual([
        { type: "text", text: "hi" },
      ]);
    const call = open(0, { type: "tool_use", id: "t", name: "Read", input: {} });
    expect(await words(call, call, json(0, '{"a":1}'), close(0))).toMatchObject([{ id: "t", input: { a: 1 } }]);
  });

  test("may have text deltas in a thinking block, or thinking deltas in a text block", async () => {
    const thought = (index: number, thinking: string) => delta(index, { type: "thinking_delta", thinking });
    const { events } = await stream(
      start(),
      open(0, { type: "text", text: "" }),
      thought(0, "h"),
      thought(0, "m"),
      text(0, "the "),
      text(0, "answer"),
      close(0),
      end(),
      stop,
    );
    expect(blocksOf(events).map(({ block }) => block)).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "the answer" },
    ]);
  });

  test("is not split by empty deltas of another kind", async () => {
    const thought = (index: number, thinking: string) => delta(index, { type: "thinking_delta", thinking });
    const { events } = await stream(
      start(),
      open(0, { type: "thinking", thinking: "", signature: "" }),
      thought(0, "h"),
      text(0, ""),
      thought(0, "m"),
      delta(0, { type: "signature_delta", signature: "s" }),
      close(0),
      open(1, { type: "text", text: "" }),
      thought(1, ""),
      text(1, "the "),
      thought(1, ""),
      text(1, "answer"),
      close(1),
      end(),
      stop,
    );
    expect(blocksOf(events).map(({ block }) => block)).toEqual([
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "the answer" },
    ]);
  });

  test("may repeat the start of a thinking block as a delta, which is read once", async () => {
    const thought = (thinking: string) => delta(0, { type: "thinking_delta", thinking });
    const words = async (block: object, ...deltas: WireEvent[]): Promise<unknown[]> => {
      const { events } = await stream(start(), open(0, block), ...deltas, close(0), end(), stop);
      return blocksOf(events).map(({ block: heard }) => heard);
    };
    const seeded = { type: "thinking", thinking: "The user", signature: "" };
    const signature = delta(0, { type: "signature_delta", signature: "s" });
    expect(await words(seeded, thought("The user"), thought(" wants"), signature)).toEqual([
      { type: "thinking", thinking: "The user wants", signature: "s" },
    ]);
    const again = [thought("The user"), thought(" is "), thought("The user"), signature];
    expect(await words(seeded, ...again)).toMatchObject([{ thinking: "The user is The user" }]);
    const hidden = { type: "thinking", thinking: "", signature: "s" };
    expect(await words(hidden, signature)).toEqual([hidden]);
    expect(await words({ type: "text", text: "2" }, text(0, "2"))).toEqual([{ type: "text", text: "22" }]);
    expect(await words({ type: "text", text: "hi" }, text(0, " there"))).toEqual([{ type: "text", text: "hi there" }]);
  });

  test("may have text in a tool call's block, which becomes a text block after the call", async () => {
    const call = { type: "tool_use", id: "t", name: "Read", input: {} };
    const { events } = await stream(
      start(),
      open(0, call),
      json(0, '{"a"'),
      text(0, "Reading"),
      json(0, ":1}"),
      text(0, " it."),
      close(0),
      ...toolBlock(1, "u", "{}"),
      end("tool_use"),
      stop,
    );
    expect(blocksOf(events).map(({ block }) => block)).toEqual([
      { ...call, input: { a: 1 } },
      { type: "text", text: "Reading it." },
      { ...call, id: "u" },
    ]);
    const blank = await stream(start(), open(0, call), json(0, "{}"), text(0, "\n"), close(0), end("tool_use"), stop);
    expect(blocksOf(blank.events)).toHaveLength(1);
  });

  test("may have the input of a call under an index that no block has", async () => {
    const called = async (...events: WireEvent[]): Promise<unknown[]> => {
      const call = open(1, { type: "tool_use", id: "t", name: "Read", input: {} });
      const { events: heard } = await stream(start(), call, ...events, end("tool_use"), stop);
      return blocksOf(heard).map(({ block }) => block);
    };
    const expected = [{ id: "t", input: { a: 1 } }];
    expect(await called(json(2, '{"a"'), json(2, ":1}"), close(2))).toMatchObject(expected);
    // Text that was already reported is not reported twice.
    expect(await called(json(1, '{"a":1}'), json(2, '{"a":1}'), close(1))).toMatchObject(expected);
  });

  test("may have a call's input as an object, or as JSON in a string", async () => {
    const called = (input: unknown, ...events: WireEvent[]) =>
      stream(start(), open(0, { type: "tool_use", id: "t", name: "Read", input }), ...events, close(0), end(), stop);
    const whole = delta(0, { type: "input_json_delta", partial_json: { a: 1 } });
    const twice = json(0, JSON.stringify('{"a":1}'));
    const first = called({ a: 1 }, json(0, "{}"));
    const all = [called({}, whole), called('{"a":1}'), called("", json(0, '{"a":1}')), called({}, twice), first];
    for (const heard of await Promise.all(all))
      expect(blocksOf(heard.events)).toMatchObject([{ block: { input: { a: 1 } } }]);
    expect(blocksOf((await called('{"a":')).events)).toMatchObject([{ invalidInput: '{"a":' }]);
  });

  test("has the stop reason of another protocol translated", async () => {
    const { outcome } = await stream(start(), ...textBlock(0, "half"), end("length"), stop);
    expect(outcome).toMatchObject({ ok: true, stopReason: "max_tokens" });
    const filtered = await stream(start(), ...textBlock(0, "half"), end("content_filter"), stop);
    expect(filtered.outcome).toMatchObject({ ok: true, stopReason: "refusal" });
    // It may be on the bill all the same.
    const atOnce = await stream(start(), end("content_filter"), stop);
    expect(atOnce.outcome).toMatchObject({ stopReason: "refusal", usage: { inputTokens: 10 } });
    expect(atOnce.outcome).not.toHaveProperty("unbilled");
  });

  test("that is message_stop alone is a truncated_stream failure", async () => {
    expect(failureOf((await stream(stop)).outcome)).toMatchObject({ kind: "truncated_stream", recovery: "retry" });
  });

  test("has malformed events of known types ignored", async () => {
    const { outcome } = await stream(
      start(),
      { type: "content_block_start" },
      { type: "content_block_delta", index: "x" },
      { type: "content_block_delta", index: 0, delta: 5 },
      { type: "content_block_stop", index: 9 },
      { type: "message_delta" },
      end(),
      stop,
    );
    expect(outcome.ok).toBe(true);
  });
});

test("a host's transport may return its answer without a promise", async () => {
  const answer = { status: 200, headers: streaming, body: pieces([said("hi")]) };
  const transport = (() => answer) as unknown as Transport;
  expect((await hear(createAnthropicModel({ transport, version: "1.0.0" }))).outcome.ok).toBe(true);
});

test("token counting is not tried again after the server has answered 404 to it", async () => {
  const transport = answering({ status: 404, headers: {}, body: ["{}"] });
  const model = createAnthropicModel({ transport, version: "1.0.0" });
  const { signal } = new AbortController();
  expect(await model.countTokens?.(modelRequest(), signal)).toBeUndefined();
  expect(await model.countTokens?.(modelRequest(), signal)).toBeUndefined();
  expect(transport.requests).toHaveLength(1);
});

test.each<[string, Transport]>([
  ["an answer", () => new Promise(() => undefined)],
  ["the rest of an answer", answering({ headers: {}, body: ['{"input_', hang] })],
])("token counting gives up after ten seconds if %s never comes", async (_, transport) => {
  const timers = manualTimers();
  const model = createAnthropicModel({ transport, version: "1.0.0", timers });
  const counted = model.countTokens?.(modelRequest(), new AbortController().signal);
  await settle();
  expect(timers.pending).toBe(1);
  await timers.advance(10_000);
  expect(await counted).toBeUndefined();
});

test.each([{ input_tokens: -1 }, { input_tokens: "7" }, {}, null])("a token count of %j is ignored", async (told) => {
  const transport = answering({ status: 200, headers: {}, body: [JSON.stringify(told)] });
  const model = createAnthropicModel({ transport, version: "1.0.0" });
  expect(await model.countTokens?.(modelRequest(), new AbortController().signal)).toBeUndefined();
});

test("a 404 for one model leaves token counting on for the others", async () => {
  const error = { type: "not_found_error", message: "model: claude-sonnet-5-5" };
  const transport = answering({ status: 404, headers: {}, body: [JSON.stringify({ type: "error", error })] });
  const model = createAnthropicModel({ transport, version: "1.0.0" });
  const { signal } = new AbortController();
  for (const name of ["claude-sonnet-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"])
    expect(await model.countTokens?.(modelRequest({ model: name }), signal)).toBeUndefined();
  const asked = transport.requests.map(({ body }) => (JSON.parse(textOf(body)) as { model: string }).model);
  expect(asked).toEqual(["claude-sonnet-5-5", "claude-haiku-4-5"]);
});

test("a tool that is refused by its index is named in the message", async () => {
  const tools = ["Read", "mcp__notes__find"].map((name) => ({
    name,
    description: "",
    inputSchema: { type: "object" as const },
  }));
  const told = async (message: string): Promise<string> => {
    const body = [JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })];
    const model = createAnthropicModel({ transport: answering({ status: 400, headers: {}, body }), version: "1.0.0" });
    const { outcome } = await hear(model, { ...modelRequest(), tools });
    return failureOf(outcome).message;
  };
  for (const place of ["tools.1.custom.input_schema", "tools[1].input_schema"])
    expect(await told(`${place}: JSON schema is invalid.`)).toContain("is invalid. Tool 1 is mcp__notes__find.");
  expect(await told("The number of tools (1) exceeds the limit of 0.")).not.toContain("mcp__notes__find");
});

test("tokens are counted by the endpoint if it can", async () => {
  const transport = answering({ headers: {}, body: ['{"input_tokens":123}'] });
  const model = createAnthropicModel({ transport, version: "1.0.0" });
  expect(
    await model.countTokens?.(modelRequest({ thinking: { type: "adaptive" } }), new AbortController().signal),
  ).toBe(123);
  expect(transport.requests[0]?.path).toBe("/v1/messages/count_tokens");
  const body = JSON.parse(textOf(transport.requests[0]?.body)) as Record<string, unknown>;
  expect(Object.keys(body)).toEqual(["model", "tools", "system", "messages", "thinking"]);
});

test("a transport that returns something other than an answer is a configuration failure, asked once", async () => {
  for (const answer of [undefined, "{}", { status: 200, headers: {}, body: "{}" }, { status: "200", headers: {} }]) {
    let asked = 0;
    const transport = () => ((asked += 1), Promise.resolve(answer as never));
    const { outcome } = await hear(createAnthropicModel({ transport, version: "1.0.0" }));
    const { kind, recovery, message } = failureOf(outcome);
    expect([kind, recovery, asked]).toEqual(["not_configured", "none", 1]);
    expect(message).toContain("the transport option did not return { status, headers, body }");
  }
});
