/** Control requests that change what a session is made of: its settings, its servers, its skills. */
import { isRecord } from "../../lib/is-record.ts";
import { ControlError, optionalText, optionalWholeNumber, text, type ControlEntry } from "./control.ts";
import type { Loose } from "./frame.ts";

function object(fields: Loose, name: string): Loose {
  const value = fields[name];
  if (!isRecord(value)) throw new ControlError(`"${name}" has to be an object`);
  return value;
}

/** Of a tool that the client calls, ms. */
const [leastCallMs, defaultCallMs, mostCallMs] = [1_000, 120_000, 600_000];

export const changingRequests: readonly ControlEntry[] = [
  {
    name: "apply_flag_settings",
    does: "lays `settings` over those of `--settings`, key by key, null for none: `model`, `effortLevel`, `permissions`, `env`, `hooks` and what governs hooks, `statusLine`, `fileSuggestion`. What forbids counts from the next call on, the rest from the next prompt on. A key that only the start takes, or a value that is not fit, is an error, and nothing changes then",
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
    name: "reload_plugins",
    does: "looks at plugins again: their skills, commands and kinds of agent count as they are now, their hooks, servers and styles are those of the start. `refuse_if_busy` is an error while a turn runs, or an agent in the background; further plugins (`add_plugins`) are one always",
    async run({ engine, isBusy }, fields) {
      const { add_plugins: added, refuse_if_busy: refuses, hold_on_cache_impact: holds } = fields;
      if (Array.isArray(added) && added.length > 0)
        throw new ControlError("plugins are named at the start of a session: --plugin-dir");
      if (refuses === true && (isBusy || engine.openAgents > 0))
        throw new ControlError(
          "a turn or an agent runs, or a message waits for its turn: ask again later",
          "reload_plugins_busy",
        );
      const reloaded = await engine.desk.reloadPlugins();
      return { ...reloaded, ...(holds === true ? { held: false } : {}) };
    },
  },
  {
    name: "reload_output_styles",
    does: "names the styles there are now; the session keeps the one it began with",
    run: async ({ engine }) => ({ available_output_styles: await engine.desk.reloadOutputStyles() }),
  },
  {
    name: "register_repo_root",
    does: "takes a folder inside those the session works in for a repository of its own; `reload_claude_md` has its instructions told, `reload_skills` and `reload_plugins` look again",
    async run({ engine }, fields) {
      await engine.desk.registerRepoRoot(text(fields, "directory"), {
        instructions: fields["reload_claude_md"] === true,
      });
      if (fields["reload_plugins"] === true) await engine.desk.reloadPlugins();
      else if (fields["reload_skills"] === true) await engine.desk.reloadSkills();
      return {};
    },
  },
  {
    name: "mcp_call",
    does: "calls a tool of an MCP server under the rules and hooks of the session, whatever `check_permissions` says; the model learns nothing of it. Files (`input_files`, `output_files`, `expires_at`) are an error",
    async run({ engine }, fields, signal) {
      for (const name of ["input_files", "output_files", "expires_at"])
        if (fields[name] !== undefined) throw new ControlError(`"${name}" cannot be used here`);
      const { arguments: input = {} } = fields;
      if (!isRecord(input)) throw new ControlError('"arguments" has to be an object');
      const milliseconds = optionalWholeNumber(fields, "timeout_ms") ?? defaultCallMs;
      const limit = AbortSignal.timeout(Math.min(Math.max(milliseconds, leastCallMs), mostCallMs));
      const ended = AbortSignal.any([signal, limit]);
      return await engine.desk.callMcpTool(text(fields, "tool"), input, ended);
    },
  },
  {
    name: "mcp_read_resource",
    does: "reads a page of an MCP server's own (`ui://…`); other resources are the model's to read",
    run: async ({ engine }, fields) =>
      await engine.desk.readMcpResource(text(fields, "serverName"), text(fields, "uri")),
  },
  {
    name: "mcp_message",
    does: "a message of a server that lives in the client, such as its list of tools having changed",
    now(desk, fields) {
      desk.takeServerMessage(text(fields, "server_name"), object(fields, "message"));
      return {};
    },
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
