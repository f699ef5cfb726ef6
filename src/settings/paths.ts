/** Where pawl and its predecessors keep their files. Only the real environment and home directory decide, never a project's file. */
import { join, resolve } from "node:path";
import type { Environment } from "../lib/environment.ts";
import { expandHome } from "../lib/home-folder.ts";

/** `$PAWL_HOME`, or else `~/.pawl`. Absolute. */
export function pawlHome(env: Environment, home: string): string {
  return folderFrom(env["PAWL_HOME"], home, ".pawl");
}

/** The user's own MCP servers. */
export function mcpFile(pawlHome: string): string {
  return join(pawlHome, "mcp.json");
}

/** What the user has configured in the tool whose `.claude` folders are read, including MCP servers. Only read, never written. */
export function claudeJsonFile(env: Environment, home: string): string {
  const folder = env["CLAUDE_CONFIG_DIR"];
  return join(folder === undefined || folder.trim() === "" ? home : claudeHome(env, home), ".claude.json");
}

/** The credentials from logging in to MCP servers. */
export function mcpAuthFile(pawlHome: string): string {
  return join(pawlHome, "mcp-auth.json");
}

/** MCP servers known to leave a question of newer protocols unanswered. */
export function mcpSilentFile(pawlHome: string): string {
  return join(pawlHome, "mcp-silent.json");
}

/** `$CLAUDE_CONFIG_DIR`, or else `~/.claude`. Absolute. Only read, never written. */
export function claudeHome(env: Environment, home: string): string {
  return folderFrom(env["CLAUDE_CONFIG_DIR"], home, ".claude");
}

function folderFrom(value: string | undefined, home: string, name: string): string {
  return value === undefined || value.trim() === "" ? join(home, name) : resolve(expandHome(value, home));
}
