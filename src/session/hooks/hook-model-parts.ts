/** What a hook that asks a model gets from its session. */
import type { LoopPorts } from "../../loop/ports.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { Permissions } from "../../permissions/permission-options.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { QuestionEffortParts } from "../model/question-effort.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface HookModelParts extends Pick<LoopPorts, "model" | "budget">, Pick<QuestionEffortParts, "selected"> {
  around: Surroundings;
  models: ModelParts;
  sessionId: string;
  access: HookAgentAccess;
}

/** What the agent of an agent hook needs to look around. */
export interface HookAgentAccess {
  permissions: Permissions;
  shared: ToolDependencies;
}
