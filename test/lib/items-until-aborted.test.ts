// Items of a host's source, until a signal aborts.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { itemsUntilAborted } from "../../src/lib/items-until-aborted.ts";

test("does not hold on to items that were passed on, however long the source stays open", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const handedOn: WeakRef<object>[] = [];
  async function* source(): AsyncGenerator<object> {
    for (let at = 0; at < 20; at++) {
      const item = { bytes: new Uint8Array(1_000) };
      handedOn.push(new WeakRef(item));
      yield item;
    }
    await new Promise<never>(() => {});
  }
  const controller = new AbortController();
  const items = itemsUntilAborted(source(), [controller.signal]);
  for (let at = 0; at < 20; at++) await items.next();
  const last = items.next();
  // What a turn of the event loop holds is let go of with the next one.
  await new Promise<void>((resolve) => setImmediate(resolve));
  collect();
  expect(handedOn.filter((item) => item.deref() !== undefined).length).toBeLessThan(3);
  controller.abort();
  expect((await last).done).toBe(true);
});

test("ends and leaves no listener behind if the next item throws at once", async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const counted = new Proxy(signal, {
    get: (target, name) => {
      if (name === "addEventListener") return () => void (listeners += 1);
      if (name === "removeEventListener") return () => void (listeners -= 1);
      return Reflect.get(target, name, target) as unknown;
    },
  });
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        throw new Error("no more");
      },
    }),
  };
  await expect(itemsUntilAborted(source, [counted]).next()).rejects.toThrow("no more");
  expect(listeners).toBe(0);
});
