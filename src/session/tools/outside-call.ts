/** Calls of tools that no turn makes: what the rules are asked of them, and what the tool is told. */
import type { IdPort, LoopPorts } from "../../loop/ports.ts";
import type { PermissionRequest } from "../../protocol/permission.ts";
import type { Tool, ToolContext, ToolInput } from "../../protocol/tool.ts";

export function requestOf(
  tool: Tool,
  input: ToolInput,
  { toolUseId, key, cwd }: Pick<ToolContext, "toolUseId" | "key" | "cwd">,
): PermissionRequest {
  const subjects = tool.permissionSubjects?.(input, cwd) ?? [{ kind: "tool" as const }];
  return { toolName: tool.name, toolUseId, key, input, isReadOnly: tool.isReadOnly(input), subjects, cwd };
}

/** There is no end of a turn to wait for. Its id is its key, unless it has one of its own. */
export function outsideContext(
  call: Omit<ToolContext, "registerTurnEnd" | "toolUseId"> & { toolUseId?: string },
): ToolContext {
  return { toolUseId: call.key, ...call, registerTurnEnd: () => undefined };
}

interface Session {
  around: { ids: IdPort };
  store: { sessionId: string };
  ports: Pick<LoopPorts, "tools">;
}

/** Of a call that a host or a person makes. `who`: begins the call's id. */
export function hostContext({ around, store, ports }: Session, who: string, signal: AbortSignal): ToolContext {
  const key = `${who}_${around.ids.uuid()}`;
  return outsideContext({ sessionId: store.sessionId, key, signal, cwd: ports.tools.cwd() });
}
