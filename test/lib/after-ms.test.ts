import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { afterMs } from "../../src/lib/after-ms.ts";
import { holdUp } from "../support/hold-up.ts";

/** Both ends of a connection on this machine. */
async function pair(): Promise<{ near: Socket; far: Socket; close: () => void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [[near]] = (await Promise.all([once(server, "connection"), once(far, "connect")])) as [[Socket], unknown];
  const close = (): void => {
    near.destroy();
    far.destroy();
    server.close();
  };
  return { near, far, close };
}

test("handles data that arrived while the process was blocked before a timer that expired meanwhile", async () => {
  const { near, far, close } = await pair();
  const order: string[] = [];
  far.on("data", () => order.push("data"));
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      afterMs(1, () => {
        order.push("over");
        resolve();
      });
      near.write("x");
      holdUp(20);
    });
  });
  close();
  expect(order).toEqual(["data", "over"]);
});

test("can still be cancelled by data that arrived while the process was blocked, although the time is up", async () => {
  const { near, far, close } = await pair();
  const order: string[] = [];
  const cancel = afterMs(1, () => order.push("over"));
  far.on("data", () => {
    order.push("data");
    cancel();
  });
  near.write("x");
  holdUp(20);
  await once(far, "data");
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  close();
  expect(order).toEqual(["data"]);
});

test("waits for what takes several events, one after the other, if the process was held up until long after the time", async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    const cancel = afterMs(100, () => {
      order.push("over");
      resolve();
    });
    const handle = (eventsLeft: number): void => {
      if (eventsLeft > 0) return void setImmediate(handle, eventsLeft - 1);
      order.push("handled");
      cancel();
      resolve();
    };
    setImmediate(() => {
      setImmediate(handle, 5);
      holdUp(300);
    });
  });
  expect(order).toEqual(["handled"]);
});

test("runs the action all the same if nothing else happens after the process was held up", async () => {
  const action = vi.fn();
  await new Promise<void>((resolve) => {
    afterMs(1, () => {
      action();
      resolve();
    });
    holdUp(150);
  });
  expect(action).toHaveBeenCalledOnce();
});

test("runs the action also if the process is held up again and again", async () => {
  const action = vi.fn();
  afterMs(1, action);
  for (let count = 0; count < 5; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    holdUp(150);
  }
  expect(action).toHaveBeenCalledOnce();
});

test("caps times above the longest Node.js timer instead of firing at once", () => {
  const asked = vi.spyOn(globalThis, "setTimeout");
  for (const ms of [9_999_999_999, Infinity]) afterMs(ms, () => {})();
  expect(asked.mock.calls.map(([, ms]) => ms)).toEqual([2_147_483_647, 2_147_483_647]);
});

test("does not run the action if it was cancelled in time", async () => {
  const order: string[] = [];
  const cancel = afterMs(1, () => order.push("over"));
  cancel();
  cancel();
  await new Promise<void>((resolve) => afterMs(3, resolve));
  expect(order).toEqual([]);
});
