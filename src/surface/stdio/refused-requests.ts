/** Control requests of the convention that are not met, each with why. */
import type { NotHandled } from "./control.ts";

const noServers = "MCP servers are not built yet";

export const refusedRequests: readonly NotHandled[] = [
  {
    name: "apply_flag_settings",
    refusal: "settings of a running session cannot be changed: give --settings at its start",
  },
  { name: "update_settings", refusal: "settings files are not written over this channel: pawl config does it" },
  {
    name: "background_tasks",
    refusal: "a running command cannot be sent to the background: it goes there at its time limit",
  },
  { name: "mcp_reconnect", refusal: noServers },
  { name: "mcp_toggle", refusal: noServers },
  { name: "mcp_set_servers", refusal: noServers },
  { name: "mcp_call", refusal: noServers },
  { name: "mcp_read_resource", refusal: noServers },
  { name: "mcp_message", refusal: noServers },
  { name: "set_mcp_permission_mode_override", refusal: noServers },
  { name: "register_repo_root", refusal: "folders are given at the start: --add-dir" },
  { name: "reload_plugins", refusal: "plugins are not built yet" },
  { name: "reload_skills", refusal: "skills are not built yet" },
  { name: "reload_output_styles", refusal: "there is one output style" },
  { name: "set_color", refusal: "a session has no colour here" },
];
