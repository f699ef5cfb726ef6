/** What a session's hooks are built from. */
import type { LoopPorts } from "../../loop/ports.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Cwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { AgentRun, Joined } from "../joined.ts";
import type { ToolsView } from "../tools/tools-port.ts";

export interface HookPartsOptions
  extends
    Pick<LoopPorts, "model" | "budget">,
    Pick<Joined, "around" | "models" | "occasions" | "options" | "permissions" | "selected" | "store" | "waking"> {
  cwd: Cwd;
  /** The agent that leads the main thread. */
  leader?: { name: string } | undefined;
  /** Set for an agent. */
  agentRun?: AgentRun | undefined;
  /** Finds any callable tool. */
  view: Pick<ToolsView, "find">;
  /** Dependencies of the session's tools: through them, commands get the variables that hooks set. */
  shared: ToolDependencies;
  /** The settings from which the hooks were last built. */
  lastSettings?: Settings;
}
