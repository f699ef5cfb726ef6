/** Makes a command wait, while its shell is starting, until the files it may change have been saved. */
import { settledOrAborted } from "../../lib/settled-or-aborted.ts";
import type { ToolContext } from "../../protocol/tool.ts";

type WaitBeforeStart = () => Promise<void> | undefined;

/** Keyed by the context of the call: that object is also the host's, and it is not copied. */
const waitsByContext = new WeakMap<ToolContext, WaitBeforeStart>();

/** Makes the command of this call wait before it changes anything; undefined: there is nothing to wait for. Must not reject. */
export function setWaitBeforeCommand(context: ToolContext, wait: WaitBeforeStart): void {
  waitsByContext.set(context, wait);
}

/** The result of a call that was stopped while the files it might change were being saved. */
export const stoppedBeforeStartText = "It did not run: it was stopped before it began.";

export class NotStartedError extends Error {
  constructor() {
    super(stoppedBeforeStartText);
  }
}

/** Rejects with `NotStartedError` after an abort: stopping must not wait until a large folder has been looked through. */
export async function waitUntilReady(context: ToolContext): Promise<void> {
  const waiting = waitsByContext.get(context)?.();
  if (waiting === undefined) return;
  await settledOrAborted(waiting, context.signal);
  if (context.signal.aborted) throw new NotStartedError();
}
