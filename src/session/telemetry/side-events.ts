/** What happens around a session's turns: plugins, hooks, servers, skills, mentioned files, cleanup of old sessions. */
import type { Runners } from "../../hooks/run.ts";
import type { Plugin } from "../../knowledge/plugins.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { Server } from "../../mcp/server.ts";
import type { McpConnectionStatus } from "../../protocol/mcp.ts";
import type { Attributes } from "../../telemetry/record.ts";
import type { SideEvents } from "../surroundings/telemetry-port.ts";

/** Names are other people's words: reported in detail, or not at all. */
export class SideEventWatch implements SideEvents {
  readonly #event: (name: string, attributes: Attributes) => void;
  readonly #inDetail: boolean;

  constructor(event: (name: string, attributes: Attributes) => void, inDetail: boolean) {
    this.#event = event;
    this.#inDetail = inDetail;
  }

  plugins(plugins: readonly Plugin[]): void {
    for (const plugin of plugins) {
      const { name, version, skills, commands, agents } = plugin;
      const detail = this.#inDetail ? { "plugin.name": name, "plugin.version": version } : {};
      const figures = { skill_folders: skills.length, command_folders: commands.length, agent_folders: agents.length };
      this.#event("plugin_loaded", { ...detail, ...figures });
    }
  }

  hooks(runners: Runners): void {
    for (const [event, list = []] of Object.entries(runners))
      for (const { name } of list)
        this.#event("hook_registered", { hook_event: event, hook_name: this.#inDetail ? name : undefined });
  }

  connection({ server, status }: { server: Server; status: McpConnectionStatus }, durationMs: number): void {
    // A connection that is being closed has neither failed nor succeeded.
    if (status === "pending" || status === "disabled") return;
    const { type, name, scope } = server;
    const detail = this.#inDetail ? { server_name: name } : {};
    const duration_ms = Math.round(durationMs);
    const outcome = status === "connected" ? "connected" : "failed";
    this.#event("mcp_server_connection", {
      status: outcome,
      transport_type: type,
      server_scope: scope,
      duration_ms,
      ...detail,
    });
  }

  skill({ name, kind, source }: Pick<Skill, "name" | "kind" | "source">): void {
    this.#event("skill_activated", {
      "skill.name": this.#inDetail ? name : "custom",
      "skill.kind": kind,
      "skill.source": source,
    });
  }

  mention = (isShown: boolean): void => this.#event("at_mention", { mention_type: "file", success: isShown });

  reportSweep = (removed: number, problems: number): void =>
    this.#event("retention_sweep", { sessions_removed: removed, problems });
}
