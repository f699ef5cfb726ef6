/** Control requests that change a session's settings, servers or skills. */
import { isRecord } from "../../lib/is-record.ts";
import { ControlError, optionalField, textField, wholeNumberField, type ControlEntry } from "./control.ts";
import type { WireObject } from "./frame.ts";

function objectField(fields: WireObject, name: string): WireObject {
  const value = fields[name];
  if (!isRecord(value)) throw new ControlError(`"${name}" must be an object`);
  return value;
}

/** Time limits in ms for a tool that the client calls. */
const [minCallMs, defaultCallMs, maxCallMs] = [1_000, 120_000, 600_000];

export const changingRequests: readonly ControlEntry[] = [
  {
    name: "apply_flag_settings",
    does: "merges `settings` over those of `--settings`, key by key; null removes a key: `model`, `effortLevel`, `permissions`, `env`, `hooks` and the keys that govern hooks, `statusLine`, `fileSuggestion`. Restrictions apply from the next tool call on, the model from the next request to the model on, the rest from the next prompt on. A key that is only read at the start, or an invalid value, is an error, and then nothing changes; a notice on standard error names keys that have no effect here",
    async run({ engine }, fields) {
      await engine.desk.applyFlagSettings(objectField(fields, "settings"));
      return {};
    },
  },
  {
    name: "update_settings",
    does: "writes keys into the user's settings file (`userSettings`) or the folder's local one (`localSettings`). Only keys that neither run nor allow anything, such as `effortLevel` and `outputStyle`; others are an error",
    async run({ engine }, fields) {
      const source = textField(fields, "source");
      if (source !== "userSettings" && source !== "localSettings")
        throw new ControlError('"source" must be userSettings or localSettings');
      const scope = source === "userSettings" ? "user" : "local";
      await engine.desk.updateSettings(scope, objectField(fields, "settings"));
      return {};
    },
  },
  {
    name: "mcp_set_servers",
    does: "replaces the servers that the client named, including those that live in the client; answers `added`, `removed` and `errors` by name. Servers of settings, files and flags stay unless the request names them. The new tools are available from the next step on",
    async run({ engine, toServerConfigs }, fields) {
      const servers = objectField(fields, "servers");
      for (const [name, config] of Object.entries(servers))
        if (!isRecord(config)) throw new ControlError(`the server "${name.slice(0, 80)}" must be an object`);
      return await engine.desk.setMcpServers(toServerConfigs(servers));
    },
  },
  {
    name: "reload_skills",
    does: "reads the folders of skills and commands again and answers all of them; the model is told what changed",
    run: async ({ engine }) => ({ skills: await engine.desk.reloadSkills() }),
  },
  {
    name: "reload_plugins",
    does: "reads plugins again: their current skills, commands and agent types apply, while their hooks, servers and styles stay as at the start. With `refuse_if_busy` it is an error while a turn or a background agent runs. `add_plugins` is always an error",
    async run({ engine, isBusy }, fields) {
      const { add_plugins: added, refuse_if_busy: refuses, hold_on_cache_impact: holds } = fields;
      if (Array.isArray(added) && added.length > 0)
        throw new ControlError("plugins can only be added at the start of a session, with --plugin-dir");
      if (refuses === true && (isBusy || engine.openAgents > 0))
        throw new ControlError(
          "a turn or an agent is running, or a message waits for its turn: try again later",
          "reload_plugins_busy",
        );
      const reloaded = await engine.desk.reloadPlugins();
      return { ...reloaded, ...(holds === true ? { held: false } : {}) };
    },
  },
  {
    name: "reload_output_styles",
    does: "lists the styles that exist now; the session keeps the style it started with",
    run: async ({ engine }) => ({ available_output_styles: await engine.desk.reloadOutputStyles() }),
  },
  {
    name: "register_repo_root",
    does: "treats a folder inside the session's folders as a repository of its own; `reload_claude_md` tells the model its instructions, `reload_skills` and `reload_plugins` read those again",
    async run({ engine }, fields) {
      await engine.desk.registerRepoRoot(textField(fields, "directory"), {
        instructions: fields["reload_claude_md"] === true,
      });
      if (fields["reload_plugins"] === true) await engine.desk.reloadPlugins();
      else if (fields["reload_skills"] === true) await engine.desk.reloadSkills();
      return {};
    },
  },
  {
    name: "mcp_call",
    does: "calls a tool of an MCP server under the session's rules and hooks, whatever `check_permissions` says; the model does not learn of it. Files (`input_files`, `output_files`, `expires_at`) are an error",
    async run({ engine }, fields, signal) {
      for (const name of ["input_files", "output_files", "expires_at"])
        if (fields[name] !== undefined) throw new ControlError(`"${name}" is not supported here`);
      const { arguments: input = {} } = fields;
      if (!isRecord(input)) throw new ControlError('"arguments" must be an object');
      const milliseconds = optionalField(fields, "timeout_ms", wholeNumberField) ?? defaultCallMs;
      const limit = AbortSignal.timeout(Math.min(Math.max(milliseconds, minCallMs), maxCallMs));
      const ended = AbortSignal.any([signal, limit]);
      return await engine.desk.callMcpTool(textField(fields, "tool"), input, ended);
    },
  },
  {
    name: "mcp_read_resource",
    does: "reads a page that an MCP server provides (`ui://…`); other resources can only be read by the model",
    run: async ({ engine }, fields) =>
      await engine.desk.readMcpResource(textField(fields, "serverName"), textField(fields, "uri")),
  },
  {
    name: "mcp_message",
    does: "delivers a message of a server that lives in the client, such as a change of its tool list",
    now(desk, fields) {
      desk.takeServerMessage(textField(fields, "server_name"), objectField(fields, "message"));
      return {};
    },
  },
  {
    name: "background_tasks",
    does: "moves running Bash commands to the background so that their calls return: all, or that of `tool_use_id`; agents stay in the foreground",
    async run({ engine }, fields) {
      const isMoved = await engine.desk.backgroundTasks(optionalField(fields, "tool_use_id", textField));
      return { backgrounded: isMoved };
    },
  },
];
