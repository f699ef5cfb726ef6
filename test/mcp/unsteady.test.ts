// Servers whose connection comes to be, and is lost again.
import { expect, onTestFinished, test } from "vitest";
import { HandClock, until } from "./hand-clock.ts";
import { connectionTo, RemoteServer } from "./remote-server.ts";

/** How often a server whose connection holds for so long is looked for before it is given up, in a session of an hour. */
async function timesLookedFor(holdsMs: number, most: number): Promise<number> {
  const server = await new RemoteServer().start();
  onTestFinished(() => server.stop());
  const clock = new HandClock();
  clock.pass(3_600_000);
  const connection = connectionTo(server, "sse", { clock });
  await connection.connect();
  let times = 0;
  for (; times < most && connection.status === "connected"; times += 1) {
    clock.pass(holdsMs);
    server.dropStreams();
    await until(() => connection.status !== "connected");
    for (const wait of clock.waits()) clock.pass(wait);
    await until(() => connection.status !== "pending");
  }
  await connection.close();
  return times;
}

test("one that is lost at once each time is given up, however long the session has lasted", async () => {
  expect(await timesLookedFor(1_000, 20)).toBe(6);
});

test("one that holds for a minute is always looked for again", async () => {
  expect(await timesLookedFor(60_000, 20)).toBe(20);
});
