import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { notifyIfSlow } from "../../src/lib/notify-if-slow.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("tells once that work takes longer than two seconds, while it continues", async () => {
  const tell = vi.fn();
  const { promise, resolve } = Promise.withResolvers<string>();
  const told = notifyIfSlow(promise, tell);
  await vi.advanceTimersByTimeAsync(1_900);
  expect(tell).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tell).toHaveBeenCalledTimes(1);
  resolve("done");
  expect(await told).toBe("done");
});

test("tells nothing about work that ends before that, however it ends", async () => {
  const tell = vi.fn();
  expect(await notifyIfSlow(Promise.resolve("done"), tell)).toBe("done");
  await expect(notifyIfSlow(Promise.reject(new Error("no")), tell)).rejects.toThrow("no");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tell).not.toHaveBeenCalled();
});
