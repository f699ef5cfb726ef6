import { describe, expect, it } from "vitest";
import type { Part, Reply } from "../../src/testing/index.ts";
import type { WireBlock } from "../../src/testing/wire/types.ts";
import { Conversation, errorText, messageOf, post, readTool, request, resultsFor, testModel } from "./support.ts";

async function contentOf(content: Part[], changes: Record<string, unknown> = {}): Promise<WireBlock[]> {
  const { model } = testModel({ steps: [{ content }] });
  const answer = await post(model, request({ stream: true, tools: [readTool], ...changes }));
  expect(answer.status, answer.text).toBe(200);
  return messageOf(answer.events).content as WireBlock[];
}

describe("the scripted model", () => {
  it("picks the tool on offer among alternatives and the input keys its schema has", async () => {
    const offered = { name: "read_file", input_schema: { type: "object", properties: { path: {} } } };
    const content = await contentOf([{ tool: "Read|read_file|View", input: { "file_path|path|file": "a.ts" } }], {
      tools: [offered],
    });
    expect(content[0]).toMatchObject({ type: "tool_use", name: "read_file", input: { path: "a.ts" } });
  });

  it("accepts text, thinking and calls in the API's own form", async () => {
    const content: Part[] = [
      { type: "thinking", thinking: "settings first" },
      { type: "text", text: "First the settings." },
      { type: "tool_use", name: "Read|read_file", input: { file_path: { $fromUser: {} } }, id: "toolu_mine" },
    ];
    const [thinking, text, call] = await contentOf(content, {
      messages: [{ role: "user", content: "app.toml" }],
      thinking: { type: "adaptive", display: "summarized" },
    });
    expect(thinking).toMatchObject({ type: "thinking", thinking: "settings first" });
    expect(text).toEqual({ type: "text", text: "First the settings." });
    expect(call).toMatchObject({ type: "tool_use", id: "toolu_mine", name: "Read", input: { file_path: "app.toml" } });
  });

  it("calls a tool that is not offered if the script names only that", async () => {
    expect(await contentOf([{ tool: "Nope", input: {} }])).toMatchObject([{ name: "Nope", input: {} }]);
  });

  it("derives input from earlier results and from the user's text in a JSON script", async () => {
    const { model } = testModel({
      steps: [
        { content: [{ tool: "Read", input: { file_path: { $fromUser: { regex: "read (\\S+)" } } } }] },
        {
          content: [
            { tool: "Read", input: { file_path: { $fromResult: { tool: "Read", regex: "import '(.+)'" } } } },
            { text: { $concat: ["got ", { $fromResult: { regex: "nothing like it", default: "no match" } }] } },
          ],
        },
        { content: [{ text: { $fromResult: { regex: "absent" } } }] },
      ],
    });
    const conversation = new Conversation(model);
    const first = await conversation.say("read main.ts");
    expect(first.message.content).toMatchObject([{ input: { file_path: "main.ts" } }]);
    const second = await conversation.say(resultsFor(first.message, "import './b.ts'").content);
    expect(second.message.content).toMatchObject([{ input: { file_path: "./b.ts" } }, { text: "got no match" }]);
    const third = await conversation.say(resultsFor(second.message).content);
    expect(third.status).toBe(400);
    expect(errorText(third)).toContain("$fromResult");
    expect(() => model.assertDone()).toThrow("could not be made: step 3: $fromResult");
  });

  it("derives thinking from the user's text without a function", async () => {
    const { model } = testModel({ steps: [{ content: [{ thinking: { $fromUser: {} } }, "Done."] }] });
    const thinking = { type: "adaptive", display: "summarized" };
    const answer = await post(model, request({ stream: true, thinking }));
    expect(answer.status, answer.text).toBe(200);
    expect(messageOf(answer.events).content[0]).toMatchObject({ type: "thinking", thinking: "hello" });
  });

  it("takes a value from the newest matching result, or from the oldest if asked", async () => {
    const read = { tool: "Read", input: { file_path: "a" } };
    const of = (pick: object) => ({ $fromResult: { tool: "Read|Other", regex: "id (\\d)", ...pick } });
    const { model } = testModel({
      steps: [{ content: [read, read, read] }, { content: [{ text: { $concat: [of({}), of({ pick: "first" })] } }] }],
    });
    const conversation = new Conversation(model);
    const { message } = await conversation.say("go");
    const told = ["id 1", "id 2", "no"];
    const results = resultsFor(message, () => told.shift() ?? "");
    expect((await conversation.say(results.content)).message.content).toMatchObject([{ text: "21" }]);
  });

  it("reports an error in a script's function as the script's, not as the model's", async () => {
    const { model } = testModel({
      rules: [{ when: { test: (view) => view.call === 2 && Number.isNaN(JSON.parse("{")) }, reply: "never" }],
      steps: [
        () => {
          throw new Error("no such result");
        },
      ],
    });
    const answer = await post(model, request());
    expect(answer.status).toBe(400);
    expect(errorText(answer)).toBe("Scripted model: The reply could not be made: step 1: no such result");
    expect((await post(model, request())).status).toBe(400);
    expect(model.scriptProblems).toHaveLength(2);
    expect(() => model.assertDone()).toThrow("request 1: The reply could not be made: step 1: no such result");
  });

  it("calls the functions of a TypeScript script with the request", async () => {
    const { model } = testModel({
      steps: [
        (view) =>
          `${view.model} ${view.messages.length} ${view.tools.join()} ${view.turns} ${view.systemText} ${view.call}`,
        (view) => ({ content: [{ tool: "Read", input: () => ({ file_path: view.firstUserText }) }] }),
      ],
    });
    const answer = await post(model, request({ stream: true, tools: [readTool], system: "be brief" }));
    expect(messageOf(answer.events).content).toMatchObject([{ text: "claude-opus-4-7 1 Read 0 be brief 1" }]);
    const second = await post(model, request({ stream: true, tools: [readTool] }));
    expect(messageOf(second.events).content).toMatchObject([{ input: { file_path: "hello" } }]);
  });

  it("leaves thinking out if the request does not think, and empties it if the display omits it", async () => {
    const part = [{ thinking: "step by step" }, "answer"];
    expect(await contentOf(part)).toMatchObject([{ type: "text" }]);
    const omitted = await contentOf(part, { thinking: { type: "adaptive" } });
    expect(omitted).toMatchObject([{ type: "thinking", thinking: "" }, { type: "text" }]);
    expect(omitted[0]?.["signature"]).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const shown = await contentOf(part, { thinking: { type: "adaptive", display: "summarized" } });
    expect(shown[0]).toMatchObject({ thinking: "step by step" });
    const old = await contentOf(part, {
      model: "claude-sonnet-4-5",
      thinking: { type: "enabled", budget_tokens: 1024 },
      max_tokens: 2000,
    });
    expect(old[0]).toMatchObject({ thinking: "step by step" });
  });

  it("bills thinking that is not shown", async () => {
    const { model } = testModel({ fallback: { content: [{ thinking: "x".repeat(700) }, "ok"] } });
    await post(model, request({ stream: true, thinking: { type: "adaptive" } }));
    expect(model.requests[0]?.usage?.output_tokens).toBeGreaterThanOrEqual(200);
  });

  it("sends server tools, citations, summaries, redacted thinking and unknown blocks unchanged", async () => {
    const citation = { type: "char_location", cited_text: "x" };
    const { model } = testModel({
      steps: [
        {
          content: [
            { redactedThinking: "secret" },
            { serverTool: "web_search", input: { query: "q" } },
            { text: "cited", citations: [citation] },
            { block: { type: "hologram", shape: "cube" } },
            { compaction: "what happened" },
          ],
        },
      ],
    });
    const answer = await post(model, request({ stream: true, thinking: { type: "adaptive" } }));
    const content = messageOf(answer.events).content as WireBlock[];
    expect(content.map(({ type }) => type)).toEqual([
      "redacted_thinking",
      "server_tool_use",
      "text",
      "hologram",
      "compaction",
    ]);
    expect(content[1]).toMatchObject({ name: "web_search", input: { query: "q" } });
    expect(content[4]).toMatchObject({ content: "what happened" });
    expect(answer.text).toContain('"type":"citations_delta"');
    expect(answer.text.match(/compaction_delta/g)).toHaveLength(1);
  });

  it("sends extra events outside the protocol where the script puts them", async () => {
    const { model } = testModel({
      steps: [{ content: "hi", extraEvents: [{ after: 0, event: "telemetry", data: { a: 1 } }] }],
    });
    const { events } = await post(model, request({ stream: true }));
    expect(events[1]).toEqual({ event: "telemetry", data: { a: 1 } });
  });

  it("gives the same content with and without a stream", async () => {
    const reply: Reply = { content: ["text", { tool: "Read", input: { file_path: "ü🙂.ts", lines: [1, 2] } }] };
    const { model } = testModel({ fallback: reply });
    const streamed = messageOf((await post(model, request({ stream: true, tools: [readTool] }))).events);
    const whole = (await post(model, request({ tools: [readTool] }))).json as { content: WireBlock[] };
    const withoutIds = (blocks: unknown) => JSON.parse(JSON.stringify(blocks).replaceAll(/toolu_\w+/g, "id"));
    expect(withoutIds(whole.content)).toEqual(withoutIds(streamed.content));
  });

  it.each([true, false])("ends before a stop sequence of the request, streamed: %s", async (stream) => {
    const { model } = testModel({
      steps: [{ content: ["Look. Observation: 5 END", { tool: "Read", input: {} }] }, "END", "no such word"],
    });
    const ask = () => post(model, request({ stream, stop_sequences: ["END", "Observation:"], tools: [readTool] }));
    const [first, bare, none] = [await ask(), await ask(), await ask()];
    const content = ({ json, events }: typeof first) =>
      stream ? messageOf(events).content : (json as { content: unknown }).content;
    expect(content(first)).toEqual([{ type: "text", text: "Look. " }]);
    expect(first.text).toContain('"stop_reason":"stop_sequence","stop_sequence":"Observation:"');
    expect(content(bare)).toEqual([]);
    expect(bare.text).toContain('"stop_sequence":"END"');
    expect(none.text).toContain('"stop_reason":"end_turn","stop_sequence":null');
  });

  it("has null stop details where the API has null, and none on a compatible endpoint", async () => {
    const { model } = testModel({ fallback: "hi" });
    expect((await post(model, request())).json).toMatchObject({ stop_details: null });
    const events = (await post(model, request({ stream: true }))).events.map(({ data }) => data);
    expect(events[0]).toMatchObject({ message: { stop_details: null } });
    expect(events.at(-2)).toMatchObject({ delta: { stop_details: null } });
    const other = testModel({ fallback: "hi" }, { endpoint: "compatible" });
    expect((await post(other.model, request())).json).not.toHaveProperty("stop_details");
  });

  it("truncates an answer longer than max_tokens, even inside a call", async () => {
    const { model } = testModel({
      steps: [
        "y".repeat(1000),
        { content: ["short", { tool: "Read", input: { file_path: "z".repeat(1000) } }] },
        { content: ["🙂".repeat(100)] },
      ],
    });
    const text = await post(model, request({ max_tokens: 100 }));
    expect(text.json).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 100 } });
    const call = await post(model, request({ max_tokens: 100, stream: true, tools: [readTool] }));
    expect(() => messageOf(call.events)).toThrow(SyntaxError);
    expect(call.text).toContain('"stop_reason":"max_tokens"');
    const emoji = (await post(model, request({ max_tokens: 10 }))).json as { content: { text: string }[] };
    expect(emoji.content[0]?.text).toBe("🙂".repeat(8));
  });

  it("refuses a prompt larger than the window, and stops at the end of the window", async () => {
    const { model } = testModel({ fallback: "w".repeat(2000), window: 100 });
    const long = await post(model, request({ system: "s".repeat(1000) }));
    expect(long.status).toBe(400);
    expect(errorText(long)).toMatch(/^prompt is too long: \d+ tokens > 100 maximum$/);
    const cut = await post(model, request());
    expect(cut.json).toMatchObject({ stop_reason: "model_context_window_exceeded" });
  });

  it("paces deltas, the first byte and the gaps between blocks through the given sleep", async () => {
    const { model, sleeps } = testModel({
      steps: [
        { content: ["abcdef", "ghi"], pace: { deltaCharacters: 3, delayMs: 5, firstByteMs: 100, blockDelayMs: 50 } },
      ],
    });
    await post(model, request({ stream: true }));
    expect(sleeps).toEqual([100, 5, 5, 50, 5, 50]);
  });

  it("joins events into chunks of some kilobytes if nothing is paced", async () => {
    const { model } = testModel({ steps: ["x".repeat(40_000)] });
    const response = await model.handle({
      method: "POST",
      path: "/v1/messages",
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(request({ stream: true, max_tokens: 20_000 })),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.length).toBeLessThan(20);
  });

  it("cuts bytes anywhere, even inside characters, without changing the whole", async () => {
    const { model } = testModel({ steps: [{ content: "äöü🙂", pace: { bytesPerChunk: 1 } }] });
    const response = await model.handle({
      method: "POST",
      path: "/v1/messages",
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(request({ stream: true })),
    });
    const sizes: number[] = [];
    for await (const chunk of response.body) sizes.push(chunk.length);
    expect(new Set(sizes)).toEqual(new Set([1]));
  });

  it("reports the usage that the script gives instead of the computed one", async () => {
    const { model } = testModel({ steps: [{ content: "x", usage: { input_tokens: 5000, output_tokens: 70 } }] });
    const answer = await post(model, request());
    expect(answer.json).toMatchObject({ usage: { input_tokens: 5000, output_tokens: 70 } });
    expect(model.bill.totalUsd).toBeCloseTo((5000 * 5 + 70 * 25) / 1e6, 10);
  });

  it("acts as another vendor's endpoint: any model, no cache figures, no token counting", async () => {
    const { model } = testModel({ fallback: "hello" }, { endpoint: "compatible", requireKey: false });
    const answer = await post(model, request({ model: "local-7b" }), { headers: {} });
    expect(answer.json).toMatchObject({ model: "local-7b", usage: { input_tokens: expect.any(Number) } });
    expect(Object.keys((answer.json as { usage: object }).usage)).toEqual(["input_tokens", "output_tokens"]);
    expect((await post(model, request(), { path: "/v1/messages/count_tokens" })).status).toBe(404);
    expect(model.bill).toMatchObject({ totalUsd: 0, unpricedCalls: 1, perModel: { "local-7b": { usd: undefined } } });
  });

  it("counts tokens free of charge, and the same as the call that follows", async () => {
    const { model } = testModel({ fallback: "x" });
    const { max_tokens: _limit, ...body } = request();
    const counted = await post(model, body, { path: "/v1/messages/count_tokens" });
    const called = await post(model, request());
    const { input_tokens } = (called.json as { usage: { input_tokens: number } }).usage;
    expect(counted.json).toEqual({ input_tokens });
    expect(model.bill.billedCalls).toBe(1);
  });

  it("can check requests less, or only that they are readable", async () => {
    const fiveMarks = Array.from({ length: 5 }, () => ({
      type: "text",
      text: "x",
      cache_control: { type: "ephemeral" },
    }));
    const marked = request({ messages: [{ role: "user", content: fiveMarks }] });
    const unpaired = request({
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] },
        { role: "user", content: "y" },
      ],
    });
    const status = async (validate: "full" | "light" | "off", body: unknown) =>
      (await post(testModel({ fallback: "ok" }, { validate }).model, body)).status;
    expect(await status("full", marked)).toBe(400);
    expect(await status("light", marked)).toBe(200);
    expect(await status("light", unpaired)).toBe(400);
    expect(await status("off", unpaired)).toBe(200);
    expect(await status("off", "{")).toBe(400);
    expect(await status("off", { messages: 3 })).toBe(400);
  });

  it("derives the ids of calls from the conversation, so that a restarted server repeats none", async () => {
    const script = {
      fallback: {
        content: [
          { tool: "Read", input: {} },
          { tool: "Read", input: {} },
        ],
      },
    };
    const idsOf = async (conversation: Conversation) => {
      const { message } = await conversation.say(resultsOrStart(conversation));
      return (message.content as WireBlock[]).map(({ id }) => id);
    };
    const resultsOrStart = ({ messages }: Conversation) => {
      const last = messages.at(-1);
      return last === undefined ? "go" : resultsFor(last).content;
    };
    const one = new Conversation(testModel(script).model);
    const ids = [...(await idsOf(one)), ...(await idsOf(one))];
    const restarted = new Conversation(testModel(script).model);
    restarted.messages.push(...one.messages);
    ids.push(...(await idsOf(restarted)));
    expect(new Set(ids).size).toBe(6);
  });
});
