// The adapter against a server that judges every request as the real API would.
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAnthropicModel, createCatalog, type AnthropicModel } from "../../../src/model/index.ts";
import type { ContentBlock } from "../../../src/protocol/message.ts";
import type { ApiMessage, Effort, ModelRequest, ThinkingSetting } from "../../../src/protocol/model.ts";
import {
  createScriptedModel,
  startScriptedServer,
  type FaultKind,
  type Script,
  type ScriptedServer,
} from "../../../src/testing/index.ts";
import { blocksOf, failureOf, hear, modelRequest, user } from "../support/wire.ts";

const apiKey = "sk-ant-test";

async function serving(script: Script): Promise<{ server: ScriptedServer; model: AnthropicModel }> {
  const server = await startScriptedServer(script);
  const model = createAnthropicModel({ baseUrl: server.url, apiKey, version: "1.0.0" });
  onTestFinished(async () => {
    model.dispose();
    await server.close();
  });
  return { server, model };
}

const systemOf = "You are pawl, an agent that reads files. ".repeat(150);
const tools = [
  {
    name: "Read",
    description: "Reads a file.",
    inputSchema: { type: "object" as const, properties: { file_path: { type: "string" } } },
  },
];

/** Goes on until the model asks for no tool, as the loop does. */
async function converse(model: AnthropicModel, change: Partial<ModelRequest> = {}): Promise<ApiMessage[]> {
  let messages: ApiMessage[] = [user("Read them all.")];
  for (;;) {
    const request = modelRequest({
      system: [{ text: systemOf, cacheBreakpoint: true }],
      tools,
      messages,
      cacheBreakpoints: [messages.length - 1],
      ...change,
    });
    const { events, outcome } = await hear(model, request);
    if (!outcome.ok) throw new Error(outcome.failure.message);
    const content = blocksOf(events).map(({ block }) => block);
    const results = content.flatMap((block): ContentBlock[] =>
      block.type === "tool_use" ? [{ type: "tool_result", tool_use_id: block.id, content: "x".repeat(2000) }] : [],
    );
    messages = [...messages, { role: "assistant", content }];
    if (results.length === 0) return messages;
    messages = [...messages, { role: "user", content: results }];
  }
}

describe("a conversation", () => {
  test("of many turns with thinking and parallel calls stays valid and is read from the cache", async () => {
    const turns = 60;
    const { server, model } = await serving({
      steps: [
        ...Array.from({ length: turns }, (_, turn) => ({
          content: [
            { thinking: `step ${turn}` },
            `Reading ${turn} 🧪.`,
            { tool: "Read", input: { file_path: `${turn}.ts` } },
            { tool: "Read", input: { file_path: `${turn}.md` } },
          ],
        })),
        "Done.",
      ],
    });
    expect(await converse(model)).toHaveLength(2 * turns + 2);
    expect(server.violations).toEqual([]);
    server.assertDone();
    expect(server.cacheReadShare).toBeGreaterThan(0.95);
  });

  test("costs the same by the catalogue as by the server's bill", async () => {
    const catalog = createCatalog();
    for (const id of ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-2", "claude-opus-4-5"]) {
      const { server, model } = await serving({
        steps: [{ content: [{ tool: "Read", input: { file_path: "a" } }] }, { content: "Done." }],
      });
      let usd = 0;
      let messages = [user("go")];
      for (let turn = 0; turn < 2; turn++) {
        const { events, outcome } = await hear(
          model,
          modelRequest({
            model: id,
            tools,
            messages,
            system: [{ text: systemOf, cacheBreakpoint: true }],
            cacheBreakpoints: [messages.length - 1],
          }),
        );
        if (!outcome.ok) throw new Error(outcome.failure.message);
        usd += catalog.costOf(id, outcome.usage).usd;
        const content = blocksOf(events).map(({ block }) => block);
        const call = content.find((block) => block.type === "tool_use");
        if (call !== undefined)
          messages = [
            ...messages,
            { role: "assistant", content },
            { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "ok" }] },
          ];
      }
      expect(usd).toBeCloseTo(server.bill.totalUsd, 12);
      expect(usd).toBeGreaterThan(0);
    }
  });

  test("with any model, thinking, effort and limit never gets a 400", async () => {
    const { server, model } = await serving({ fallback: "ok" });
    const catalog = createCatalog();
    const setting = fc.oneof<fc.Arbitrary<ThinkingSetting>[]>(
      fc.constantFrom<ThinkingSetting>({ type: "auto" }, { type: "disabled" }, { type: "adaptive" }),
      fc.integer({ min: 0, max: 200_000 }).map((budgetTokens) => ({ type: "enabled", budgetTokens })),
    );
    const effort = fc.option(fc.constantFrom<Effort>("low", "medium", "high", "xhigh", "max"), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...catalog.ids()),
        setting,
        effort,
        fc.integer({ min: 1, max: 64_000 }),
        fc.nat(60_000),
        fc.constantFrom(undefined, "fast" as const),
        async (id, thinking, level, maxTokens, total, speed) => {
          const request = modelRequest({
            model: id,
            thinking,
            effort: level,
            maxTokens,
            ...(total > 100 ? { taskBudget: { total } } : {}),
            ...(speed === undefined ? {} : { speed }),
          });
          const { outcome } = await hear(model, request);
          expect(outcome.ok ? "" : outcome.failure.message).toBe("");
        },
      ),
      { numRuns: 300 },
    );
    expect(server.violations).toEqual([]);
  });

  test("has its tokens counted by the server", async () => {
    const { model } = await serving({ fallback: "ok" });
    const request = modelRequest({ system: [{ text: systemOf }] });
    const tokens = await model.countTokens?.(request, new AbortController().signal);
    expect(tokens).toBeGreaterThan(1000);
    expect(tokens).toBeLessThan(model.measure(request).bytes);
  });
});

describe("an injected fault", () => {
  test.each<[FaultKind, string, string]>([
    ["overloaded", "overloaded", "retry"],
    ["rate_limit", "rate_limit", "retry"],
    ["spend_limit", "billing_error", "none"],
    ["server_error", "server_error", "retry"],
    ["unavailable", "server_error", "retry"],
    ["gateway_timeout", "server_error", "retry"],
    ["request_timeout", "server_error", "retry"],
    ["conflict", "server_error", "retry"],
    ["unauthenticated", "authentication_failed", "none"],
    ["billing", "billing_error", "none"],
    ["forbidden", "permission_denied", "none"],
    ["not_found", "model_not_found", "fallback"],
    ["too_large", "prompt_too_long", "overflow"],
    ["prompt_too_long", "prompt_too_long", "overflow"],
    ["bad_request", "invalid_request", "none"],
    ["reset", "connection", "retry"],
    ["truncate", "truncated_stream", "retry"],
    ["error_event", "overloaded", "retry"],
  ])("%s is a failure of kind %s", async (fault, kind, recovery) => {
    const { model } = await serving({ steps: [{ content: "some words to be broken off", fault }] });
    expect(failureOf((await hear(model)).outcome)).toMatchObject({ kind, recovery });
  });

  test.each<FaultKind>(["garbage", "split_utf8", "empty", "pause_turn"])("%s leads to no failure", async (fault) => {
    const { model } = await serving({ steps: [{ content: "naïve 🧪 words", fault }] });
    const { events, outcome } = await hear(model);
    expect(outcome.ok).toBe(true);
    if (fault !== "empty") expect(blocksOf(events)[0]?.block).toEqual({ type: "text", text: "naïve 🧪 words" });
  });

  test("that cuts or breaks a call's JSON never yields a call to run", async () => {
    const content = [{ tool: "Read", input: { file_path: "a" } }];
    const { model } = await serving({
      steps: [
        { content, fault: "max_tokens_in_tool" },
        { content, fault: "invalid_tool_json" },
      ],
    });
    const cut = await hear(model, modelRequest({ tools }));
    expect(blocksOf(cut.events)).toEqual([]);
    expect(cut.outcome).toMatchObject({ ok: true, partialToolUse: true });
    const invalid = await hear(model, modelRequest({ tools }));
    expect(blocksOf(invalid.events)[0]).toMatchObject({
      invalidInput: expect.any(String) as unknown,
      block: { input: {} },
    });
  });

  test("is the same without a socket, in one process", async () => {
    const scripted = createScriptedModel({
      steps: [{ content: "abc", fault: "reset" }, { content: "abc", fault: "stall" }, "whole"],
    });
    const model = createAnthropicModel({ transport: (request) => scripted.handle(request), apiKey, version: "1.0.0" });
    expect(failureOf((await hear(model)).outcome)).toMatchObject({ kind: "connection", recovery: "retry" });
    const controller = new AbortController();
    const stalled = await hear(model, modelRequest(), controller.signal, (event) => {
      if (event.type === "raw" && event.event.type === "content_block_delta")
        queueMicrotask(() => controller.abort("user"));
    });
    expect(failureOf(stalled.outcome).kind).toBe("aborted");
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(scripted.requests.map(({ outcome }) => outcome)).toEqual(["cut", "cut", "complete"]);
  });
});
