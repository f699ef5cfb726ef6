/** Converts what happens in a session into the messages that the reader of its turn gets. */
import type { QueryEvent } from "../../protocol/event.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { toSDKMessage, waitingText } from "./convert.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** Converts an event for the reader. Null: the event is not shown. */
type MessageConverter = (event: QueryEvent) => SDKMessage | null;

interface ShownParts {
  store: Pick<Store, "sessionId">;
  around: Pick<Surroundings, "ids">;
  options: Pick<EngineOptions, "debug">;
}

/** Also writes what is waited for to the debug log, if somebody reads it. */
export function createMessageConverter({ store, around, options: { debug } }: ShownParts): MessageConverter {
  const context = { sessionId: store.sessionId, uuid: () => around.ids.uuid() };
  return (event) => {
    if (event.type === "waiting") debug?.(`${event.key}: ${waitingText(event)}`);
    return toSDKMessage(event, context);
  };
}

/** Converts what is recorded and asked outside the loop. */
export async function* toShownMessages<R>(
  events: AsyncGenerator<QueryEvent, R>,
  toMessage: MessageConverter,
): AsyncGenerator<SDKMessage, R> {
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
