// Why a request missed the prompt cache: for the debug file, and for collectors.
import { afterEach, describe, expect, test } from "vitest";
import { noUsage } from "../../src/protocol/usage.ts";
import type { ModelEvent, ModelOutcome, ModelPort, ModelRequest } from "../../src/protocol/model.ts";
import { watchCache, type CacheMiss } from "../../src/model/cache-watch.ts";
import { closeCollectors, startCollector } from "../telemetry/collector.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(closeCollectors);

const tool = (name: string, description = "x") => ({ name, description, inputSchema: { type: "object" as const } });
const said = (role: "user" | "assistant", text: string) => ({ role, content: [{ type: "text" as const, text }] });
const base: ModelRequest = {
  model: "claude-sonnet-5-5",
  system: [{ text: "Be brief." }],
  tools: [tool("Bash"), tool("Read")],
  messages: [said("user", "Hello.")],
  cacheBreakpoints: [0],
  maxTokens: 1_000,
  thinking: { type: "auto" },
  querySource: "main",
  sessionId: "s",
  key: "t1.model",
};

interface Asked {
  change?: Partial<ModelRequest>;
  afterMs?: number;
  read?: number;
  fails?: true;
}

/** A first request that leaves 5,000 tokens, and those that follow. */
async function missesOf(...asked: Asked[]): Promise<CacheMiss[]> {
  const misses: CacheMiss[] = [];
  let [now, at] = [0, -1];
  const all: Asked[] = [{}, ...asked];
  const model = {
    async *stream(): AsyncGenerator<ModelEvent, ModelOutcome> {
      const { read = 0, fails } = all[++at] as Asked;
      yield { type: "start", messageId: `m${at}`, usage: noUsage };
      if (fails) return { ok: false, failure: { kind: "overloaded", recovery: "retry", message: "Busy." } } as never;
      const usage = { ...noUsage, cacheReadInputTokens: read, cacheCreationInputTokens: 5_000 };
      return { ok: true, stopReason: "end_turn", usage };
    },
    measure: () => ({ bytes: 1 }),
    info: () => ({}) as never,
  } satisfies ModelPort;
  const options = {
    clock: { elapsed: () => now },
    ttl: "5m" as const,
    reportMiss: (miss: CacheMiss) => misses.push(miss),
  };
  const watched = watchCache(model, options);
  for (const { change, afterMs = 1_000 } of all) {
    now += afterMs;
    for await (const _ of watched.stream({ ...structuredClone(base), ...change }, new AbortController().signal));
  }
  return misses;
}

const grown = { messages: [...base.messages, said("assistant", "Hi."), said("user", "Go.")] };

describe("a cache miss", () => {
  test.each<[reason: string, detail: string, asked: Asked]>([
    ["model_changed", "claude-sonnet-5-5, now claude-opus-5-5", { change: { model: "claude-opus-5-5" } }],
    ["tools_changed", "-Read +Grep", { change: { tools: [tool("Bash"), tool("Grep")] } }],
    ["tools_changed", "~Read", { change: { tools: [tool("Bash"), tool("Read", "y")] } }],
    ["tools_changed", "their order", { change: { tools: [tool("Read"), tool("Bash")] } }],
    ["system_changed", "the system prompt", { change: { system: [{ text: "Be long." }], ...grown } }],
    ["parameters_changed", "effort", { change: { effort: "low" } }],
    [
      "messages_changed",
      "message 1 of the 1 that were sent before",
      { change: { messages: [said("user", "Other.")] } },
    ],
    ["expired", "the last request was 300 s before, entries are kept for 5m", { change: grown, afterMs: 300_000 }],
    ["unknown", "the last request was 1 s before, entries are kept for 5m", { change: grown }],
  ])("is explained by the reason and the detail %s: %s", async (reason, detail, asked) => {
    expect(await missesOf(asked)).toMatchObject([{ reason, detail, expected: 5_000, read: 0 }]);
  });

  test("is not reported if the prompt only grew, or for a few tokens", async () => {
    const longer = {
      messages: [{ role: "user" as const, content: [...base.messages[0]!.content, said("user", "x").content[0]!] }],
    };
    expect(await missesOf({ change: grown, read: 5_000 }, { change: longer, read: 9_500 })).toEqual([]);
  });

  test("is not reported after a failed request", async () => {
    expect(await missesOf({ fails: true, change: { model: "other" } }, { change: grown, read: 5_000 })).toEqual([]);
  });
});

test("is written to the debug file and to a collector, and only if there was one", async () => {
  const collector = await startCollector();
  const lines: string[] = [];
  const env = { ...collector.env };
  const options = { env, debug: (line: string) => void lines.push(line), model: "claude-sonnet-5-5" };
  const engine = await openOn(layGround(), scripted({ fallback: "Done." }), options);
  await turn(engine, "x ".repeat(8_000));
  await turn(engine, "And?");
  expect(lines.filter((line) => line.includes("cache missed"))).toEqual([]);
  engine.setModel("claude-opus-5-5");
  await turn(engine, "And now?");
  await engine.dispose();
  const [line, ...more] = lines.filter((text) => text.includes("cache missed"));
  expect(more).toEqual([]);
  expect(line).toMatch(/prompt cache missed, 0 of \d+ tokens were found: model_changed \(claude-sonnet-5-5, now/u);
  const [event, ...others] = collector.events("cache_miss");
  expect(others).toEqual([]);
  expect(event?.attributes).toMatchObject({ reason: "model_changed", model: "claude-opus-5-5", query_source: "main" });
  expect(Number(event?.attributes["missed_tokens"])).toBeGreaterThan(1_000);
});
