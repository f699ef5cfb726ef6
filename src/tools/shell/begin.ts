/** Makes a command wait, while its shell is starting, until the files it may change have been saved. */
import { settledOrAborted } from "../../lib/settled-or-aborted.ts";
import type { ToolContext } from "../../protocol/tool.ts";

type BeforeAnything = () => Promise<void> | undefined;

/** Keyed by the context of the call: that object is also the host's, and it is not copied. */
const waits = new WeakMap<ToolContext, BeforeAnything>();

/** Makes the command of this call wait before it changes anything; undefined: there is nothing to wait for. Must not reject. */
export function waitsFor(context: ToolContext, beforeAnything: BeforeAnything): void {
  waits.set(context, beforeAnything);
}

/** The result of a call that was stopped while the files it might change were being saved. */
export const stoppedBefore = "It did not run: it was stopped before it began.";

export class NotBegun extends Error {
  constructor() {
    super(stoppedBefore);
  }
}

/** Rejects with `NotBegun` after an abort: stopping must not wait until a large folder has been looked through. */
export async function readyToBegin(context: ToolContext): Promise<void> {
  const waiting = waits.get(context)?.();
  if (waiting === undefined) return;
  await settledOrAborted(waiting, context.signal);
  if (context.signal.aborted) throw new NotBegun();
}
