/** What a tool is told of a call that no model made. */
import type { ToolContext } from "../../protocol/tool.ts";
import type { Joined } from "../joined.ts";
import { outsideContext } from "../tools/outside-call.ts";

/** `who`: begins the call's id. */
export function hostContext(joined: Joined, who: string, signal: AbortSignal): ToolContext {
  const key = `${who}_${joined.around.ids.uuid()}`;
  return outsideContext({ sessionId: joined.store.sessionId, key, signal, cwd: joined.ports.tools.cwd() });
}
