/** What a command waits for, once its shell is on its way: that what it may change has been kept. */
import { settledOrAborted } from "../../lib/settled-or-aborted.ts";
import type { ToolContext } from "../../protocol/tool.ts";

type BeforeAnything = () => Promise<void> | undefined;

/** By the context of their call: it is a host's object as well, and not copied. */
const waits = new WeakMap<ToolContext, BeforeAnything>();

/** Has the command of that call wait before it changes anything; undefined: there is nothing to wait for. Must not reject. */
export function waitsFor(context: ToolContext, beforeAnything: BeforeAnything): void {
  waits.set(context, beforeAnything);
}

/** A call that was stopped while what it might change was being kept. */
export const stoppedBefore = "It did not run: it was stopped before it began.";

export class NotBegun extends Error {
  constructor() {
    super(stoppedBefore);
  }
}

/** Rejects with `NotBegun` after an abort: a look at a large folder is not waited for by whoever wants to stop. */
export async function readyToBegin(context: ToolContext): Promise<void> {
  const waiting = waits.get(context)?.();
  if (waiting === undefined) return;
  await settledOrAborted(waiting, context.signal);
  if (context.signal.aborted) throw new NotBegun();
}
