/** The real clock and ids. The only place of the engine that reads them. */
import { randomUUID } from "node:crypto";
import type { ClockPort, IdPort } from "../loop/ports.ts";

export const systemClock: ClockPort = {
  now: () => Date.now(),
  timestamp: () => new Date().toISOString(),
  timer(ms, onFire) {
    const timer = setTimeout(onFire, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};

export const systemIds: IdPort = {
  uuid: () => randomUUID(),
  random: () => Math.random(),
};
