/** What a session's hooks are built from. */
import type { LoopPorts } from "../../loop/ports.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Cwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { StartedAgent } from "../agents/started-agent.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { QuestionEffortParts } from "../model/question-effort.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { HookOccasions } from "./hook-occasions.ts";
import type { Waking } from "./waking.ts";

export interface HookPartsOptions extends Pick<LoopPorts, "model" | "budget"> {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  models: ModelParts;
  /** The model and effort of the next request. */
  selected: QuestionEffortParts["selected"] & { readonly current: string };
  permissions: Permissions;
  occasions: HookOccasions;
  waking: Waking;
  cwd: Cwd;
  /** The agent that leads the main thread. */
  leader?: { name: string } | undefined;
  /** Set for an agent. */
  agentRun?: StartedAgent | undefined;
  /** Finds any callable tool. */
  view: Pick<ToolsView, "find">;
  /** Dependencies of the session's tools: through them, commands get the variables that hooks set. */
  shared: ToolDependencies;
  /** The settings from which the hooks were last built. */
  lastSettings?: Settings;
}
