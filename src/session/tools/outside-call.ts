/** Tool calls made outside a turn: their permission request and their context. */
import type { IdPort, LoopPorts } from "../../loop/ports.ts";
import type { PermissionRequest } from "../../protocol/permission.ts";
import type { Tool, ToolContext, ToolInput } from "../../protocol/tool.ts";

export function permissionRequestFor(
  tool: Tool,
  input: ToolInput,
  { toolUseId, key, cwd }: Pick<ToolContext, "toolUseId" | "key" | "cwd">,
): PermissionRequest {
  const subjects = tool.permissionSubjects?.(input, cwd) ?? [{ kind: "tool" as const }];
  return { toolName: tool.name, toolUseId, key, input, isReadOnly: tool.isReadOnly(input), subjects, cwd };
}

/** There is no turn end to wait for. The call's id is its key, unless it has its own. */
export function outsideContext(
  call: Omit<ToolContext, "registerTurnEnd" | "toolUseId"> & { toolUseId?: string },
): ToolContext {
  return { toolUseId: call.key, ...call, registerTurnEnd: () => undefined };
}

interface HostCallParts {
  around: { ids: IdPort };
  store: { sessionId: string };
  ports: Pick<LoopPorts, "tools">;
}

/** The context of a call made by a host or a person. `who` starts the call's id. */
export function hostContext({ around, store, ports }: HostCallParts, who: string, signal: AbortSignal): ToolContext {
  const key = `${who}_${around.ids.uuid()}`;
  return outsideContext({ sessionId: store.sessionId, key, signal, cwd: ports.tools.cwd() });
}
