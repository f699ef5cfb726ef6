/** Chooses the raw event that shows a consumer without raw events that the answer continues. */
import type { ModelEvent } from "../../protocol/model.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";

/** The event yielded even without raw events: the start of a block that has not ended, or else a sign that the answer continues. */
export function progressEvent(
  events: readonly RawStreamEvent[],
  out: readonly ModelEvent[],
): RawStreamEvent | undefined {
  let last = events.at(-1);
  let isPing = true;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index] as RawStreamEvent;
    if (event.type === "content_block_start") return event;
    if (isPing && event.type !== "ping") {
      last = event;
      isPing = false;
    }
    if (event.type === "content_block_stop") break;
  }
  return last?.type !== "message_start" && out.every(({ type }) => type === "start") ? last : undefined;
}
