/** Has a session's tools ask its permissions what searches may show, and whether a change would be asked about. */
import type { Permissions } from "../../permissions/permissions.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { EngineOptions } from "../options/options.ts";
import { createHeldBackCheck } from "./held-back.ts";

export function guardTools(
  shared: ToolDependencies,
  permissions: Permissions,
  { ask, permissionPromptToolName }: EngineOptions,
): void {
  shared.mayShow = (path) => !permissions.isReadDenied(path);
  shared.createPermissionCheck = () => createHeldBackCheck(permissions);
  // Without anybody to ask, a change need not be tried before the question.
  if (ask === undefined && permissionPromptToolName === undefined) return;
  shared.asksPerson = async (toolName, input, hookAsks) => {
    const hook = hookAsks ? { hookDecision: { behavior: "ask" as const } } : {};
    return (await permissions.explain(toolName, input, false, hook)).decision === "ask";
  };
}
