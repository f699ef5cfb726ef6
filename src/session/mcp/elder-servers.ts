/** Reads MCP servers from the config file of the tool whose `.claude` folders pawl reads, for every folder and for one. Read-only. */
import { brokenLink, isBrokenLink } from "../../lib/disk-look.ts";
import { errorText } from "../../lib/error-text.ts";
import { serversFor } from "../../lib/by-folder.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readRegularFile } from "../../lib/regular-file.ts";

/** The file holds much else, including histories. */
const maxBytes = 32 * 1024 * 1024;

export interface ElderServers {
  servers: Record<string, unknown>;
  local: Record<string, unknown>;
}

/** Returns the reason, as a clause, if the file cannot be read, and undefined if it names no servers, as most do. */
export function elderServers(file: string, cwd: string): ElderServers | string | undefined {
  const read = readRegularFile(file, maxBytes);
  if (!read.ok) return read.code === "ENOENT" && isBrokenLink(file) ? brokenLink : read.why;
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch (error) {
    return errorText(error);
  }
  if (!isRecord(value)) return "it should hold one JSON object";
  const servers = isRecord(value["mcpServers"]) ? value["mcpServers"] : {};
  const local = serversFor(value["projects"], cwd);
  return Object.keys(servers).length + Object.keys(local).length === 0 ? undefined : { servers, local };
}
