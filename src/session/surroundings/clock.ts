/** The real clock and ids: the only place in the engine that reads them. */
import { afterMs } from "../../lib/after-ms.ts";
import { elapsedMs } from "../../lib/elapsed-ms.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { uuid } from "../../lib/uuid.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";

export const systemClock: ClockPort = {
  now: () => Date.now(),
  elapsed: elapsedMs,
  timestamp: () => isoTime(Date.now()),
  timer: afterMs,
};

export const systemIds: IdPort = {
  uuid,
  random: () => Math.random(),
};
