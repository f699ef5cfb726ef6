/** Reads MCP servers from the config file of the tool whose `.claude` folders pawl reads, for every folder and for one. Read-only. */
import { brokenLinkReason, isBrokenLink } from "../../lib/path-status.ts";
import { errorText } from "../../lib/error-text.ts";
import { mcpServersForFolder } from "../../lib/servers-for-folder.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readRegularFile } from "../../lib/regular-file.ts";

/** The file holds much else, including histories. */
const maxBytes = 32 * 1024 * 1024;

export interface ClaudeJsonServers {
  servers: Record<string, unknown>;
  local: Record<string, unknown>;
}

/** Returns the reason, as a clause, if the file cannot be read, and undefined if it names no servers, as most do. */
export function readClaudeJsonServers(file: string, cwd: string): ClaudeJsonServers | string | undefined {
  const read = readRegularFile(file, maxBytes);
  if (!read.ok) return read.code === "ENOENT" && isBrokenLink(file) ? brokenLinkReason : read.why;
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch (error) {
    return errorText(error);
  }
  if (!isRecord(value)) return "it should hold one JSON object";
  const servers = isRecord(value["mcpServers"]) ? value["mcpServers"] : {};
  const local = mcpServersForFolder(value["projects"], cwd);
  return Object.keys(servers).length + Object.keys(local).length === 0 ? undefined : { servers, local };
}
