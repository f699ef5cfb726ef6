// Requests that take long to be sent.
import { expect, test } from "vitest";
import { createAnthropicModel } from "../../../src/model/index.ts";
import { manualTimers } from "../support/manual-timers.ts";
import { gate } from "../support/servers.ts";
import { failureOf, hear } from "../support/wire.ts";

test("time spent sending a long request does not count as silence of the server", async () => {
  const timers = manualTimers();
  const sending = gate<() => void>();
  const heard = hear(
    createAnthropicModel({
      version: "1.0.0",
      timers,
      firstByteMs: 60_000,
      transport: ({ onSent = () => undefined }) => {
        sending.open(onSent);
        return new Promise(() => undefined);
      },
    }),
  );
  const sent = await sending.opened;
  for (let minute = 0; minute < 5; minute++) {
    await timers.advance(59_999);
    sent();
  }
  expect(timers.pending).toBe(1);
  await timers.advance(60_000);
  expect(failureOf((await heard).outcome)).toMatchObject({ kind: "stalled", recovery: "retry" });
});
