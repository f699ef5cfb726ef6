/** What is recorded and asked before the loop runs, as the reader of the turn sees it. */
import type { QueryEvent } from "../protocol/event.ts";
import type { SDKMessage } from "../protocol/sdk.ts";
import type { IdPort } from "../loop/ports.ts";
import { toSDKMessage } from "./convert.ts";

export async function* shownMessages<R>(
  asked: AsyncGenerator<QueryEvent, R>,
  { sessionId, ids }: { sessionId: string; ids: IdPort },
): AsyncGenerator<SDKMessage, R> {
  const context = { sessionId, uuid: () => ids.uuid() };
  try {
    for (;;) {
      const step = await asked.next();
      if (step.done === true) return step.value;
      const shown = toSDKMessage(step.value, context);
      if (shown !== null) yield shown;
    }
  } finally {
    // A reader that leaves ends what is being asked.
    await asked.return(undefined as never);
  }
}
