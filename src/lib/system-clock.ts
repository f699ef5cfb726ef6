/** The real clock and ids, in the shape of the ports of the loop. */
import { afterMs } from "./after-ms.ts";
import { elapsedMs } from "./elapsed-ms.ts";
import { isoTime } from "./iso-time.ts";
import { uuid } from "./uuid.ts";

export const systemClock = {
  now: () => Date.now(),
  elapsed: elapsedMs,
  timestamp: () => isoTime(Date.now()),
  timer: afterMs,
};

export const systemIds = {
  uuid,
  random: () => Math.random(),
};
