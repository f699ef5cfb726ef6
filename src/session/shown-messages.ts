/** What happens in a session, as the reader of its turn sees it. */
import type { QueryEvent } from "../protocol/event.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import { toSDKMessage } from "./convert.ts";
import type { Joined } from "./joined.ts";

type Told = Pick<Joined, "store" | "around">;

/** What its reader is shown of an event; null where that is nothing. */
export function shownIn({ store, around }: Told): (event: QueryEvent) => SDKMessage | null {
  const context = { sessionId: store.sessionId, uuid: () => around.ids.uuid() };
  return (event) => toSDKMessage(event, context);
}

/** The same of what is recorded and asked before the loop runs. */
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
    // A reader that leaves ends what is being asked.
    await asked.return(undefined as never);
  }
}
