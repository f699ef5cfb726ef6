/** What a conversation is told where a server, or some of its tools, are there no more: what it was told of them before may not hold. */
export function serverGone(server: string, why: string): string {
  return `The MCP server ${server} is gone (${why}). Its tools answer with an error until it is back.`;
}

/** `tools`: their names, listed. */
export function toolsGone(server: string, tools: string): string {
  return `The MCP server ${server} no longer has these tools; calls of them are refused: ${tools}.`;
}

export function isLoss(text: string): boolean {
  return / is gone \(| no longer has these tools/u.test(text);
}
