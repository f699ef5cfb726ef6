/** Control requests that change what a session is made of: its settings, its servers, its skills. */
import { isRecord } from "../../lib/is-record.ts";
import { ControlError, optionalText, text, type ControlEntry } from "./control.ts";
import type { Loose } from "./frame.ts";

function object(fields: Loose, name: string): Loose {
  const value = fields[name];
  if (!isRecord(value)) throw new ControlError(`"${name}" has to be an object`);
  return value;
}

export const changingRequests: readonly ControlEntry[] = [
  {
    name: "apply_flag_settings",
    does: "lays `settings` over those of `--settings`, key by key, null for none: `model`, `effortLevel`, `permissions`, `env`, `hooks` and what governs hooks. What forbids counts from the next call on, the rest from the next prompt on. A key that only the start takes, or a value that is not fit, is an error, and nothing changes then",
    async run({ engine }, fields) {
      await engine.desk.applyFlagSettings(object(fields, "settings"));
      return {};
    },
  },
  {
    name: "update_settings",
    does: "writes keys into the user's file (`userSettings`) or the folder's local one (`localSettings`): those that neither run nor permit anything, such as `effortLevel` and `outputStyle`. Others are an error",
    async run({ engine }, fields) {
      const source = text(fields, "source");
      if (source !== "userSettings" && source !== "localSettings")
        throw new ControlError('"source" has to be userSettings or localSettings');
      const scope = source === "userSettings" ? "user" : "local";
      await engine.desk.updateSettings(scope, object(fields, "settings"));
      return {};
    },
  },
  {
    name: "mcp_set_servers",
    does: "has the servers that the client named be these, those in the client included: `added`, `removed` and `errors` by name. Those of settings, files and flags stay unless it names them. Their tools are there from the next turn border on",
    async run({ engine, serversOf }, fields) {
      const servers = object(fields, "servers");
      for (const [name, config] of Object.entries(servers))
        if (!isRecord(config)) throw new ControlError(`the server "${name.slice(0, 80)}" has to be an object`);
      return await engine.desk.setMcpServers(serversOf(servers));
    },
  },
  {
    name: "reload_skills",
    does: "looks at the folders of skills and commands again, and answers them all; the model is told of what changed",
    run: async ({ engine }) => ({ skills: await engine.desk.reloadSkills() }),
  },
  {
    name: "background_tasks",
    does: "has calls of Bash go on without their commands, all or that of `tool_use_id`; agents stay where they are",
    async run({ engine }, fields) {
      const isMoved = await engine.desk.backgroundTasks(optionalText(fields, "tool_use_id"));
      return { backgrounded: isMoved };
    },
  },
];
