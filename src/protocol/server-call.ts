/** Whether a block is a call that the provider makes and answers itself, within one response. */
export function isServerCall({ type }: Record<string, unknown>): boolean {
  return type === "server_tool_use" || type === "mcp_tool_use";
}
