// What people see of the model's words, where hooks have a say in it: the words themselves stay what they are.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, SDKMessage } from "../../src/index.ts";
import type { HookInput } from "../../src/protocol/hook.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import type { Script } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, linesOf, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

type Shape = Pick<HookInput, "index" | "final" | "delta">;
const glob = { tool: "Glob", input: { pattern: "*" } };
const shout = (text: string): object => ({ hookSpecificOutput: { displayContent: text.toUpperCase() } });

/** Asks `answer` for each piece; gives back what was asked. */
function watching(answer: (delta: string) => unknown) {
  const asked: HookInput[] = [];
  const callback = async (input: HookInput): Promise<Record<string, unknown>> => {
    asked.push(input);
    return (await answer(input.delta ?? "")) as Record<string, unknown>;
  };
  const pieces = (): Shape[] => asked.map(({ index, final, delta }) => ({ index, final, delta }));
  return { asked, pieces, hooks: { MessageDisplay: [{ callback }] } };
}

async function run(script: Script, options: EngineOptions) {
  const model = scripted(script);
  const engine = await openOn(layGround(), model, options);
  return { model, engine, ...(await turn(engine, "Go.")) };
}

const said = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === "assistant" ? [message] : []));

const streamed = (messages: readonly SDKMessage[]): string =>
  messages
    .flatMap((message) => (message.type === "stream_event" ? [message.event["delta"] as { text?: string }] : []))
    .map((delta) => delta?.text ?? "")
    .join("");

describe("a whole message", () => {
  test("is shown as the hook says, and stays unchanged for the model, the transcript and the result", async () => {
    const { asked, pieces, hooks } = watching(shout);
    const script = { steps: [{ content: [{ text: "first\nwords" }, glob] }], fallback: "Done." };
    const { messages, result, engine, model } = await run(script, { hooks });
    expect(pieces()).toEqual([
      { index: 0, final: true, delta: "first\nwords" },
      { index: 0, final: true, delta: "Done." },
    ]);
    const [first] = said(messages);
    expect(first).toMatchObject({ display_content: "FIRST\nWORDS", message: { content: [{ text: "first\nwords" }] } });
    expect(asked[0]?.message_id).toBe(first?.uuid);
    expect(new Set(asked.map(({ turn_id: id }) => id)).size).toBe(1);
    expect(said(messages).find(({ message }) => message.content[0]?.type === "tool_use")).not.toHaveProperty(
      "display_content",
    );
    expect(result).toMatchObject({ result: "Done.", display_content: "DONE." });
    expect(JSON.stringify(linesOf(engine))).not.toContain("FIRST");
    expect(JSON.stringify(calls(model).at(-1)?.body)).toContain("first\\nwords");
    expect(JSON.stringify(calls(model).at(-1)?.body)).not.toContain("FIRST");
  });

  test("can be shown as empty, cannot be blocked, and is shown unchanged if the hook says nothing", async () => {
    const nothing = await run(
      { steps: [], fallback: "Done." },
      { hooks: watching(() => ({ hookSpecificOutput: { displayContent: "" } })).hooks },
    );
    expect(nothing.result).toMatchObject({ result: "Done.", display_content: "" });
    const stop = { continue: false, decision: "block", reason: "no", systemMessage: "no" };
    const { messages, result } = await run({ steps: [], fallback: "Done." }, { hooks: watching(() => stop).hooks });
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "completed", result: "Done." });
    expect(result).not.toHaveProperty("display_content");
    expect(messages.filter(({ type }) => type === "system")).not.toContainEqual(
      expect.objectContaining({ content: expect.stringContaining("no") as string }),
    );
  });

  test("is passed to the hook once when it streams to a program, and the stream stays the model's", async () => {
    const { pieces, hooks } = watching(shout);
    const { messages } = await run({ steps: [], fallback: "one\ntwo\n" }, { hooks, includePartialMessages: true });
    expect(pieces()).toHaveLength(1);
    expect(streamed(messages)).toBe("one\ntwo\n");
  });

  test("is shown unchanged, with one warning, when a command hook fails or is too late", async () => {
    const command = { type: "command", command: "exit 9" };
    const settings = JSON.stringify({ hooks: { MessageDisplay: [{ hooks: [command] }] } });
    const script = { steps: [{ content: [{ text: "first" }, glob] }], fallback: "Done." };
    const { messages, result } = await run(script, { settings });
    expect(result).toMatchObject({ result: "Done." });
    const told = messages.filter((message) => message.type === "system" && "tag" in message && message.tag === "hook");
    expect(told).toMatchObject([{ level: "warning", content: expect.stringContaining("exit 9") as string }]);
    let now = 0;
    const clock = { ...systemClock, elapsed: () => (now += 2_000) };
    const { pieces, hooks } = watching(() => Promise.reject(new Error("late")));
    const slow = await run(script, { hooks, clock });
    expect(pieces()).toHaveLength(1);
    expect(JSON.stringify(slow.messages)).toContain("not asked again in this turn");
    expect(slow.result).toMatchObject({ subtype: "success", result: "Done." });
  });
});

describe("a message that streams to a person", () => {
  const pause = { includePartialMessages: true, displayByLines: true };

  test("is shown line by line as the hook says, and adds up to the whole message", async () => {
    const { pieces, hooks } = watching(shout);
    let now = 0;
    const clock = { ...systemClock, elapsed: () => (now += 1_000) };
    const script = { steps: [], fallback: "one\ntwo\nthree" };
    const { messages, result } = await run(script, { hooks, clock, ...pause });
    expect(
      pieces()
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("one\ntwo\nthree");
    expect(pieces().map(({ index }) => index)).toEqual(pieces().map((_, index) => index));
    expect(pieces().map(({ final }) => final)).toEqual(pieces().map((_, index, all) => index === all.length - 1));
    for (const { delta, final } of pieces()) expect(final === true || delta?.endsWith("\n")).toBe(true);
    expect(pieces().length).toBeGreaterThan(1);
    expect(streamed(messages)).toBe("ONE\nTWO\nTHREE");
    expect(said(messages)).toMatchObject([{ display_content: "ONE\nTWO\nTHREE" }]);
    expect(result).toMatchObject({ result: "one\ntwo\nthree", display_content: "ONE\nTWO\nTHREE" });
  });

  test("is not passed to the hook for each of many lines", async () => {
    const { pieces, hooks } = watching(() => undefined);
    const text = "line\n".repeat(200);
    const { messages } = await run({ steps: [], fallback: text }, { hooks, ...pause });
    expect(pieces().length).toBeLessThan(50);
    expect(streamed(messages)).toBe(text);
    expect(said(messages)[0]).not.toHaveProperty("display_content");
  });
});
