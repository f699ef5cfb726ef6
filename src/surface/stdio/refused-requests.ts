/** Control requests of the convention that are not met, each with why. */
import type { NotHandled } from "./control.ts";

export const refusedRequests: readonly NotHandled[] = [
  { name: "mcp_call", refusal: "tools are called by the model, under the rules" },
  { name: "mcp_read_resource", refusal: "resources are read by the model, under the rules" },
  { name: "mcp_message", refusal: "servers in the client are asked, and do not ask" },
  {
    name: "set_mcp_permission_mode_override",
    refusal: "a server has no permission mode of its own here: rules name its tools",
  },
  { name: "register_repo_root", refusal: "folders are given at the start: --add-dir" },
  { name: "reload_plugins", refusal: "plugins are taken at the start of a session" },
  { name: "reload_output_styles", refusal: "the style of answers is taken at the start of a session" },
  { name: "set_color", refusal: "a session has no colour here" },
];
