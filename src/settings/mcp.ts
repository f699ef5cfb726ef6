/** What settings say of MCP servers: which there are, which of a project's may start, and which must not be there at all. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { SettingsOrigin } from "./source.ts";

/** One way to mean servers: all its parts must fit. */
export interface ServerMatcher {
  serverName?: string;
  /** Program and arguments, exactly. */
  serverCommand?: string[];
  /** An address in which `*` stands for anything. */
  serverUrl?: string;
}

export interface LayerMcp {
  /** `mcpServers`, as it stands there. */
  servers?: Json;
  enableAll?: boolean;
  enabled?: string[];
  disabled: string[];
  /** Undefined: all. */
  allowed?: ServerMatcher[];
  denied: ServerMatcher[];
}

/** `mcpServers` of one file, or the whole text of a `.mcp.json`: the mcp room reads it. */
export interface ServersText {
  /** For people: a path, or the flag. */
  name: string;
  origin: SettingsOrigin;
  /** Where the servers start. */
  folder: string;
  content: { text: string } | { value: Json };
}

export interface SettingsMcp {
  /** Lowest first. */
  sources: ServersText[];
  enableAll?: boolean;
  enabled?: string[];
  disabled: string[];
  /** A server must fit one of each list. */
  allowed: ServerMatcher[][];
  denied: ServerMatcher[];
}

/** `wrong` is told of what was to allow or to add, `fail` of what was to forbid and cannot be understood. */
export interface Complaints {
  wrong: (key: string, expected: string, value: Json) => void;
  fail: (key: string, expected: string, value: Json) => void;
}

export function readLayerMcp(object: JsonObject, { wrong, fail }: Complaints): LayerMcp | undefined {
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
  else if (enableAll !== undefined) wrong("enableAllProjectMcpServers", "true or false", enableAll);
  if (isTexts(enabled)) mcp.enabled = enabled;
  else if (enabled !== undefined) wrong("enabledMcpjsonServers", "a list of names", enabled);
  if (isTexts(disabled)) mcp.disabled = disabled;
  else if (disabled !== undefined) fail("disabledMcpjsonServers", "a list of names", disabled);
  const matchers = 'a list such as [{"serverName": "github"}]';
  if (isMatchers(allowed)) mcp.allowed = allowed;
  else if (allowed !== undefined) fail("allowedMcpServers", matchers, allowed);
  if (isMatchers(denied)) mcp.denied = denied;
  else if (denied !== undefined) fail("deniedMcpServers", matchers, denied);
  const says = [servers, enableAll, enabled, disabled, allowed, denied].some((value) => value !== undefined);
  return says ? mcp : undefined;
}

function isTexts(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isMatchers(value: Json | undefined): value is (JsonObject & ServerMatcher)[] {
  return Array.isArray(value) && value.every(isMatcher);
}

function isMatcher(value: Json): boolean {
  if (!isObject(value)) return false;
  const { serverName, serverCommand, serverUrl } = value;
  const isKnown = serverName !== undefined || serverCommand !== undefined || serverUrl !== undefined;
  const isFit = (part: Json | undefined): boolean => part === undefined || typeof part === "string";
  return isKnown && isFit(serverName) && isFit(serverUrl) && (serverCommand === undefined || isTexts(serverCommand));
}

/** Without trust a project only forbids. */
export function forbidding(mcp: LayerMcp | undefined): LayerMcp | undefined {
  if (mcp === undefined) return undefined;
  const { disabled, denied, allowed } = mcp;
  return { disabled, denied, ...(allowed === undefined ? {} : { allowed }) };
}

/** Lists of what is forbidden add up; what is allowed must be allowed by each. */
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

/** How many servers a `.mcp.json` or a plugin's part would start, with or without `mcpServers` around them. */
export function countServers(value: unknown): number {
  if (!isObject(value)) return 0;
  const inner = value["mcpServers"];
  return Object.keys(isObject(inner) ? inner : value).length;
}
