/** What a session reports for its telemetry collectors. `telemetry/` does it, and is loaded only if there is a collector. */
import type { HookRecord, StartedHook } from "../../hooks/runner.ts";
import type { Runners } from "../../hooks/run.ts";
import type { Knowledge } from "../../knowledge/load-knowledge.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { Server } from "../../mcp/server.ts";
import type { CacheMiss } from "../../model/cache-watch.ts";
import type { Catalog } from "../../model/catalog.ts";
import type { McpConnectionStatus } from "../../protocol/mcp.ts";
import type { ModelPort } from "../../protocol/model.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { EngineOptions } from "../options/options.ts";
import type { RecordWatch } from "../store/conversation.ts";

/** An agent. */
export interface WatchedAgent {
  id: string;
  /** The call that starts it. */
  toolUseId: string;
  definition: { name: string };
}

/** The observed parts of a session. */
export interface WatchedSession {
  options: EngineOptions;
  tools: { shared: ToolDependencies };
  knowledge: Pick<Knowledge, "plugins">;
}

/** What happens around a session's turns. */
export interface SideEvents {
  hooks(runners: Runners): void;
  connection(about: { server: Server; status: McpConnectionStatus }, durationMs: number): void;
  skill(skill: Pick<Skill, "name" | "kind" | "source">): void;
  mention(isShown: boolean): void;
  readonly reportSweep: (removed: number, problems: number) => void;
}

/** Models, records and ports come back watched; everything else is only reported. */
export interface TelemetryPort {
  readonly sideEvents: SideEvents;
  reportStart(sessionId: string, options: Pick<EngineOptions, "resume" | "continue">): void;
  modelFor<M extends ModelPort>(model: M, catalog: Catalog, agent?: WatchedAgent): M;
  recordsFor(agent: WatchedAgent | undefined): RecordWatch;
  portsFor(ports: LoopPorts, session: WatchedSession): LoopPorts;
  modeChanged(from: PermissionMode, to: PermissionMode): void;
  hookBegan(hook: StartedHook, agentId: string | undefined): void;
  hookEnded(record: HookRecord, agentId: string | undefined): void;
  reportCacheMiss(miss: CacheMiss, agentId: string | undefined): void;
  /** Limited in time. */
  close(): Promise<void>;
}
