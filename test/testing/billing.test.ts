import { describe, expect, it } from "vitest";
import { Conversation, post, readTool, request, resultsFor, testModel } from "./support.ts";

const cached = { cache_control: { type: "ephemeral" } };
const long = { cache_control: { type: "ephemeral", ttl: "1h" } };
/** About 2,900 tokens: above every model's shortest cacheable prefix but that of 4,096. */
const rules = "Always do the right thing. ".repeat(375);
const system = (mark: object = cached, text = rules) => [{ type: "text", text, ...mark }];

function cacheOf(model: ReturnType<typeof testModel>["model"], number = model.requests.length) {
  const { cache } = model.requests[number - 1] as (typeof model.requests)[number];
  if (cache === undefined) throw new Error("no cache figures");
  return cache;
}

describe("prices", () => {
  const flat = { input_tokens: 1e6, output_tokens: 1e6 };
  const costOf = async (model: string, usage: Record<string, number>, changes: object = {}, sent = {}) => {
    const scripted = testModel({ fallback: { content: "x", usage } });
    const answer = await post(scripted.model, request({ model, ...changes }), {
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", ...sent },
    });
    expect(answer.status, answer.text).toBe(200);
    return scripted.model.bill.totalUsd;
  };

  it.each([
    ["claude-fable-5-2", 48],
    ["claude-mythos-5-2", 48],
    ["claude-opus-5-5", 24],
    ["claude-sonnet-5-5", 12],
    ["claude-fable-5-1", 60],
    ["claude-fable-5", 60],
    ["claude-opus-5", 30],
    ["claude-opus-4-8", 30],
    ["claude-opus-4-7", 30],
    ["claude-opus-4-6", 30],
    ["claude-opus-4-5", 30],
    ["claude-sonnet-5", 12],
    ["claude-sonnet-4-6", 18],
    ["claude-sonnet-4-5", 18],
    ["claude-haiku-4-5", 6],
  ])("%s costs $%d for a million tokens in and a million out", async (model, usd) => {
    expect(await costOf(model, flat)).toBeCloseTo(usd, 9);
  });

  it.each([
    ["claude-fable-5-2", 10, 16, 0.2],
    ["claude-opus-5-5", 5, 8, 0.2],
    ["claude-haiku-5-5", 0.625, 1, 0.05],
    ["claude-fable-5-1", 12.5, 20, 0.25],
    ["claude-fable-5", 12.5, 20, 1],
    ["claude-opus-5", 6.25, 10, 0.5],
    ["claude-sonnet-4-6", 3.75, 6, 0.3],
    ["claude-haiku-4-5", 1.25, 2, 0.1],
  ])("%s has its own rates for cache writes and reads", async (model, short, hour, read) => {
    const none = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    expect(await costOf(model, { ...none, cache_creation_input_tokens: 1e6 })).toBeCloseTo(short, 9);
    const hourly = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1e6 };
    expect(
      await costOf(model, { ...none, cache_creation_input_tokens: 1e6, cache_creation: hourly } as never),
    ).toBeCloseTo(hour, 9);
    expect(await costOf(model, { ...none, cache_read_input_tokens: 1e6 })).toBeCloseTo(read, 9);
  });

  it("Haiku 5.5 has higher rates above 100K prompt tokens, cached ones included", async () => {
    const below = { input_tokens: 100_000, output_tokens: 1000 };
    expect(await costOf("claude-haiku-5-5", below)).toBeCloseTo(0.01 + 0.0005, 12);
    const above = { input_tokens: 1, cache_read_input_tokens: 100_000, output_tokens: 1000 };
    expect(await costOf("claude-haiku-5-5", above)).toBeCloseTo((0.5 + 100_000 * 0.05 + 2500) / 1e6, 12);
  });

  it("fast mode and US-only inference cost more", async () => {
    const sent = { "anthropic-beta": "fast-mode-2026-02-01" };
    expect(await costOf("claude-opus-5", flat, { speed: "fast" }, sent)).toBeCloseTo(60, 9);
    expect(await costOf("claude-opus-5-5", flat, { speed: "fast" }, sent)).toBeCloseTo(48, 9);
    expect(await costOf("claude-opus-4-6", flat, { speed: "fast" }, sent)).toBeCloseTo(30, 9);
    expect(await costOf("claude-opus-5", flat, { inference_geo: "us" })).toBeCloseTo(33, 9);
  });

  it("a script can set prices and models of its own", async () => {
    const prices = { "my-model": { input: 1, output: 2, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 } };
    const { model } = testModel({ fallback: { content: "x", usage: flat }, prices, models: { "my-model": {} } });
    await post(model, request({ model: "my-model" }));
    expect(model.bill).toMatchObject({ totalUsd: 3, unpricedCalls: 0 });
  });
});

describe("billing", () => {
  const partial = async (fault: object) => {
    const { model } = testModel({ steps: [{ content: "x".repeat(350), fault: fault as never }] });
    await post(model, request({ stream: true })).catch(() => undefined);
    return model;
  };

  it("a cut stream is billed its input and the output so far", async () => {
    const model = await partial({ kind: "reset", at: { share: 0.5 } });
    const { usage, isBilled } = model.requests[0] ?? {};
    expect(isBilled).toBe(true);
    expect(usage?.input_tokens).toBeGreaterThan(0);
    expect(usage?.output_tokens).toBeGreaterThan(0);
    expect(usage?.output_tokens).toBeLessThan(100);
    expect(model.bill.totalUsd).toBeGreaterThan(0);
  });

  it("a stream that breaks before its first event is billed its input only", async () => {
    const model = await partial({ kind: "reset", at: "first_event" });
    expect(model.requests[0]?.usage?.output_tokens).toBe(0);
    expect(model.bill.billedCalls).toBe(1);
  });

  it("a call that never began is not billed", async () => {
    expect((await partial({ kind: "reset", at: "headers" })).bill.billedCalls).toBe(0);
    expect((await partial({ kind: "overloaded" })).bill.billedCalls).toBe(0);
    const { model } = testModel({ fallback: "x" });
    await post(model, request({ messages: [] }));
    expect(model.bill.billedCalls).toBe(0);
  });

  it("a whole stream is billed the usage that it reports", async () => {
    const { model } = testModel({ steps: ["x".repeat(350)] });
    const answer = await post(model, request({ stream: true }));
    const end = answer.events.find(({ event }) => event === "message_delta");
    expect(end?.data["usage"]).toEqual(model.requests[0]?.usage);
    expect(model.requests[0]?.usage?.output_tokens).toBe(100);
    expect(answer.events[0]?.data).toMatchObject({ message: { usage: { output_tokens: 1 } } });
  });

  it("adds up per model", async () => {
    const { model } = testModel({ fallback: "x" });
    await post(model, request());
    await post(model, request({ model: "claude-haiku-4-5" }));
    const { perModel, totalUsd } = model.bill;
    expect(Object.keys(perModel)).toEqual(["claude-opus-4-7", "claude-haiku-4-5"]);
    expect((perModel["claude-opus-4-7"]?.usd ?? 0) + (perModel["claude-haiku-4-5"]?.usd ?? 0)).toBeCloseTo(
      totalUsd,
      12,
    );
  });
});

describe("the prompt cache", () => {
  it("writes at a breakpoint and reads it back on the next request", async () => {
    const { model } = testModel({ fallback: "x" });
    const body = request({ system: system() });
    await post(model, body);
    const first = cacheOf(model);
    expect(first).toMatchObject({ readTokens: 0, write1hTokens: 0, breakpoints: 1 });
    expect(first.write5mTokens).toBeGreaterThan(2000);
    const answer = await post(model, { ...body, messages: [{ role: "user", content: "something else" }] });
    expect(cacheOf(model)).toMatchObject({ readTokens: first.write5mTokens, write5mTokens: 0 });
    const { usage } = answer.json as { usage: Record<string, number> };
    expect(usage).toMatchObject({ cache_read_input_tokens: first.write5mTokens, cache_creation_input_tokens: 0 });
    expect(usage["input_tokens"]).toBe(cacheOf(model).promptTokens - first.write5mTokens);
  });

  it("does not cache without a breakpoint, nor below the model's shortest prefix", async () => {
    const { model } = testModel({ fallback: "x" });
    await post(model, request({ system: rules }));
    await post(model, request({ system: rules }));
    expect(cacheOf(model)).toMatchObject({ readTokens: 0, write5mTokens: 0 });
    for (const _again of [1, 2]) await post(model, request({ model: "claude-haiku-4-5", system: system() }));
    expect(cacheOf(model)).toMatchObject({ readTokens: 0, write5mTokens: 0, breakpoints: 1 });
  });

  it("keeps models apart", async () => {
    const { model } = testModel({ fallback: "x" });
    await post(model, request({ system: system() }));
    await post(model, request({ system: system(), model: "claude-sonnet-5" }));
    expect(cacheOf(model).readTokens).toBe(0);
  });

  it("expires entries after five minutes or an hour, counted anew from every read", async () => {
    const { model, clock } = testModel({ fallback: "x" });
    const minutes = (count: number) => (clock.now += count * 60_000);
    const send = async (mark: object) => {
      await post(model, request({ system: system(mark) }));
      return cacheOf(model).readTokens > 0;
    };
    expect(await send(cached)).toBe(false);
    minutes(4);
    expect(await send(cached)).toBe(true);
    minutes(4);
    expect(await send(cached)).toBe(true);
    minutes(5);
    expect(await send(cached)).toBe(false);
    minutes(6);
    expect(await send(long)).toBe(false);
    expect(cacheOf(model).write1hTokens).toBeGreaterThan(0);
    minutes(59);
    expect(await send(long)).toBe(true);
    minutes(60);
    expect(await send(long)).toBe(false);
  });

  it("an entry can be read only once its response has begun", async () => {
    const { model } = testModel({ steps: [{ fault: "overloaded" }], fallback: "x" });
    await post(model, request({ system: system() }));
    await post(model, request({ system: system() }));
    expect(cacheOf(model).readTokens).toBe(0);
    await post(model, request({ system: system() }));
    expect(cacheOf(model).readTokens).toBeGreaterThan(0);
  });

  it("a read refreshes an entry that the lookback found further back", async () => {
    const { model, clock } = testModel({ fallback: "x" });
    const send = async (...texts: string[]) => {
      const content = texts.map((text, index) => ({
        type: "text",
        text,
        ...(index === texts.length - 1 ? cached : {}),
      }));
      await post(model, request({ messages: [{ role: "user", content }] }));
      clock.now += 4 * 60_000;
      return cacheOf(model).readTokens > 0;
    };
    expect(await send(rules)).toBe(false);
    expect(await send(rules, "one way")).toBe(true);
    expect(await send(rules, "another way")).toBe(true);
  });

  it("two breakpoints with a long lifetime write the prompt only once", async () => {
    const { model } = testModel({ fallback: "x" });
    const content = [{ type: "text", text: rules, ...long }];
    await post(model, request({ system: system(long), messages: [{ role: "user", content }] }));
    expect(cacheOf(model).write1hTokens).toBe(cacheOf(model).promptTokens);
  });

  it("a refused call does not refresh any entry", async () => {
    const { model, clock } = testModel({ steps: ["x", { fault: "overloaded" }], fallback: "x" });
    const send = () => post(model, request({ system: system() }));
    await send();
    clock.now += 4 * 60_000;
    await send();
    expect(cacheOf(model).readTokens).toBeGreaterThan(0);
    clock.now += 2 * 60_000;
    await send();
    expect(cacheOf(model).readTokens).toBe(0);
  });

  it("looks back twenty positions and no further", async () => {
    const blocks = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: "text", text: `block ${index}` }));
    const marked = (count: number) =>
      blocks(count).map((block, index) => (index === count - 1 ? { ...block, ...cached } : block));
    const reads = async (more: number) => {
      const { model } = testModel({ fallback: "x" });
      const body = (count: number) => request({ system: rules, messages: [{ role: "user", content: marked(count) }] });
      await post(model, body(1));
      await post(model, body(1 + more));
      return cacheOf(model).readTokens > 0;
    };
    expect(await reads(19)).toBe(true);
    expect(await reads(20)).toBe(false);
  });

  it.each([
    ["the tools", { tools: [{ ...readTool, description: "new" }] }, "nothing"],
    ["the system prompt", { system: system(cached, `${rules}!`) }, "tools"],
    ["the tool choice", { tool_choice: { type: "none" } }, "system"],
    ["thinking", { thinking: { type: "adaptive" } }, "system"],
    ["effort", { output_config: { effort: "low" } }, "system"],
    ["max_tokens", { max_tokens: 5 }, "all"],
  ])("a change of %s keeps what the documentation says it keeps: %s", async (_what, change, kept) => {
    const { model } = testModel({ fallback: "x" });
    const tools = [{ ...readTool, description: rules, ...cached }];
    const messages = [{ role: "user", content: [{ type: "text", text: rules, ...cached }] }];
    const body = request({ tools, system: system(), messages });
    await post(model, body);
    const whole = cacheOf(model).promptTokens;
    await post(model, { ...body, ...change });
    const share = cacheOf(model).readTokens / whole;
    const level = share === 0 ? "nothing" : share < 0.5 ? "tools" : share < 0.9 ? "system" : "all";
    expect(level).toBe(kept);
  });

  it("a breakpoint on a trailing system message is written and never found", async () => {
    const { model } = testModel({ fallback: "x" });
    const body = request({
      model: "claude-opus-5",
      messages: [
        { role: "user", content: rules },
        { role: "system", content: [{ type: "text", text: "be quick", ...cached }] },
      ],
    });
    await post(model, body);
    await post(model, body);
    expect(cacheOf(model)).toMatchObject({ readTokens: 0 });
    expect(cacheOf(model).write5mTokens).toBeGreaterThan(0);
  });

  it("automatic caching puts the mark on the last block", async () => {
    const { model } = testModel({ fallback: "x" });
    const body = request({ system: rules, cache_control: { type: "ephemeral" } });
    await post(model, body);
    await post(model, body);
    expect(cacheOf(model).readShare).toBe(1);
  });

  it("reads nearly everything over a hundred turns if the breakpoint moves with the tail", async () => {
    const { model } = testModel({ fallback: { content: [{ tool: "Read", input: { file_path: "a" } }] } });
    const conversation = new Conversation(model, { system: system() });
    let answer = await conversation.say("go");
    for (let turn = 0; turn < 100; turn++) {
      const { content } = resultsFor(answer.message, "line\n".repeat(20));
      const last = (content as object[]).map((block) => ({ ...block, ...cached }));
      const plain = conversation.messages.map((message) =>
        JSON.parse(JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', "")),
      );
      conversation.messages.splice(0, conversation.messages.length, ...plain);
      answer = await conversation.say(last as never);
      expect(answer.status, answer.text).toBe(200);
    }
    expect(model.cacheReadShare).toBeGreaterThan(0.97);
    model.assertDone();
  });

  it("counts images by their size and documents by their pages", async () => {
    const { image, pdf, png } = await import("./images.ts");
    const { model } = testModel({ fallback: "x" });
    const tokens = async (...content: unknown[]) => {
      await post(
        model,
        request({
          model: "claude-sonnet-4-6",
          messages: [{ role: "user", content: [{ type: "text", text: "x" }, ...content] }],
        }),
      );
      return cacheOf(model).promptTokens;
    };
    const base = await tokens();
    expect((await tokens(image(png(280, 280)))) - base).toBeGreaterThanOrEqual(100);
    expect((await tokens(image(png(280, 280)))) - base).toBeLessThan(150);
    expect((await tokens(image(png(7000, 7000)))) - base).toBeLessThan(1568 + 50);
    expect((await tokens(pdf(3))) - base).toBeGreaterThanOrEqual(6000);
    // One of blocks has no pages: it is its text and its images.
    const blocks = {
      type: "document",
      source: { type: "content", content: [image(png(280, 280) + "A".repeat(40_000))] },
    };
    const difference = (await tokens(blocks)) - base;
    expect(difference).toBeGreaterThanOrEqual(100);
    expect(difference).toBeLessThan(200);
  });

  it("divides the whole prompt among reads, both writes and plain input", async () => {
    const { model } = testModel({ fallback: "x" });
    const body = (text: string) =>
      request({
        system: system(long),
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text, ...cached },
              { type: "text", text: "tail ".repeat(100) },
            ],
          },
        ],
      });
    await post(model, body(rules));
    const first = cacheOf(model);
    expect(first.write1hTokens).toBeGreaterThan(2000);
    expect(first.write5mTokens).toBeGreaterThan(2000);
    const answer = await post(model, body(`${rules} and more`));
    const second = cacheOf(model);
    expect(second).toMatchObject({ readTokens: first.write1hTokens, write1hTokens: 0 });
    expect(second.write5mTokens).toBeGreaterThan(2000);
    expect(second.write5mTokens).toBeLessThan(first.promptTokens - first.write1hTokens);
    const { usage } = answer.json as { usage: Record<string, number> };
    expect(usage).toMatchObject({
      input_tokens: second.promptTokens - second.readTokens - second.write5mTokens,
      cache_read_input_tokens: second.readTokens,
      cache_creation_input_tokens: second.write5mTokens,
    });
    const { usage: mixed } = model.requests[0] ?? {};
    expect(mixed).toMatchObject({
      input_tokens: first.promptTokens - first.write5mTokens - first.write1hTokens,
      cache_creation_input_tokens: first.write5mTokens + first.write1hTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: first.write5mTokens,
        ephemeral_1h_input_tokens: first.write1hTokens,
      },
    });
  });

  it("an automatic breakpoint keeps its lifetime", async () => {
    const { model } = testModel({ fallback: "x" });
    await post(model, request({ system: rules, cache_control: { type: "ephemeral", ttl: "1h" } }));
    expect(cacheOf(model)).toMatchObject({ write5mTokens: 0 });
    expect(cacheOf(model).write1hTokens).toBe(cacheOf(model).promptTokens);
  });

  it("a first image in the conversation invalidates the cached messages, but not the cached system prompt", async () => {
    const { image, png } = await import("./images.ts");
    const { model } = testModel({ fallback: "x" });
    const body = (...more: unknown[]) =>
      request({
        system: system(),
        messages: [{ role: "user", content: [{ type: "text", text: rules, ...cached }, ...more] }],
      });
    await post(model, body());
    const whole = cacheOf(model).write5mTokens;
    await post(model, body({ type: "text", text: "x" }));
    expect(cacheOf(model).readTokens).toBe(whole);
    await post(model, body(image(png(10, 10))));
    expect(cacheOf(model).readTokens).toBeGreaterThan(2000);
    expect(cacheOf(model).readTokens).toBeLessThan(whole - 2000);
  });

  it.each([
    ["claude-sonnet-4-5", { type: "enabled", budget_tokens: 1024 }, false],
    ["claude-sonnet-4-6", { type: "adaptive" }, true],
  ])("thinking of an earlier turn on %s is prompt: %s", async (name, thinking, isKept) => {
    const { model } = testModel({
      steps: [{ content: [{ thinking: "long thoughts ".repeat(300) }, { tool: "Read", input: {} }] }, "done"],
      fallback: "done",
    });
    const conversation = new Conversation(model, { model: name, thinking, max_tokens: 4000 });
    const first = await conversation.say("go");
    await conversation.say(resultsFor(first.message).content);
    const during = cacheOf(model).promptTokens;
    expect(during).toBeGreaterThan(1000);
    await conversation.say("next");
    const after = cacheOf(model).promptTokens;
    if (isKept) expect(after).toBeGreaterThan(during);
    else expect(after).toBeLessThan(during - 1000);
  });

  it("reports the speed, and reduces the script's own output figure in proportion if the stream is cut", async () => {
    const { model } = testModel({
      steps: [
        { content: "x".repeat(640), usage: { output_tokens: 1000 }, fault: { kind: "reset", at: { share: 0.5 } } },
      ],
      fallback: "x",
    });
    await post(model, request({ stream: true }));
    const cut = model.requests[0]?.usage?.output_tokens ?? 0;
    expect(cut).toBeGreaterThan(200);
    expect(cut).toBeLessThan(800);
    const answer = await post(model, request({ model: "claude-opus-5", speed: "fast" }), {
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "fast-mode-2026-02-01" },
    });
    expect(answer.json).toMatchObject({ usage: { speed: "fast" } });
    expect((await post(model, request())).text).not.toContain('"speed"');
  });
});
