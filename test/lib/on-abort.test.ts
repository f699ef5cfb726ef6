import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "../../src/lib/on-abort.ts";

test("onAbort reacts once if it begins to listen during the abort, before other listeners were called", () => {
  const { signal, abort } = abortable();
  let reactions = 0;
  signal.addEventListener("abort", () => void onAbort(signal, () => (reactions += 1)));
  signal.addEventListener("abort", () => undefined);
  abort();
  expect(reactions).toBe(1);
});

test("onAbort leaves no listener at a signal that is already aborted", () => {
  const { signal, abort } = abortable();
  abort();
  let reactions = 0;
  onAbort(signal, () => (reactions += 1));
  expect([reactions, getEventListeners(signal, "abort").length]).toEqual([1, 0]);
});

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
