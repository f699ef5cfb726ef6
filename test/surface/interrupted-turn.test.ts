// What a session does by itself when nobody is there: it continues a turn that was cut off, and ends when it is done.
import { describe, expect, test } from "vitest";
import type { Message } from "../../src/protocol/message.ts";
import { IdleExit } from "../../src/surface/idle-exit.ts";
import { LateAgents } from "../../src/session/query/late-agents.ts";
import { interruptedTurnPrompt } from "../../src/surface/interrupted-turn.ts";

const at = Date.parse("2026-01-01T12:00:00.000Z");
const common = { uuid: "u", parentUuid: null, timestamp: "2026-01-01T12:00:00.000Z", sessionId: "s" };
const user = (more: object): Message => ({ ...common, type: "user", content: [], ...more }) as unknown as Message;
const assistant = (...types: string[]): Message =>
  ({ ...common, type: "assistant", content: types.map((type) => ({ type })) }) as unknown as Message;
const note = { ...common, type: "attachment", attachment: { kind: "reminder" } } as unknown as Message;
const result = user({ content: [{ type: "tool_result" }] });

function promptOf(messages: Message[], env: Record<string, string> = {}, now = at, wasCutOff?: boolean) {
  const own = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1", ...env };
  const background = { env: own, settle: () => Promise.resolve(), dropSuggestion: () => undefined, wasCutOff };
  return interruptedTurnPrompt({ background, getMessages: () => messages }, () => now)?.content;
}

const go = "Continue from where you left off.";
const name = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS";

describe("the prompt of an interrupted turn", () => {
  test.each<[string, Message[], string | undefined]>([
    ["is absent in an empty conversation", [], undefined],
    ["exists after an unanswered prompt", [user({ origin: "human" })], go],
    ["exists after an unanswered tool result", [user({ origin: "human" }), assistant("tool_use"), result, note], go],
    ["exists after a tool call without a result", [user({ origin: "human" }), assistant("text", "tool_use")], go],
    ["is absent after an answer", [user({ origin: "human" }), assistant("text")], undefined],
    [
      "is absent if the user stopped the turn",
      [user({ origin: "human" }), user({ origin: "interruption" })],
      undefined,
    ],
    ["is absent after a command", [user({ origin: "command" })], undefined],
    ["is absent if a call was deferred", [user({ content: [{ type: "tool_result" }], deferred: true })], undefined],
  ])("%s", (_, messages, prompt) => {
    expect(promptOf(messages)).toBe(prompt);
    expect(promptOf(messages, { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "0" })).toBeUndefined();
  });

  test.each<[string, Message[], boolean, string | undefined]>([
    ["in the middle of an answer", [user({ origin: "human" }), assistant("thinking")], true, go],
    ["terminated by a signal", [user({ origin: "human" }), user({ origin: "interruption" })], true, go],
    [
      "not cut off because the turn ended by itself",
      [user({ origin: "human" }), assistant("tool_use"), result],
      false,
      undefined,
    ],
    ["before anything was said", [], true, undefined],
  ])("decides by the flag for a process that was cut off: %s", (_, messages, wasCutOff, prompt) => {
    expect(promptOf(messages, {}, at, wasCutOff)).toBe(prompt);
  });

  test("uses the prompt that the environment sets", () => {
    expect(promptOf([result], { CLAUDE_CODE_RESUME_PROMPT: "Weiter." })).toBe("Weiter.");
    expect(promptOf([result], { CLAUDE_CODE_RESUME_PROMPT: " " })).toBe(go);
  });

  test.each<[string, number, string | undefined]>([
    ["", 1e12, go],
    ["0", 1e12, go],
    ["60000", 60_000, go],
    ["60000", 60_001, undefined],
    ["-1", 3_600_000, go],
    ["-1", 3_600_001, undefined],
    ["soon", 3_600_001, undefined],
  ])("respects a maximum age of %j for a turn that ended %d ms ago", (bound, later, prompt) => {
    expect(promptOf([result], { [name]: bound }, at + later)).toBe(prompt);
  });
});

describe("IdleExit", () => {
  function exit(delay?: string) {
    const timers: { ms: number; fire: () => void; isOff: boolean }[] = [];
    let left = 0;
    const own = new IdleExit(
      () => (left += 1),
      (ms, fire) => {
        const timer = { ms, fire, isOff: false };
        timers.push(timer);
        return () => void (timer.isOff = true);
      },
    );
    const env = delay === undefined ? {} : { CLAUDE_CODE_EXIT_AFTER_STOP_DELAY: delay };
    const background = { env, settle: () => Promise.resolve(), dropSuggestion: () => undefined };
    return { own, timers, left: () => left, engine: { background } };
  }

  test("exits after the delay that follows a turn, unless something happens meanwhile", () => {
    const { own, timers, left, engine } = exit("5000");
    own.onIdle(engine);
    expect(timers).toHaveLength(0);
    own.onTurnStart();
    own.onIdle(engine);
    expect(timers).toMatchObject([{ ms: 5000, isOff: false }]);
    own.onBusy();
    expect(timers).toMatchObject([{ isOff: true }]);
    own.onIdle(engine);
    timers.at(-1)?.fire();
    expect(left()).toBe(1);
  });

  test.each([undefined, "", "soon", "-1"])("never exits with a delay of %j", (delay) => {
    const { own, timers, engine } = exit(delay);
    own.onTurnStart();
    own.onIdle(engine);
    expect(timers).toHaveLength(0);
  });
});

describe("LateAgents", () => {
  test.each<[string | undefined, number | undefined]>([
    [undefined, 600_000],
    ["", 600_000],
    ["soon", 600_000],
    ["-1", 600_000],
    ["1.5", 600_000],
    ["5000", 5000],
    ["0", undefined],
  ])("waits for background agents as long as %j says: %j ms", async (text, ms) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const waits: number[] = [];
    const env = { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: text };
    const background = { env, settle: () => Promise.resolve(), dropSuggestion: () => undefined };
    const engine = { openAgents: 1, whenAgentsEnd: () => ended, background };
    const agents = new LateAgents((limit, late) => {
      waits.push(limit);
      late();
      return () => undefined;
    });
    const news = agents.waitForNews(engine);
    end();
    expect(await news).toBe(ms === undefined);
    expect(waits).toEqual(ms === undefined ? [] : [ms]);
  });
});
