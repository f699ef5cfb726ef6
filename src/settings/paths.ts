/** Where pawl and its elders keep their files. Only the real environment and the real home decide, never a file of a project. */
import { join, resolve } from "node:path";
import { withHome } from "../lib/home-folder.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `$PAWL_HOME`, else `~/.pawl`. Absolute. */
export function pawlHome(env: Environment, home: string): string {
  return folderFrom(env["PAWL_HOME"], home, ".pawl");
}

/** The user's own MCP servers. */
export function mcpFile(pawlHome: string): string {
  return join(pawlHome, "mcp.json");
}

/** What a person has told the tool whose `.claude` folders are read: servers among it. Read, never written. */
export function claudeJsonFile(env: Environment, home: string): string {
  const folder = env["CLAUDE_CONFIG_DIR"];
  return join(folder === undefined || folder.trim() === "" ? home : claudeHome(env, home), ".claude.json");
}

/** What logging in to MCP servers left. */
export function mcpAuthFile(pawlHome: string): string {
  return join(pawlHome, "mcp-auth.json");
}

/** MCP servers that say nothing at a question which newer ones answer. */
export function mcpSilentFile(pawlHome: string): string {
  return join(pawlHome, "mcp-silent.json");
}

/** `$CLAUDE_CONFIG_DIR`, else `~/.claude`. Absolute. Read, never written. */
export function claudeHome(env: Environment, home: string): string {
  return folderFrom(env["CLAUDE_CONFIG_DIR"], home, ".claude");
}

function folderFrom(value: string | undefined, home: string, name: string): string {
  return value === undefined || value.trim() === "" ? join(home, name) : resolve(withHome(value, home));
}
