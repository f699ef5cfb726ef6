/** Converts what happens in a session into the messages that the reader of its turn gets. */
import type { QueryEvent } from "../protocol/event.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import { toSDKMessage } from "./convert.ts";
import type { Joined } from "./joined.ts";

type ConverterParts = Pick<Joined, "store" | "around">;

/** Returns a function that converts an event for the reader; null for events that are not shown. */
export function createMessageConverter({ store, around }: ConverterParts): (event: QueryEvent) => SDKMessage | null {
  const context = { sessionId: store.sessionId, uuid: () => around.ids.uuid() };
  return (event) => toSDKMessage(event, context);
}

/** Converts what is recorded and asked before the loop runs. */
export async function* toShownMessages<R>(
  events: AsyncGenerator<QueryEvent, R>,
  parts: ConverterParts,
): AsyncGenerator<SDKMessage, R> {
  const toMessage = createMessageConverter(parts);
  try {
    for (;;) {
      const step = await events.next();
      if (step.done === true) return step.value;
      const shown = toMessage(step.value);
      if (shown !== null) yield shown;
    }
  } finally {
    // If the reader leaves, the generator is ended too.
    await events.return(undefined as never);
  }
}
