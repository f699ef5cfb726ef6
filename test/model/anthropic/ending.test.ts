// How a stream ends, and what it cost.
import { describe, expect, test } from "vitest";
import { createAnthropicModel } from "../../../src/model/index.ts";
import type { TransportResponse } from "../../../src/model/anthropic/transport.ts";
import {
  answering,
  blocksOf,
  end,
  failureOf,
  hear,
  modelRequest,
  open,
  sse,
  start,
  stop,
  text,
  textBlock,
  type Answer,
  type Heard,
  type WireEvent,
} from "../support/wire.ts";

function run(...answers: (Answer | string)[]): Promise<Heard> {
  return hear(createAnthropicModel({ transport: answering(...answers), version: "1.0.0" }));
}

const stream = (...events: WireEvent[]): Promise<Heard> => run(sse(...events));

describe("the end of a stream", () => {
  test.each([
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "compaction",
    "new_reason",
  ])("passes on stop reason %s", async (reason) => {
    expect((await stream(start(), ...textBlock(0, "x"), end(reason), stop)).outcome).toMatchObject({
      ok: true,
      stopReason: reason,
    });
  });

  test("passes on the details of a refusal", async () => {
    const details = { type: "refusal", category: "cyber", explanation: "no" };
    const last = { type: "message_delta", delta: { stop_reason: "refusal", stop_details: details }, usage: {} };
    expect((await stream(start(), last, stop)).outcome).toMatchObject({ stopReason: "refusal", stopDetails: details });
  });

  test("before the stop reason is a truncated_stream failure, with the usage so far", async () => {
    const { events, outcome } = await stream(
      start(),
      ...textBlock(0, "whole"),
      open(1, { type: "text", text: "" }),
      text(1, "half"),
    );
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: "truncated_stream", recovery: "retry", requestId: "req_1" },
    });
    expect(outcome.usage).toMatchObject({ inputTokens: 10, outputTokens: 1 });
    expect(outcome).not.toHaveProperty("partialText");
    expect(blocksOf(events)).toHaveLength(1);
  });

  test("without message_stop is complete if the body ended properly", async () => {
    expect((await stream(start(), ...textBlock(0, "x"), end())).outcome).toMatchObject({
      ok: true,
      stopReason: "end_turn",
    });
  });

  test("with a stop reason but an open block is a truncated_stream failure", async () => {
    const { outcome } = await stream(start(), open(0, { type: "text", text: "" }), text(0, "x"), end());
    expect(failureOf(outcome).kind).toBe("truncated_stream");
  });

  test("of an empty body, or of comments alone, is a truncated_stream failure", async () => {
    for (const body of ["", ": keep-alive\n\n: keep-alive\n\n"]) {
      const { outcome } = await run({ body: [body] });
      expect(failureOf(outcome)).toMatchObject({ kind: "truncated_stream", recovery: "retry" });
      expect(outcome).not.toHaveProperty("usage.inputTokens");
    }
  });

  test("is message_stop: later events are ignored", async () => {
    const { events, outcome } = await stream(start(), end(), stop, {
      type: "error",
      error: { type: "api_error", message: "late" },
    });
    expect(outcome.ok).toBe(true);
    expect(events.at(-1)).toEqual({ type: "raw", event: stop });
  });

  test("is message_stop: later bytes that are no event are ignored, in the same chunk or another", async () => {
    const whole = sse(start(), ...textBlock(0, "x"), end(), stop);
    for (const body of [[`${whole}data: {broken\n\n`], [whole, "data: {broken\n\n"]])
      expect((await run({ body })).outcome).toMatchObject({ ok: true, stopReason: "end_turn" });
  });

  test("by an error event is a typed failure, and the event is not yielded raw", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const { events, outcome } = await stream(start({ input_tokens: 5 }), ...textBlock(0, "x"), error, end(), stop);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: "overloaded", recovery: "retry", overload: true, requestId: "req_1" },
    });
    expect(outcome.usage?.inputTokens).toBe(5);
    expect(events.some((event) => event.type === "raw" && event.event.type === "error")).toBe(false);
  });

  test.each([
    ["api_error", "server_error", "retry"],
    ["timeout_error", "server_error", "retry"],
    ["rate_limit_error", "rate_limit", "retry"],
    ["authentication_error", "authentication_failed", "none"],
    ["permission_error", "permission_denied", "none"],
    ["billing_error", "billing_error", "none"],
    ["invalid_request_error", "invalid_request", "none"],
    ["request_too_large", "prompt_too_long", "overflow"],
    ["error_of_tomorrow", "server_error", "retry"],
  ])("by error event %s is a failure of kind %s", async (type, kind, recovery) => {
    const { outcome } = await stream(start(), { type: "error", error: { type, message: "m" } });
    expect(failureOf(outcome)).toMatchObject({ kind, recovery });
  });
});

describe("usage", () => {
  const usageOf = async (...events: WireEvent[]): Promise<unknown> => (await stream(...events, stop)).outcome.usage;

  test("starts with message_start, is updated by message_delta, and is never reset by a zero", async () => {
    const first = {
      input_tokens: 100,
      output_tokens: 3,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 900,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
      service_tier: "standard",
    };
    const last = {
      input_tokens: 0,
      output_tokens: 77,
      cache_read_input_tokens: 0,
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      inference_geo: "us",
    };
    expect(await usageOf(start(first), end("end_turn", last))).toEqual({
      inputTokens: 100,
      outputTokens: 77,
      cacheCreationInputTokens: 30,
      cacheReadInputTokens: 900,
      cacheCreation5mInputTokens: 20,
      cacheCreation1hInputTokens: 10,
      webSearchRequests: 2,
      webFetchRequests: 1,
      serviceTier: "standard",
      inferenceGeo: "us",
    });
  });

  test("is zero where a compatible server reports nothing", async () => {
    const nothing = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    expect(await usageOf({ type: "message_start", message: { id: "m" } }, end("end_turn", {}))).toEqual(nothing);
    expect(
      await usageOf({ type: "message_start" }, { type: "message_delta", delta: { stop_reason: "end_turn" } }),
    ).toEqual(nothing);
    expect(
      await usageOf(start({ input_tokens: null, output_tokens: "7" }), end("end_turn", { output_tokens: -1 })),
    ).toEqual(nothing);
  });

  test.each([
    ["nothing", undefined],
    ["no figures", {}],
    ["null", { output_tokens: null }],
    ["zero", { output_tokens: 0 }],
    ["a negative figure", { output_tokens: -5 }],
    ["an impossible figure", { output_tokens: 1e15 }],
    ["a text", { output_tokens: "77" }],
  ])("has unknown output tokens if the end of the answer reports %s", async (_, usage) => {
    const last = {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      ...(usage === undefined ? {} : { usage }),
    };
    const { outcome } = await stream(start(), ...textBlock(0, "a long answer"), last, stop);
    expect(outcome).toMatchObject({ ok: true, usage: { inputTokens: 10 }, outputUntold: true });
  });

  test("has output tokens from the end, from the iterations, or from a non-streamed answer", async () => {
    const iterations = [{ type: "message", input_tokens: 10, output_tokens: 20 }];
    for (const usage of [{ output_tokens: 20 }, { iterations }])
      expect((await stream(start(), ...textBlock(0, "x"), end("end_turn", usage), stop)).outcome).not.toHaveProperty(
        "outputUntold",
      );
    const message = { type: "message", content: [{ type: "text", text: "x" }], stop_reason: "end_turn" };
    const whole = JSON.stringify({ ...message, usage: { input_tokens: 10, output_tokens: 20 } });
    expect((await run(whole)).outcome).not.toHaveProperty("outputUntold");
    expect((await stream(start(), end("end_turn", {}), stop)).outcome).not.toHaveProperty("outputUntold");
  });

  test("counts cache writes without a lifetime as written for the requested hour", async () => {
    const written = { input_tokens: 1, cache_creation_input_tokens: 30 };
    const told = { ...written, cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 } };
    const hourOf = async (promptCacheTtl: "5m" | "1h", usage: object): Promise<number | undefined> => {
      const transport = answering(sse(start(usage), ...textBlock(0, "x"), end(), stop));
      const { outcome } = await hear(createAnthropicModel({ transport, version: "1.0.0", promptCacheTtl }));
      return outcome.usage?.cacheCreation1hInputTokens;
    };
    expect([await hourOf("1h", written), await hourOf("1h", told), await hourOf("5m", written)]).toEqual([
      30,
      10,
      undefined,
    ]);
  });

  test("has the requested speed if the server reports none, whatever its service tier", async () => {
    const tierOf = async (model: string, atStart: object, atEnd: object = {}): Promise<string | undefined> => {
      const transport = answering(sse(start({ input_tokens: 1, ...atStart }), end("end_turn", atEnd), stop));
      const asked = modelRequest({ model, speed: "fast" });
      const { outcome } = await hear(createAnthropicModel({ transport, version: "1.0.0" }), asked);
      return outcome.usage?.serviceTier;
    };
    const standard = { service_tier: "standard" };
    expect(await tierOf("claude-opus-5", {})).toBe("fast");
    expect(await tierOf("claude-opus-5", standard, standard)).toBe("fast");
    expect(await tierOf("claude-opus-5", { ...standard, speed: "fast" }, standard)).toBe("fast");
    expect(await tierOf("claude-opus-5", { ...standard, speed: "standard" })).toBe("standard");
    expect(await tierOf("claude-opus-5", standard, { speed: "standard" })).toBe("standard");
    expect(await tierOf("claude-sonnet-5", standard)).toBe("standard");
  });

  test("may be reported only at the end", async () => {
    expect(await usageOf(start({}), end("end_turn", { input_tokens: 5, output_tokens: 6 }))).toMatchObject({
      inputTokens: 5,
      outputTokens: 6,
    });
  });

  test("includes iterations that the top-level figures leave out", async () => {
    const iterations = [
      { type: "compaction", input_tokens: 1000, output_tokens: 50 },
      { type: "message", input_tokens: 200, output_tokens: 20 },
    ];
    expect(await usageOf(start(), end("end_turn", { input_tokens: 200, output_tokens: 20, iterations }))).toMatchObject(
      {
        inputTokens: 1200,
        outputTokens: 70,
      },
    );
  });

  test("is on the start event as far as it is known", async () => {
    const { events } = await stream(start({ input_tokens: 42 }), end(), stop);
    expect(events[0]).toMatchObject({ type: "start", usage: { inputTokens: 42 } });
  });
});

test("an answer that arrives after the abort is not read", async () => {
  const controller = new AbortController();
  const answer = Promise.withResolvers<TransportResponse>();
  let isRead = false;
  const body = {
    [Symbol.asyncIterator]() {
      isRead = true;
      return (async function* () {})();
    },
  };
  const model = createAnthropicModel({ transport: () => answer.promise, version: "1.0.0" });
  const heard = hear(model, modelRequest(), controller.signal);
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort("user");
  expect((await heard).outcome).toMatchObject({ ok: false, failure: { kind: "aborted" } });
  answer.resolve({ status: 200, headers: { "content-type": "text/event-stream" }, body });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isRead).toBe(false);
});

test("a transport that aborts the call itself and then hangs is not waited for", async () => {
  const controller = new AbortController();
  const transport = (): Promise<TransportResponse> => {
    controller.abort("user");
    return new Promise(() => undefined);
  };
  const { outcome } = await hear(
    createAnthropicModel({ transport, version: "1.0.0" }),
    modelRequest(),
    controller.signal,
  );
  expect(failureOf(outcome).kind).toBe("aborted");
});
