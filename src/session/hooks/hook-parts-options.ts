/** What a session's hooks are made of. */
import type { LoopPorts } from "../../loop/ports.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Cwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { AgentSeat, Joined } from "../joined.ts";
import type { ToolsView } from "../tools/tools-port.ts";

export interface HookPartsOptions
  extends
    Pick<LoopPorts, "model" | "budget">,
    Pick<Joined, "around" | "models" | "occasions" | "options" | "permissions" | "selected" | "store" | "waking"> {
  cwd: Cwd;
  /** The agent that the main thread is. */
  leader?: { name: string } | undefined;
  /** Of an agent. */
  seat?: AgentSeat | undefined;
  /** All that may be called. */
  view: Pick<ToolsView, "find">;
  /** Of the session's tools: commands are told what hooks wrote for them. */
  shared: ToolDependencies;
  /** What settings said when hooks were last chosen. */
  inForce?: Settings;
}
