/** What a session's hooks are made of. */
import type { ConfiguredHook } from "../../hooks/handler.ts";
import type { HookDependencies } from "../../hooks/runner.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { Permissions } from "../../permissions/permission-options.ts";
import type { Effort } from "../../protocol/model.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Cwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { AgentSeat } from "../joined.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { EngineOptions } from "../options.ts";
import type { Store } from "../store-shape.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import type { HookOccasions } from "./hook-occasions.ts";
import type { GivenHooks } from "./hooks-beside.ts";

export interface HookPartsOptions extends Pick<LoopPorts, "model" | "budget"> {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  models: ModelParts;
  permissions: Permissions;
  occasions: HookOccasions;
  cwd: Cwd;
  /** The agent that the main thread is. */
  leader?: { name: string } | undefined;
  waking: HookDependencies["waking"];
  /** Of an agent. */
  seat?: AgentSeat | undefined;
  /** What the session asks now. */
  selected: { current: string; effort?: Effort };
  /** All that may be called. */
  view: Pick<ToolsView, "find">;
  /** Of the session's tools: commands are told what hooks wrote for them. */
  shared: ToolDependencies;
  /** What settings said when hooks were last chosen. */
  inForce?: Settings;
  /** What was made of those that were chosen. */
  read?: WeakMap<GivenHooks, readonly ConfiguredHook[]>;
}
