/** What settings say of MCP servers: which exist, which of a project's may start, and which are forbidden. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { isStringList } from "../lib/is-string-list.ts";
import type { ReportValue, SettingsOrigin } from "./source.ts";

/** One way to match servers: all its parts must match. */
export interface ServerMatcher {
  serverName?: string;
  /** Program and arguments, matched exactly. */
  serverCommand?: string[];
  /** A URL pattern in which `*` matches anything. */
  serverUrl?: string;
}

export interface LayerMcp {
  /** `mcpServers`, unchanged. */
  servers?: Json;
  enableAll?: boolean;
  enabled?: string[];
  disabled: string[];
  /** If undefined, all are allowed. */
  allowed?: ServerMatcher[];
  denied: ServerMatcher[];
}

/** `mcpServers` of one file, or the whole text of a `.mcp.json`; parsed by `src/mcp`. */
export interface ServersText {
  /** For display: a path, or the flag. */
  name: string;
  origin: SettingsOrigin;
  /** The folder the servers start in. */
  folder: string;
  content: { text: string } | { value: Json };
}

export interface SettingsMcp {
  /** Lowest first. */
  sources: ServersText[];
  enableAll?: boolean;
  enabled?: string[];
  disabled: string[];
  /** A server must match an entry of each list. */
  allowed: ServerMatcher[][];
  denied: ServerMatcher[];
}

/** `reportInvalid` is called for unfit values that would allow or add something, `fail` for those that would forbid something. */
export interface InvalidValueReport {
  reportInvalid: ReportValue;
  fail: ReportValue;
}

export function readLayerMcp(object: JsonObject, { reportInvalid, fail }: InvalidValueReport): LayerMcp | undefined {
  const mcp: LayerMcp = { disabled: [], denied: [] };
  const {
    mcpServers: servers,
    enableAllProjectMcpServers: enableAll,
    enabledMcpjsonServers: enabled,
    disabledMcpjsonServers: disabled,
    allowedMcpServers: allowed,
    deniedMcpServers: denied,
  } = object;
  if (servers !== undefined) mcp.servers = servers;
  if (typeof enableAll === "boolean") mcp.enableAll = enableAll;
  else if (enableAll !== undefined) reportInvalid("enableAllProjectMcpServers", "true or false", enableAll);
  if (isStringList(enabled)) mcp.enabled = enabled;
  else if (enabled !== undefined) reportInvalid("enabledMcpjsonServers", "a list of names", enabled);
  if (isStringList(disabled)) mcp.disabled = disabled;
  else if (disabled !== undefined) fail("disabledMcpjsonServers", "a list of names", disabled);
  const matchers = 'a list such as [{"serverName": "github"}]';
  if (isMatcherList(allowed)) mcp.allowed = allowed;
  else if (allowed !== undefined) fail("allowedMcpServers", matchers, allowed);
  if (isMatcherList(denied)) mcp.denied = denied;
  else if (denied !== undefined) fail("deniedMcpServers", matchers, denied);
  const isAnySet = [servers, enableAll, enabled, disabled, allowed, denied].some((value) => value !== undefined);
  return isAnySet ? mcp : undefined;
}

function isMatcherList(value: Json | undefined): value is (JsonObject & ServerMatcher)[] {
  return Array.isArray(value) && value.every(isMatcher);
}

function isMatcher(value: Json): boolean {
  if (!isObject(value)) return false;
  const { serverName, serverCommand, serverUrl } = value;
  const isKnown = serverName !== undefined || serverCommand !== undefined || serverUrl !== undefined;
  const isFit = (part: Json | undefined): boolean => part === undefined || typeof part === "string";
  return (
    isKnown && isFit(serverName) && isFit(serverUrl) && (serverCommand === undefined || isStringList(serverCommand))
  );
}

/** What remains without trust: only what forbids. */
export function forbiddingPart(mcp: LayerMcp | undefined): LayerMcp | undefined {
  if (mcp === undefined) return undefined;
  const { disabled, denied, allowed } = mcp;
  return { disabled, denied, ...(allowed === undefined ? {} : { allowed }) };
}

/** Merges a layer in. Lists of what is forbidden add up; a server must be allowed by every list. */
export function mergeMcp(
  merged: SettingsMcp,
  layer: LayerMcp | undefined,
  origin: SettingsOrigin,
  place: { name: string; folder: string },
): void {
  if (layer === undefined) return;
  const { servers, enableAll, enabled, disabled, allowed, denied } = layer;
  if (servers !== undefined) merged.sources.push({ ...place, origin, content: { value: servers } });
  if (enableAll !== undefined) merged.enableAll = enableAll;
  if (enabled !== undefined) merged.enabled = [...(merged.enabled ?? []), ...enabled];
  merged.disabled = [...merged.disabled, ...disabled];
  if (allowed !== undefined) merged.allowed.push(allowed);
  merged.denied = [...merged.denied, ...denied];
}

/** How many servers a `.mcp.json` or a plugin's part would start, with or without an enclosing `mcpServers`. */
export function countServers(value: unknown): number {
  if (!isObject(value)) return 0;
  const inner = value["mcpServers"];
  return Object.keys(isObject(inner) ? inner : value).length;
}
