/** A call that its server refuses because the login allows too little: only that call is refused, and the next login asks for more. */
import type { InsufficientScopeError } from "@modelcontextprotocol/client";
import { oneLine } from "../lib/sanitize.ts";
import { shellWord } from "../lib/shell-quote.ts";
import type { Server } from "./server.ts";
import type { McpWorld } from "./world.ts";

export async function reportMissingScope(
  { requiredScope = "" }: InsufficientScopeError,
  server: Server,
  { authOf }: McpWorld,
): Promise<string> {
  const { name } = server;
  const scope = requiredScope === "" ? "" : ` (scope "${oneLine(requiredScope, 300)}")`;
  const login = server.type === "http" || server.type === "sse" ? authOf?.(server) : undefined;
  if (login?.noteMissingScope === undefined)
    return `The MCP server ${name} refused that: the credentials in its configuration do not allow it${scope}.`;
  await login.noteMissingScope(requiredScope);
  const remedy =
    "oauth" in server && server.oauth?.scopes !== undefined
      ? `oauth.scopes in its configuration says what a login asks for: change it, then run: pawl mcp login ${shellWord(name)}`
      : `a new login will ask for it: pawl mcp login ${shellWord(name)}`;
  return `The MCP server ${name} refused that: your login does not allow it${scope}; ${remedy}`;
}
