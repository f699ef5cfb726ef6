/** The real clock and ids. The only place of the engine that reads them. */
import { randomUUID } from "node:crypto";
import { afterMs } from "../lib/after-ms.ts";
import { elapsedMs } from "../lib/elapsed-ms.ts";
import type { ClockPort, IdPort } from "../loop/ports.ts";

/** Several records fall into one millisecond; the text is made once. */
let written = { at: 0, text: "" };

function timestamp(): string {
  const at = Date.now();
  if (written.at !== at) written = { at, text: new Date(at).toISOString() };
  return written.text;
}

export const systemClock: ClockPort = {
  now: () => Date.now(),
  elapsed: elapsedMs,
  timestamp,
  timer: (ms, onFire) => afterMs(Math.min(ms, 2_147_483_647), onFire),
};

export const systemIds: IdPort = {
  uuid: () => randomUUID(),
  random: () => Math.random(),
};
