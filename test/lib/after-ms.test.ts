import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { afterMs } from "../../src/lib/after-ms.ts";

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

/** Nothing of the event loop runs meanwhile. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
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
