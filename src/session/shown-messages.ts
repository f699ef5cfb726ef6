/** Converts what happens in a session into the messages that the reader of its turn gets. */
import type { QueryEvent } from "../protocol/event.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import { toSDKMessage } from "./convert.ts";
import type { Joined } from "./joined.ts";

type Told = Pick<Joined, "store" | "around">;

/** Returns a function that converts an event for the reader; null for events that are not shown. */
export function shownIn({ store, around }: Told): (event: QueryEvent) => SDKMessage | null {
  const context = { sessionId: store.sessionId, uuid: () => around.ids.uuid() };
  return (event) => toSDKMessage(event, context);
}

/** Converts what is recorded and asked before the loop runs. */
export async function* shownMessages<R>(
  asked: AsyncGenerator<QueryEvent, R>,
  told: Told,
): AsyncGenerator<SDKMessage, R> {
  const shownOf = shownIn(told);
  try {
    for (;;) {
      const step = await asked.next();
      if (step.done === true) return step.value;
      const shown = shownOf(step.value);
      if (shown !== null) yield shown;
    }
  } finally {
    // If the reader leaves, the generator is ended too.
    await asked.return(undefined as never);
  }
}
