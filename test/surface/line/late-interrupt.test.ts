// Ctrl+C that was meant for an answer, and came when that had just ended.
import { expect, test } from "vitest";
import { success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { echo, start } from "./talk.ts";

const told = "(nothing is running any more; Ctrl+C again exits)";

test("Ctrl+C just after the end of an answer does not exit", async () => {
  const { press, text, engine, done } = start(echo);
  await press("one\r");
  await press("\x03");
  expect(text()).toMatch(/\(1 turn.*\)\n\n> \(nothing is running any more; Ctrl\+C again exits\)\n> $/u);
  await press("two\r");
  expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  await press("\x03");
  await press("\x03");
  expect(await done).toBe(0);
  expect(text().split(told)).toHaveLength(3);
});

test("Ctrl+C exits a second after an answer, or after an interrupt that was confirmed", async () => {
  const calm = start(echo);
  await calm.press("one\r");
  await calm.pause(1_000);
  await calm.press("\x03");
  expect(await calm.done).toBe(0);
  let proceed = (): void => undefined;
  const hasty = start(async function* () {
    await new Promise<void>((resolve) => (proceed = resolve));
    yield success("x");
  });
  await hasty.press("one\r");
  await hasty.press("\x03");
  proceed();
  await settled(8);
  await hasty.press("\x03");
  expect(await hasty.done).toBe(0);
  for (const { text } of [calm, hasty]) expect(text()).not.toContain(told);
});
