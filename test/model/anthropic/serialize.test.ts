// The request's bytes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sendableCallId } from "../../../src/lib/call-id.ts";
import { createCatalog } from "../../../src/model/catalog.ts";
import { createSerializer } from "../../../src/model/anthropic/serialize.ts";
import type { ContentBlock } from "../../../src/protocol/message.ts";
import type { ApiMessage, ModelRequest } from "../../../src/protocol/model.ts";
import { modelRequest, textOf, user } from "../support/wire.ts";

const catalog = createCatalog();
const serialize = createSerializer((model) => catalog.info(model), "5m");
const whole = (pieces: readonly Uint8Array[]): string => textOf(Buffer.concat(pieces));
const bodyOf = (change: Partial<ModelRequest> = {}): string => whole(serialize(modelRequest(change)).body());
const mark = ',"cache_control":{"type":"ephemeral"}';

test("a full request has exactly these bytes", () => {
  const assistant: ApiMessage = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "opaque", wire: { type: "server_tool_use", id: "s", name: "web_search", input: { b: 1, a: 2 } } },
      { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a" } },
    ],
  };
  const result: ApiMessage = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x", is_error: true }],
  };
  expect(
    bodyOf({
      model: "claude-opus-4-8",
      system: [{ text: "one" }, { text: "two", cacheBreakpoint: true }],
      messages: [user("héllo"), assistant, result],
      cacheBreakpoints: [0, 2],
      effort: "xhigh",
      taskBudget: { total: 50_000 },
    }),
  ).toBe(
    '{"model":"claude-opus-4-8"' +
      ',"tools":[{"name":"Read","description":"Reads a file.","input_schema":{"type":"object"}}]' +
      ',"system":[{"type":"text","text":"one"},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}]' +
      ',"messages":[{"role":"user","content":[{"type":"text","text":"héllo","cache_control":{"type":"ephemeral"}}]}' +
      ',{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"}' +
      ',{"type":"server_tool_use","id":"s","name":"web_search","input":{"b":1,"a":2}}' +
      ',{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"a"}}]}' +
      ',{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x","is_error":true,"cache_control":{"type":"ephemeral"}}]}]' +
      ',"max_tokens":8000,"thinking":{"type":"adaptive","display":"summarized"}' +
      ',"output_config":{"effort":"xhigh","task_budget":{"type":"tokens","total":50000}},"stream":true}',
  );
});

test("signed thinking is left out if the request does not think", () => {
  const kinds = (change: Partial<ModelRequest>): string[] => {
    const answer: ApiMessage = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "redacted_thinking", data: "sealed" },
        { type: "thinking", thinking: "told by a gateway" },
        { type: "tool_use", id: "toolu_1", name: "Read", input: {} },
      ],
    };
    const result: ApiMessage = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }],
    };
    const sent = bodyOf({ messages: [user("go"), answer, result], cacheBreakpoints: [2], ...change });
    const { messages } = JSON.parse(sent) as { messages: { content: { type: string }[] }[] };
    return messages[1]!.content.map(({ type }) => type);
  };
  const whole = ["thinking", "redacted_thinking", "thinking", "tool_use"];
  const without = ["thinking", "tool_use"];
  const budget = { type: "enabled", budgetTokens: 2_000 } as const;
  const off = { type: "disabled" } as const;
  for (const model of ["claude-haiku-4-5", "claude-sonnet-4-6"]) {
    expect(kinds({ model, thinking: budget })).toEqual(whole);
    expect(kinds({ model, thinking: budget, maxTokens: 1_024 })).toEqual(without);
    expect(kinds({ model, thinking: off })).toEqual(without);
  }
  expect(kinds({ model: "claude-haiku-4-5", thinking: { type: "auto" } })).toEqual(without);
  expect(kinds({ model: "claude-haiku-5-5", thinking: off })).toEqual(without);
  for (const model of ["claude-opus-5-5", "claude-sonnet-5-5", "somebody-elses"])
    expect(kinds({ model, thinking: off })).toEqual(whole);
  expect(kinds({ model: "claude-opus-5", thinking: off, effort: "max" })).toEqual(whole);
});

test("a summary is requested in a field of its own, with or without instructions", () => {
  const compaction = (change: Partial<ModelRequest>): unknown =>
    (JSON.parse(bodyOf(change)) as { compaction?: unknown }).compaction;
  expect(compaction({ compaction: {} })).toEqual({ type: "summarize" });
  expect(compaction({ compaction: { instructions: "Keep names." } })).toEqual({
    type: "summarize",
    instructions: "Keep names.",
  });
  expect(compaction({})).toBeUndefined();
  expect(bodyOf({ compaction: {} }).replace(',"compaction":{"type":"summarize"}', "")).toBe(bodyOf());
});

test("empty lists are left out", () => {
  const body = JSON.parse(bodyOf({ system: [], tools: [], cacheBreakpoints: [] })) as object;
  expect(Object.keys(body)).toEqual(["model", "messages", "max_tokens", "thinking", "stream"]);
});

test("half a surrogate pair is sent as U+FFFD, because strict parsers refuse it", () => {
  const call: ContentBlock = { type: "tool_use", id: "t", name: "Write", input: { content: "\ud83d" } };
  const body = bodyOf({
    system: [{ text: "\udc00" }],
    messages: [user("cut \ud83d"), { role: "assistant", content: [call] }],
    cacheBreakpoints: [0],
  });
  expect(body.match(/\ufffd/g)).toHaveLength(3);
  expect(body).not.toMatch(/\\ud/);
});

test("blocks of people and tools are reduced to the API's fields; the model's own blocks stay unchanged", () => {
  const more = { cache_control: { type: "ephemeral" }, annotations: { priority: 1 } };
  const text: ContentBlock = { type: "text", text: "t" };
  const image: ContentBlock = { type: "image", source: { type: "url", url: "https://a.example/b.png" } };
  const document: ContentBlock = {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "d" },
    title: "e",
  };
  const call = { type: "tool_use", id: "t", name: "Write", input: { more }, caller: { type: "direct" } } as const;
  const words = { ...text, phase: "commentary" };
  const said = (field: object): ApiMessage[] => {
    const marked = <Block extends ContentBlock>(block: Block): Block => ({ ...block, ...field });
    const pictured = marked({ ...image, source: { ...image.source, ...field } });
    const result = { type: "tool_result", tool_use_id: "t", content: [marked(text), pictured] } as const;
    return [
      { role: "user", content: [marked(text), pictured, marked(document)] },
      { role: "assistant", content: [words, call] },
      { role: "user", content: [marked({ ...result, content: [...result.content] })] },
    ];
  };
  const body = bodyOf({ messages: said(more), cacheBreakpoints: [2] });
  expect(body).toBe(bodyOf({ messages: said({}), cacheBreakpoints: [2] }));
  expect(body).toContain(`${JSON.stringify(words)},${JSON.stringify(call)}`);
});

test("a call's original id is sent to models outside the catalogue, and never to those in it", () => {
  const given = "functions.Read:0";
  const id = sendableCallId(given);
  const messages: ApiMessage[] = [
    user("go"),
    { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
  ];
  const idsOf = (model: string): string[] =>
    bodyOf({ model, messages }).match(/(?<="(?:id|tool_use_id)":")[^"]+/g) ?? [];
  expect(idsOf("kimi-k2")).toEqual([given, given]);
  expect(idsOf("claude-opus-4-8")).toEqual([id, id]);
  expect(idsOf("kimi-k2")).toEqual([given, given]);
  const described = createCatalog({
    models: { "kimi-k2": { contextWindow: 262_144 }, "claude-opus-4-8": { maxImages: 20 } },
  });
  const idsAsDescribed = (model: string): string[] => {
    const body = whole(createSerializer((id) => described.info(id), "5m")(modelRequest({ model, messages })).body());
    return body.match(/(?<="(?:id|tool_use_id)":")[^"]+/g) ?? [];
  };
  expect(idsAsDescribed("kimi-k2")).toEqual([given, given]);
  expect(idsAsDescribed("claude-opus-4-8")).toEqual([id, id]);
});

test("a long call id is shortened for a model in the catalogue, and ids stay distinct", () => {
  const ids = ["a", "b"].map((last) => sendableCallId(`call_1__thought__${"Ci+/".repeat(500)}${last}`));
  const messages: ApiMessage[] = [
    user("go"),
    { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "Read", input: {} })) },
    { role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "x" })) },
  ];
  const [one = "", other = "", ...results] =
    bodyOf({ model: "claude-opus-4-8", messages }).match(/(?<="(?:id|tool_use_id)":")[^"]+/g) ?? [];
  expect(results).toEqual([one, other]);
  expect(one).not.toBe(other);
  for (const id of [one, other]) expect(id).toMatch(/^[\w-]{1,64}$/);
  const own = `call_${"x".repeat(100)}`;
  const call = { type: "tool_use", id: own, name: "Read", input: {} } as const;
  expect(bodyOf({ messages: [user("go"), { role: "assistant", content: [call] }] })).toContain(`"${own}"`);
});

test("a cache lifetime of an hour is stated in the breakpoint", () => {
  const hourly = createSerializer((model) => catalog.info(model), "1h");
  expect(whole(hourly(modelRequest()).body())).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}');
});

test("the measured size is the body's length in bytes", () => {
  const words = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(words, fc.string({ unit: "grapheme" }), fc.subarray([0, 1, 2, 3, 4]), (texts, system, breakpoints) => {
      const serialized = serialize(
        modelRequest({
          messages: texts.map(user),
          system: [{ text: system, cacheBreakpoint: true }],
          cacheBreakpoints: breakpoints,
        }),
      );
      const body = whole(serialized.body());
      expect(serialized.bytes).toBe(Buffer.byteLength(body));
      expect(() => JSON.parse(body) as unknown).not.toThrow();
      expect(() => JSON.parse(whole(serialized.countBody())) as unknown).not.toThrow();
    }),
  );
});

describe("cache breakpoints", () => {
  const marked = (content: ContentBlock[]): number[] => {
    const body = JSON.parse(bodyOf({ messages: [{ role: "user", content }], cacheBreakpoints: [0] })) as {
      messages: [{ content: object[] }];
    };
    return body.messages[0].content.flatMap((block, index) => ("cache_control" in block ? [index] : []));
  };
  const thinking: ContentBlock = { type: "thinking", thinking: "x", signature: "s" };
  const image: ContentBlock = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };

  test.each<[string, ContentBlock[], number[]]>([
    ["the last block", [{ type: "text", text: "a" }, image], [1]],
    [
      "a block before longer ones in other alphabets",
      [
        { type: "text", text: "ä" },
        { ...thinking, thinking: "日本語🧪" },
      ],
      [0],
    ],
    ["not thinking", [{ type: "text", text: "a" }, thinking, { type: "redacted_thinking", data: "d" }], [0]],
    [
      "not empty text",
      [
        { type: "text", text: "a" },
        { type: "text", text: "" },
      ],
      [0],
    ],
    [
      "not an unknown block",
      [
        { type: "text", text: "a" },
        { type: "opaque", wire: { type: "novel" } },
      ],
      [0],
    ],
    ["a server tool's result", [{ type: "opaque", wire: { type: "web_search_tool_result" } }], [0]],
    ["nothing if no block can be marked", [thinking], []],
  ])("are set on %s", (_, content, expected) => {
    expect(marked(content)).toEqual(expected);
  });

  test("are at most four, and the last ones of the system and the messages stay", () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 6 }),
        fc.uniqueArray(fc.nat(9), { maxLength: 8 }),
        (flags, indices) => {
          const breakpoints = indices.sort((a, b) => a - b);
          const system = flags.map((flag, index) => ({
            text: `s${index}`,
            ...(flag ? { cacheBreakpoint: true as const } : {}),
          }));
          const messages = Array.from({ length: 10 }, (__, index) => user(`m${index}`));
          const body = bodyOf({ system, messages, cacheBreakpoints: breakpoints });
          const count = body.split('"cache_control"').length - 1;
          expect(count).toBe(Math.min(4, flags.filter(Boolean).length + breakpoints.length));
          if (breakpoints.length > 0) expect(body).toContain(`"m${breakpoints.at(-1)}"${mark}`);
          if (flags.includes(true)) expect(body).toContain(`"s${flags.lastIndexOf(true)}"${mark}`);
        },
      ),
    );
  });

  test("move from an empty system block to the one before it", () => {
    const body = bodyOf({ system: [{ text: "one" }, { text: "", cacheBreakpoint: true }], cacheBreakpoints: [] });
    expect(body).toContain(`"system":[{"type":"text","text":"one"${mark}}]`);
  });
});

/** A conversation grows by whole messages; the breakpoint moves with its tail. */
test("the next request begins with the bytes of this one as far as the conversation agrees", () => {
  const block = fc.oneof(
    fc.string().map((text): ContentBlock => ({ type: "text", text: `.${text}` })),
    fc.dictionary(fc.string(), fc.jsonValue()).map((input): ContentBlock => ({
      type: "tool_use",
      id: "t",
      name: "n",
      input: input as Record<string, unknown>,
    })),
    fc.string().map((content): ContentBlock => ({ type: "tool_result", tool_use_id: "t", content })),
    fc.string().map((thinking): ContentBlock => ({ type: "thinking", thinking, signature: "s" })),
  );
  const message = fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const),
    content: fc.array(block, { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 6 }),
      fc.array(message, { minLength: 1, maxLength: 3 }),
      fc.nat(64_000),
      (now, added, maxTokens) => {
        const later = [...now, ...added];
        const first = bodyOf({ messages: now, cacheBreakpoints: [now.length - 1] }).replaceAll(mark, "");
        // A lowered or raised output limit must not move a byte of the prefix.
        const second = bodyOf({
          messages: later,
          cacheBreakpoints: [later.length - 1],
          maxTokens: maxTokens + 1,
        }).replaceAll(mark, "");
        const prefix = first.slice(0, first.lastIndexOf('],"max_tokens"'));
        expect(second.startsWith(prefix)).toBe(true);
      },
    ),
  );
});

test("a message is stringified only once", () => {
  let reads = 0;
  const input = { toJSON: () => ({ reads: ++reads }) };
  const counted: ApiMessage = {
    role: "assistant",
    content: [{ type: "tool_use", id: "t", name: "n", input: input as unknown as Record<string, unknown> }],
  };
  for (const cacheBreakpoints of [[0], [], [1]]) {
    const serialized = serialize(modelRequest({ messages: [counted, user("next")], cacheBreakpoints }));
    expect(serialized.bytes).toBe(Buffer.byteLength(whole(serialized.body())));
  }
  expect(reads).toBe(1);
});

test("breakpoints before short or long parts leave the rest of the bytes the same", () => {
  const messages = [user("one"), user("two ".repeat(20_000)), user("three"), user("four ".repeat(4_000)), user("five")];
  const plain = whole(serialize(modelRequest({ messages, cacheBreakpoints: [] })).body());
  for (const cacheBreakpoints of [[0], [0, 2], [2], [2, 4], [0, 2, 4]]) {
    const body = whole(serialize(modelRequest({ messages, cacheBreakpoints })).body());
    const { messages: sent } = JSON.parse(body) as { messages: { content: object[] }[] };
    const marked = sent.flatMap(({ content }, index) => ("cache_control" in (content[0] ?? {}) ? [index] : []));
    expect(marked).toEqual(cacheBreakpoints);
    expect(body.replaceAll(mark, "")).toBe(plain.replaceAll(mark, ""));
  }
});

test("a setting of one request does not leak into the next", () => {
  const thinking: ModelRequest["thinking"] = { type: "auto" };
  const plain = { model: "claude-opus-4-8", thinking };
  const changes: Partial<ModelRequest>[] = [
    { maxTokens: 9000 },
    { thinking: { type: "disabled" } },
    { effort: "low" },
    { speed: "fast" },
    { taskBudget: { total: 50_000 } },
    { taskBudget: { total: 50_000, remaining: 20_000 } },
    { compaction: {} },
    { model: "claude-haiku-4-5" },
  ];
  const remembering = createSerializer((model) => catalog.info(model), "5m");
  const usual = whole(remembering(modelRequest(plain)).body());
  const bodies = changes.map((change) => {
    const body = whole(remembering(modelRequest({ ...plain, ...change })).body());
    expect(body).toBe(bodyOf({ ...plain, ...change, thinking: { ...(change.thinking ?? thinking) } }));
    expect(whole(remembering(modelRequest(plain)).body())).toBe(usual);
    return body;
  });
  expect(new Set([...bodies, usual]).size).toBe(changes.length + 1);
});

test("serializers of equal requests share the head's bytes, which are freed with them", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const beginning = (): Uint8Array | undefined =>
    createSerializer(
      (model) => catalog.info(model),
      "5m",
    )(modelRequest({ system: [{ text: "kept by nobody ".repeat(10_000) }] })).body()[0];
  expect(beginning() === beginning()).toBe(true);
  const left = new WeakRef(beginning() as Uint8Array);
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(left.deref()).toBeUndefined();
});

test("the serializer's memory never changes the bytes of a request", () => {
  const start = user("start");
  const texts = Array.from({ length: 6 }, (_, index) => `message ${index} ${"ö".repeat(index * 700)}`);
  const pool = texts.map(user);
  // The same object, or another of the same content, as the last messages of a conversation are made anew for each request.
  const pick = fc.record({ index: fc.nat(texts.length - 1), again: fc.boolean() });
  const step = fc.record({
    picks: fc.array(pick, { maxLength: 8 }),
    cacheBreakpoints: fc.subarray([0, 1, 2, 5]),
    isSent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const remembering = createSerializer((model) => catalog.info(model), "5m");
      const checks = steps.map(({ picks, cacheBreakpoints, isSent }) => {
        const chosen = picks.map(({ index, again }) =>
          again ? user(texts[index] ?? "") : (pool[index] as ApiMessage),
        );
        const request = modelRequest({ messages: [start, ...chosen], cacheBreakpoints });
        const made = remembering(request);
        const expected = whole(createSerializer((model) => catalog.info(model), "5m")(request).body());
        const sent = isSent ? made.body() : undefined;
        if (sent !== undefined) expect(whole(sent)).toBe(expected);
        return () => expect(whole(sent ?? made.body())).toBe(expected);
      });
      for (const check of checks) check();
    }),
  );
});
