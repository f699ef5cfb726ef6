// What a client is shown of what the loop does, in the wire's own words.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { QueryEvent } from "../../src/protocol/event.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { noUsage } from "../../src/protocol/usage.ts";
import { TurnLog } from "../../src/session/events/turn-log.ts";
import type { Script } from "../../src/testing/index.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function shown(script: Script, options: EngineOptions = {}): Promise<SDKMessage[]> {
  const { engine, model } = await openSession(script, { clock: impatientClock, ...options });
  const { messages } = await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  for (const message of messages)
    expect(message).toMatchObject({ session_id: engine.getSessionId(), uuid: expect.any(String) });
  const ids = messages.map(({ uuid }) => uuid);
  expect(new Set(ids).size).toBe(ids.length);
  return messages;
}

function systems(messages: readonly SDKMessage[], subtype: string): SDKMessage[] {
  return messages.filter((message) => message.type === "system" && message.subtype === subtype);
}

describe("a client receives", () => {
  test("one message for each finished block, sharing the response's id, then its results", async () => {
    const messages = await shown({
      steps: [{ content: ["One.", "Two.", { tool: "Glob", input: { pattern: "*" } }] }, "Done."],
    });
    const blocks = messages.filter((message) => message.type === "assistant");
    expect(blocks.map(({ message }) => message.content[0]!.type)).toEqual(["text", "text", "tool_use", "text"]);
    expect(new Set(blocks.slice(0, 3).map(({ message }) => message.id)).size).toBe(1);
    expect(blocks[3]!.message.id).not.toBe(blocks[0]!.message.id);
    expect(blocks[0]).toMatchObject({ parent_tool_use_id: null, request_id: expect.stringMatching(/^req_/) });
    const result = messages.find((message) => message.type === "user");
    expect(result).toMatchObject({
      message: { role: "user", content: [{ type: "tool_result" }] },
      tool_use_result: {},
    });
    expect(systems(messages, "transition")).toMatchObject([{ transition: { reason: "next_turn" }, turn_count: 2 }]);
    expect(systems(messages, "status")).toHaveLength(2);
  });

  test("each retry, with its cause and its delay", async () => {
    const messages = await shown({
      steps: [{ fault: "overloaded" }, { fault: { kind: "rate_limit", retryAfter: 1 } }, "Done."],
    });
    expect(systems(messages, "api_retry")).toMatchObject([
      { attempt: 1, max_retries: 10, error_status: 529, error: "overloaded", retry_delay_ms: expect.any(Number) },
      { attempt: 2, error_status: 429, error: "rate_limit", request_id: expect.stringMatching(/^req_/) },
    ]);
    expect(messages.some((message) => message.type === "assistant" && message.error !== undefined)).toBe(false);
  });

  test("the retraction of a response that broke off", async () => {
    const messages = await shown({
      steps: [{ content: ["Begun.", "Broken."], fault: { kind: "reset", at: "mid_last_block" } }, "Done."],
    });
    const begun = messages.find((message) => message.type === "assistant");
    expect(systems(messages, "tombstone")).toMatchObject([{ retracted_message_uuids: [begun!.uuid], reason: "retry" }]);
    expect(messages.at(-1)).toMatchObject({ result: "Done." });
  });

  test("a notice that another model continues", async () => {
    const busy = { fault: "overloaded" as const };
    const messages = await shown({ steps: [busy, busy, busy, "Done."] }, { fallbackModel: "claude-haiku-5-5" });
    expect(systems(messages, "informational")).toMatchObject([{ tag: "model_fallback", level: "warning" }]);
  });

  test("a notice that the turn limit ended the turn", async () => {
    const messages = await shown(
      { fallback: { content: [{ tool: "Glob", input: { pattern: "*" } }] } },
      { maxTurns: 1 },
    );
    expect(systems(messages, "informational")).toMatchObject([
      { tag: "max_turns_reached", content: "Reached maximum number of turns (1)" },
    ]);
  });

  test("a notice of what is being waited for, once it takes long", async () => {
    const release = Promise.withResolvers<undefined>();
    const { engine } = await openSession(
      { steps: ["Done."] },
      { hooks: { UserPromptSubmit: [{ callback: () => release.promise }] } },
    );
    const { messages, result } = await turn(engine, "Go.", {
      onMessage(message) {
        if (message.type === "system" && message.subtype === "informational") release.resolve(undefined);
      },
    });
    expect(systems(messages, "informational")).toMatchObject([
      { tag: "waiting:t0.UserPromptSubmit", content: expect.stringContaining("UserPromptSubmit") },
    ]);
    expect(result.subtype).toBe("success");
  });

  test("a command's output while it runs", async () => {
    const ground = layGround();
    const command = "echo early; until [ -e go ]; do sleep 0.01; done; echo late";
    const model = scripted({ steps: [{ content: [{ tool: "Bash", input: { command } }] }, "Done."] });
    const engine = await openOn(ground, model, { allowedTools: ["Bash"] });
    const { messages } = await turn(engine, "Go.", {
      onMessage: (message) => message.type === "tool_progress" && ground.file("go", ""),
    });
    const progress = messages.filter((message) => message.type === "tool_progress");
    expect(progress.map(({ text }) => text ?? "").join("")).toContain("early");
    expect(progress[0]).toMatchObject({ tool_name: "Bash", elapsed_time_seconds: expect.any(Number) });
  });
});

describe("a turn's totals", () => {
  const own = { uuid: "u", timestamp: "2026-01-01T00:00:00.000Z" };
  let clock = 0;
  const log = (): TurnLog => new TurnLog({ elapsed: () => clock });
  const said = (messageId: string, text: string, uuid = `${messageId}-${text}`): QueryEvent => ({
    type: "assistant",
    ...own,
    uuid,
    messageId,
    model: "m",
    content: [{ type: "text", text }],
  });
  const end = (stopReason: string | null): QueryEvent => ({
    type: "response_end",
    ...own,
    messageId: "m",
    model: "m",
    stopReason,
    usage: { ...noUsage, outputTokens: 2 },
    costUsd: 0,
  });
  const on = (reason: "next_turn" | "stop_hook_blocking"): QueryEvent => ({
    type: "transition",
    ...own,
    transition: { reason },
    turnCount: 2,
  });
  const cut: QueryEvent = {
    type: "transition",
    ...own,
    transition: { reason: "max_output_tokens_recovery", attempt: 1 },
    turnCount: 1,
  };

  test("have the last response's text, with the earlier pieces if it was cut", () => {
    const turns = log();
    for (const event of [said("a", "First."), on("next_turn"), said("b", "One "), said("b", "two "), cut])
      turns.observe(event);
    turns.observe(said("c", "three"));
    expect(turns.text).toBe("One two three");
    turns.observe({ type: "tombstone", ...own, targets: ["c-three"], reason: "retry" });
    expect(turns.text).toBe("One two ");
    turns.observe(said("d", "3 "));
    turns.observe(cut);
    turns.observe(said("e", "and 4"));
    expect(turns.text).toBe("One two 3 and 4");
    turns.observe(on("stop_hook_blocking"));
    expect(turns.text).toBe("One two 3 and 4");
    turns.observe(said("f", "New."));
    expect(turns.text).toBe("New.");
  });

  test("have the time of model requests only, without the tools between them", () => {
    clock = 0;
    const turns = log();
    const at = (ms: number, event: QueryEvent): void => {
      clock = ms;
      turns.observe(event);
    };
    const ask: QueryEvent = { type: "stream_request_start", turnCount: 1, model: "m" };
    at(10, ask);
    at(110, end("tool_use"));
    at(5_000, ask);
    at(5_050, end("pause_turn"));
    at(5_150, end("end_turn"));
    expect(turns.durationApiMs).toBe(250);
    expect(turns.usage.outputTokens).toBe(6);
    expect(turns.stopReason).toBe("end_turn");
  });
});
