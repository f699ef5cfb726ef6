// A conversation whose person is not there.
import { expect, test } from "vitest";
import type { Message } from "../../../src/protocol/message.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import { settled } from "../support/sink.ts";
import { echo, start } from "./talk.ts";

const background = (env: Record<string, string>): Engine["background"] => ({
  env,
  settle: () => Promise.resolve(),
  dropSuggestion: () => undefined,
});

test("an idle conversation exits by itself, but only after its first turn", async () => {
  const { type, engine, done } = start(echo, {
    overrides: { background: background({ CLAUDE_CODE_EXIT_AFTER_STOP_DELAY: "1" }) },
  });
  await settled(6);
  expect(engine.prompts).toHaveLength(0);
  await type("hello\r");
  expect(await done).toBe(0);
  expect(engine.prompts).toMatchObject([{ prompt: "hello" }]);
});

test("a conversation does not exit by itself while somebody types", async () => {
  const { type, engine, done } = start(echo, {
    overrides: { background: background({ CLAUDE_CODE_EXIT_AFTER_STOP_DELAY: "5000" }) },
  });
  await type("hello\r");
  for (const piece of ["and", " then", " this", " one", " more", " thing"]) await type(piece);
  await type("\r");
  await type("\x04");
  expect(await done).toBe(0);
  expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { prompt: "and then this one more thing" }]);
});

test("hooks are notified once after a minute without input, unless something was typed", async () => {
  let told = 0;
  const waitsForUser = (): void => void (told += 1);
  const { type, pause, done } = start(echo, {
    overrides: { background: { ...background({}), notifyIdle: waitsForUser } },
  });
  await pause(120_000);
  expect(told).toBe(0);
  await type("hello\r");
  await pause(58_000);
  expect(told).toBe(0);
  await pause(120_000);
  expect(told).toBe(1);
  await type("again\r");
  await type("hm");
  await pause(120_000);
  expect(told).toBe(1);
  await type("\x15\x04");
  expect(await done).toBe(0);
});

test("an interrupted turn is continued at the start of a resumed conversation", async () => {
  const cutOff = {
    type: "user",
    uuid: "u",
    timestamp: "2026-01-01T00:00:00Z",
    content: [{ type: "text", text: "go" }],
  };
  const { type, engine, done } = start(echo, {
    overrides: {
      background: background({ CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1" }),
      getMessages: () => [{ ...cutOff, origin: "human" } as unknown as Message],
    },
  });
  await settled(6);
  expect(engine.prompts).toMatchObject([{ prompt: "Continue from where you left off.", isMeta: true }]);
  await type("\x04");
  expect(await done).toBe(0);
});
