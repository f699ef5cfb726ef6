/** Of `_meta` of an MCP tool's result, `true`: with this call the work is done, and the turn ends. */
export const endTurnMark = "claude/endTurn";
