/** What a tool is told of a call that no model made. */
import type { ToolContext } from "../../protocol/tool.ts";
import type { Joined } from "../joined.ts";

/** `who`: begins the call's id. */
export function hostContext(joined: Joined, who: string, signal: AbortSignal): ToolContext {
  const toolUseId = `${who}_${joined.around.ids.uuid()}`;
  return {
    sessionId: joined.store.sessionId,
    key: toolUseId,
    toolUseId,
    signal,
    cwd: joined.ports.tools.cwd(),
    registerTurnEnd: () => undefined,
  };
}
