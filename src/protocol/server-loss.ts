/** Messages to the model about a server that is gone, or that lost tools: what the model was told about them may no longer hold. */
export function serverGoneText(server: string, why: string): string {
  return `The MCP server ${server} is gone (${why}). Its tools answer with an error until it is back.`;
}

/** `tools`: the names of the tools, as a list in words. */
export function toolsGoneText(server: string, tools: string): string {
  return `The MCP server ${server} no longer has these tools; calls of them are refused: ${tools}.`;
}

export function isServerLossText(text: string): boolean {
  return / is gone \(| no longer has these tools/u.test(text);
}
