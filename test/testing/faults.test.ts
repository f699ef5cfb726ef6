import { describe, expect, it } from "vitest";
import type { Fault, FaultKind } from "../../src/testing/index.ts";
import type { WireBlock } from "../../src/testing/wire/types.ts";
import { errorText, headers, messageOf, post, readTool, request, testModel } from "./support.ts";

const call = { content: ["Let me look.", { tool: "Read", input: { file_path: "some/longer/path.ts" } }] };

async function faulty(fault: Fault | FaultKind, changes: Record<string, unknown> = {}) {
  const { model } = testModel({ steps: [{ ...call, fault }] });
  const answer = await post(model, request({ stream: true, tools: [readTool], ...changes }));
  return { answer, model, record: model.requests[0] };
}

describe("error statuses", () => {
  const statuses: [FaultKind, number, string][] = [
    ["overloaded", 529, "overloaded_error"],
    ["rate_limit", 429, "rate_limit_error"],
    ["spend_limit", 429, "rate_limit_error"],
    ["server_error", 500, "api_error"],
    ["unavailable", 503, "api_error"],
    ["gateway_timeout", 504, "timeout_error"],
    ["request_timeout", 408, "timeout_error"],
    ["conflict", 409, "conflict_error"],
    ["unauthenticated", 401, "authentication_error"],
    ["billing", 402, "billing_error"],
    ["forbidden", 403, "permission_error"],
    ["not_found", 404, "not_found_error"],
    ["too_large", 413, "request_too_large"],
    ["prompt_too_long", 400, "invalid_request_error"],
    ["bad_request", 400, "invalid_request_error"],
  ];

  it.each(statuses)("%s is a %i with the API's body, and costs nothing", async (kind, status, type) => {
    const { answer, model, record } = await faulty(kind);
    expect(answer.status).toBe(status);
    const body = answer.json as { type: string; error: { type: string }; request_id: string };
    expect(body).toMatchObject({ type: "error", error: { type } });
    expect(answer.headers["request-id"]).toBe(body.request_id);
    expect(record).toMatchObject({ outcome: "error", fault: kind, isBilled: false, violations: [] });
    expect(model.bill.totalUsd).toBe(0);
  });

  it("sends retry-after, other headers and details as the script says", async () => {
    const { answer } = await faulty({
      kind: "rate_limit",
      retryAfter: 7,
      headers: { "anthropic-ratelimit-tokens-remaining": "0" },
      details: { why: "test" },
      message: "slow down",
    });
    expect(answer.headers).toMatchObject({ "retry-after": "7", "anthropic-ratelimit-tokens-remaining": "0" });
    expect(answer.json).toMatchObject({ error: { message: "slow down", details: { why: "test" } } });
  });

  it("a spend limit has no retry-after, and its details say which limit it is", async () => {
    const { answer } = await faulty("spend_limit");
    expect(answer.headers["retry-after"]).toBeUndefined();
    expect(answer.json).toMatchObject({ error: { details: { error_code: "enforced_spend_limit_reached" } } });
  });

  it("marks which errors can be retried", async () => {
    const worth = async (kind: FaultKind) => (await faulty(kind)).answer.headers["x-should-retry"];
    for (const kind of ["overloaded", "rate_limit", "request_timeout", "conflict", "server_error"] as const) {
      expect(await worth(kind), kind).toBe("true");
    }
    for (const kind of ["spend_limit", "bad_request", "unauthenticated", "not_found"] as const) {
      expect(await worth(kind), kind).toBe("false");
    }
  });

  it("gives the figures of a prompt that is too long", async () => {
    const { answer } = await faulty({ kind: "prompt_too_long", tokens: 210_000, maximum: 200_000 });
    expect(errorText(answer)).toBe("prompt is too long: 210000 tokens > 200000 maximum");
  });
});

describe("broken connections and streams", () => {
  it("a reset before the headers rejects the request itself", async () => {
    const { model } = testModel({ steps: [{ ...call, fault: { kind: "reset", at: "headers" } }] });
    await expect(post(model, request())).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(model.bill.billedCalls).toBe(0);
  });

  it("a reset after a number of events delivers exactly those events", async () => {
    const { answer } = await faulty({ kind: "reset", at: { events: 3 } });
    expect(answer.error).toMatchObject({ code: "ECONNRESET" });
    expect(answer.events.map(({ event }) => event)).toEqual(["message_start", "ping", "content_block_start"]);
  });

  it("a break in a block comes right after the first piece of that block", async () => {
    const names = async (at: "mid_block" | "mid_last_block") =>
      (await faulty({ kind: "reset", at })).answer.events.map(({ event }) => event.replace("content_block_", ""));
    const first = ["message_start", "ping", "start", "delta"];
    expect(await names("mid_block")).toEqual(first);
    expect(await names("mid_last_block")).toEqual([...first, "stop", "start", "delta"]);
  });

  it.each([{ events: 9999 }, { share: 1 }])("a stream that breaks at %o never reaches message_stop", async (at) => {
    const { answer } = await faulty({ kind: "truncate", at });
    expect(answer.events.at(-1)?.event).toBe("message_delta");
  });

  it("a reset in the last block leaves the earlier ones complete", async () => {
    const { answer } = await faulty({ kind: "reset", at: "mid_last_block" });
    expect(messageOf(answer.events).content).toEqual([{ type: "text", text: "Let me look." }]);
  });

  it("a truncated stream ends without an error and without message_stop", async () => {
    const { answer, record } = await faulty({ kind: "truncate", at: "before_stop" });
    expect(answer.error).toBeUndefined();
    expect(messageOf(answer.events).content).toHaveLength(2);
    expect(answer.events.map(({ event }) => event)).not.toContain("message_delta");
    expect(record).toMatchObject({ outcome: "cut", isBilled: true });
  });

  it("an error event follows what was already sent", async () => {
    const { answer } = await faulty({ kind: "error_event", at: { share: 0.5 } });
    expect(answer.status).toBe(200);
    expect(answer.events.at(-1)).toMatchObject({ event: "error", data: { error: { type: "overloaded_error" } } });
    expect(answer.events.length).toBeGreaterThan(2);
  });

  it("an error event comes after the status 200 also if it comes first of all", async () => {
    for (const at of ["headers", "first_event"] as const) {
      const { answer } = await faulty({ kind: "error_event", at });
      expect([answer.status, answer.events.map(({ event }) => event)]).toEqual([200, ["error"]]);
    }
  });

  it("a stall waits until the request is aborted", async () => {
    const { model } = testModel({ steps: [{ ...call, fault: "stall" }] });
    const controller = new AbortController();
    const response = await model.handle({
      method: "POST",
      path: "/v1/messages",
      headers,
      body: JSON.stringify(request({ stream: true })),
      signal: controller.signal,
    });
    const iterator = response.body[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    const waiting = iterator.next();
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect(model.requests[0]?.outcome).toBe("cut");
  });

  it("a stall ends if its reader gives up without a signal", async () => {
    const { model } = testModel({ steps: [{ ...call, fault: { kind: "stall", at: "first_event" } }] });
    const body = JSON.stringify(request({ stream: true }));
    const response = await model.handle({ method: "POST", path: "/v1/messages", headers, body });
    const iterator = response.body[Symbol.asyncIterator]();
    const waiting = iterator.next();
    waiting.catch(() => undefined);
    await iterator.return?.();
    await expect(waiting).rejects.toThrow("given up");
  });

  it("a listener that a pause left behind hears nothing of the request's signal once the response has ended", async () => {
    const heard: unknown[] = [];
    const sleep = async (_: number, signal: AbortSignal | undefined) =>
      signal?.addEventListener("abort", () => heard.push(signal.reason));
    const { model } = testModel({ steps: [{ content: "hello", pace: { firstByteMs: 1 } }] }, { sleep });
    const controller = new AbortController();
    const answer = await post(model, request({ stream: true }), { signal: controller.signal });
    expect(messageOf(answer.events).content).toEqual([{ type: "text", text: "hello" }]);
    controller.abort();
    expect(heard).toEqual([]);
  });

  it("a response that is never read still counts as begun", async () => {
    const { model } = testModel({ steps: ["hello"] });
    const body = JSON.stringify(request({ stream: true }));
    const response = await model.handle({ method: "POST", path: "/v1/messages", headers, body });
    await response.body[Symbol.asyncIterator]().return?.();
    expect(model.requests[0]).toMatchObject({ outcome: "cut", isBilled: true, usage: { output_tokens: 0 } });
  });

  it("a reader that gives up after the final figures is billed for them", async () => {
    const { model } = testModel({
      steps: [{ content: [], usage: { output_tokens: 2 }, pace: { bytesPerChunk: 64 } }],
    });
    const body = JSON.stringify(request({ stream: true }));
    const response = await model.handle({ method: "POST", path: "/v1/messages", headers, body });
    let text = "";
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString();
      if (text.includes("message_delta")) break;
    }
    expect(model.requests[0]).toMatchObject({ outcome: "cut", isBilled: true, usage: { output_tokens: 2 } });
  });

  it("a stall before the headers ends with the signal", async () => {
    const { model } = testModel({ steps: [{ ...call, fault: { kind: "stall", at: "headers" } }] });
    const controller = new AbortController();
    const waiting = post(model, request(), { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("garbage between events leaves the events whole, and is nothing that the API could not send", async () => {
    const { answer } = await faulty("garbage");
    expect(answer.text).toContain(": keep-alive");
    expect(answer.text).toContain("event: mystery\ndata: ");
    // The official SDK reads the data of events that it does not know, and breaks off where one is no JSON.
    for (const [, data] of answer.text.matchAll(/^data: (.*)$/gm)) expect(() => JSON.parse(data ?? "")).not.toThrow();
    expect(messageOf(answer.events).content).toHaveLength(2);
  });
});

describe("faults in the content", () => {
  it("send a call whose input is not valid JSON", async () => {
    const { answer } = await faulty("invalid_tool_json");
    expect(() => messageOf(answer.events)).toThrow(SyntaxError);
    expect(answer.text).toContain('"stop_reason":"tool_use"');
    // A reader of unfinished JSON, as the official SDKs have one, must not come by the whole input.
    const sent = [...answer.text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(([, piece]) =>
      JSON.parse(piece ?? ""),
    );
    expect(sent.join("")).toBe('{"file_path":"som');
  });

  it("end the answer inside a call at the output limit", async () => {
    const { answer } = await faulty("max_tokens_in_tool");
    expect(answer.text).toContain('"stop_reason":"max_tokens"');
    expect(() => messageOf(answer.events)).toThrow(SyntaxError);
  });

  it("give two calls the same id, or send a lone call twice", async () => {
    const { answer } = await faulty("duplicate_tool_ids");
    const calls = (messageOf(answer.events).content as WireBlock[]).filter(({ type }) => type === "tool_use");
    expect(calls).toHaveLength(2);
    expect(calls[0]?.["id"]).toBe(calls[1]?.["id"]);
  });

  it("give an empty answer", async () => {
    const { answer, record } = await faulty("empty");
    expect(messageOf(answer.events).content).toEqual([]);
    expect(answer.text).toContain('"stop_reason":"end_turn"');
    expect(record?.usage?.output_tokens).toBe(2);
  });

  it("refuse free of charge before any output, and for a charge after some", async () => {
    const before = await faulty("refusal");
    expect(before.answer.text).toContain('"stop_details":{"type":"refusal","category":"general_harms"');
    expect(before.model.bill.totalUsd).toBe(0);
    const after = await faulty({ kind: "refusal", afterOutput: true, category: "cyber" });
    expect(after.answer.text).toContain('"category":"cyber"');
    expect(after.model.bill.totalUsd).toBeGreaterThan(0);
  });

  it("pause the answer, and accept the paused conversation back unchanged", async () => {
    const { model } = testModel({ steps: [{ content: "Searching", fault: "pause_turn" }, "Found."] });
    const first = await post(model, request({ stream: true }));
    expect(first.text).toContain('"stop_reason":"pause_turn"');
    const messages = [{ role: "user", content: "hello" }, messageOf(first.events)];
    expect((await post(model, request({ messages }))).status).toBe(200);
    model.assertDone();
  });

  it("accept a paused conversation back only without blanks at its end", async () => {
    const back = async (content: string[], text: string) => {
      const { model } = testModel({ steps: [{ content, stopReason: "pause_turn" }, "Found."] });
      await post(model, request({}));
      const paused = { role: "assistant", content: [{ type: "text", text }] };
      return await post(model, request({ messages: [{ role: "user", content: "hello" }, paused] }));
    };
    const refused = await back(["Searching. \n"], "Searching. \n");
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("messages: final assistant content cannot end with trailing whitespace");
    expect((await back(["Searching. \n"], "Searching.")).status).toBe(200);
    expect((await back(["Searching. \n", " "], "Searching.")).status).toBe(200);
  });

  it("end the answer at the window with what fits", async () => {
    const { answer } = await faulty("window_exceeded");
    expect(answer.text).toContain('"stop_reason":"model_context_window_exceeded"');
  });

  it("split every character, and send text slowly", async () => {
    const split = await faulty("split_utf8");
    expect(messageOf(split.answer.events).content).toHaveLength(2);
    const { model, sleeps } = testModel({ steps: [{ content: "drip", fault: "slow_drip" }] });
    await post(model, request({ stream: true }));
    expect(sleeps).toEqual([20, 20, 20, 20]);
  });

  it("a stream fault also breaks a body that is not a stream", async () => {
    const { answer } = await faulty({ kind: "reset", at: "first_event" }, { stream: false });
    expect(answer.error).toMatchObject({ code: "ECONNRESET" });
    const truncated = await faulty({ kind: "truncate", at: "first_event" }, { stream: false });
    expect(truncated.answer.text).toBe("");
    // Half of the JSON, which the client here cannot parse.
    for (const kind of ["truncate", "reset"] as const) {
      await expect(faulty({ kind }, { stream: false })).rejects.toThrow(SyntaxError);
    }
  });

  it("faults that only a stream can have are an error status or left out of a single body", async () => {
    const { answer } = await faulty("error_event", { stream: false });
    expect([answer.status, errorText(answer)]).toEqual([529, "Overloaded"]);
    const limited = await faulty({ kind: "error_event", type: "api_error", message: "m" }, { stream: false });
    expect([limited.answer.status, errorText(limited.answer)]).toEqual([500, "m"]);
    expect((await faulty("garbage", { stream: false })).answer.json).toMatchObject({ type: "message" });
  });
});
