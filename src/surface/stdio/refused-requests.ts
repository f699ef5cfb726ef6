/** Control requests of the convention that are not met, each with why. */
import type { NotHandled } from "./control.ts";

export const refusedRequests: readonly NotHandled[] = [
  {
    name: "set_mcp_permission_mode_override",
    refusal: "a server has no permission mode of its own here: rules name its tools",
  },
  { name: "set_color", refusal: "a session has no colour here" },
];
