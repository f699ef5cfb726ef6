/** In the `_meta` of an MCP tool result, `true`: this call completes the work, and the turn ends. */
export const endTurnMetaKey = "claude/endTurn";
