/** Control requests of the convention that are not met, each with why. */
import type { NotHandled } from "./control.ts";

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
  { name: "mcp_set_servers", refusal: "the servers of a session are named at its start" },
  { name: "mcp_call", refusal: "tools are called by the model, under the rules" },
  { name: "mcp_read_resource", refusal: "resources are read by the model, under the rules" },
  { name: "mcp_message", refusal: "servers in the client are asked, and do not ask" },
  {
    name: "set_mcp_permission_mode_override",
    refusal: "a server has no permission mode of its own here: rules name its tools",
  },
  { name: "register_repo_root", refusal: "folders are given at the start: --add-dir" },
  { name: "reload_plugins", refusal: "plugins are taken at the start of a session" },
  { name: "reload_skills", refusal: "skills are not taken anew on request" },
  { name: "reload_output_styles", refusal: "there is one output style" },
  { name: "set_color", refusal: "a session has no colour here" },
];
