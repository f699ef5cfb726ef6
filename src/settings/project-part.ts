/**
 * What a project's files may set. Untrusted, they can only forbid; trusted, they can do what a user's files can, except for what would hand
 * over control: where requests go, which helper provides the key, and modes in which nobody is asked.
 */
import type { Layer } from "./layer.ts";
import { countKnowledge, emptyKnowledge } from "./knowledge-keys.ts";
import { projectSandbox, sandboxKeysNeedingTrust } from "./sandbox.ts";
import { isRecord } from "../lib/is-record.ts";
import { filterEntries, isObject, newObject } from "../lib/json.ts";
import { commandKeys, keyRules } from "./keys.ts";
import { forbiddingPart } from "./mcp.ts";
import { isSteeringVariable } from "./steering-variables.ts";

/** Keys that even a trusted project cannot set: they protect the user's money, keys and records. */
const userOnlyKeys = new Set([
  "apiKeyHelper",
  "otelHeadersHelper",
  "cleanupPeriodDays",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
]);
/** What an MCP server is called among what needs trust. */
export const serverWant = "MCP server";

/** What of the layers and of `servers` MCP servers beside them needs trust, in words; empty if they only forbid or say nothing. */
export function trustWants(layers: readonly Layer[], servers = 0): string[] {
  const modes = new Set<string>();
  const numbers = new Map<string, number>();
  const add = (number: number, what: string): void => void numbers.set(what, (numbers.get(what) ?? 0) + number);
  for (const layer of layers) {
    addParts(layer, add);
    if (layer.permissions.defaultMode !== undefined) modes.add(`the permission mode ${layer.permissions.defaultMode}`);
  }
  add(servers, serverWant);
  const counted = Array.from(numbers, ([what, number]) => (number === 1 ? `1 ${what}` : `${number} ${what}s`));
  return [...counted.filter((each) => !each.startsWith("0 ")), ...modes];
}

function addParts(layer: Layer, add: (number: number, what: string) => void): void {
  const { values, env, permissions, models, aliases, hooks, projectInstructions, mcp } = layer;
  add(hooks === undefined ? 0 : countHooks(hooks), "hook");
  // In settings, each name is a server, even "mcpServers": there is no enclosing key as in a `.mcp.json`.
  add(isObject(mcp?.servers) ? Object.keys(mcp.servers).length : 0, serverWant);
  add(values["statusLine"] === undefined ? 0 : 1, "status line");
  add(values["fileSuggestion"] === undefined ? 0 : 1, "file suggestion");
  add(permissions.allow.length, "allow rule");
  add(permissions.additionalDirectories.length, "further folder");
  add(Object.keys(env).length, "environment variable");
  add(sandboxKeysNeedingTrust(layer.sandbox).length, "sandbox setting");
  add(permissions.blockReadsExemptPaths.length, "exempt path");
  const keys = [
    ...Object.keys(values).filter((key) => !isGuardingKey(key) && !isCommandKey(key)),
    ...[models, aliases].flatMap((each) => Object.keys(each)),
  ];
  const approvals = [mcp?.enableAll, mcp?.enabled].filter((each) => each !== undefined).length;
  const others = keys.length + approvals + (projectInstructions === undefined ? 0 : 1);
  add(others + countKnowledge(layer.knowledge), "other setting");
}

/** The number of hooks. A value that is not a list counts as one hook, so that a user who trusts the folder is told of it. */
function countHooks(hooks: unknown): number {
  if (!isRecord(hooks)) return 1;
  const groups = Object.values(hooks).flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [list]));
  return groups.reduce<number>((sum, group) => {
    const { hooks: listed, matcher = "" } = isRecord(group) ? group : {};
    return sum + (Array.isArray(listed) && typeof matcher === "string" ? listed.length : 1);
  }, 0);
}

function isGuardingKey(key: string): boolean {
  return keyRules[key as keyof typeof keyRules].guards === true;
}

function isCommandKey(key: string): boolean {
  return commandKeys.some((name) => name === key);
}

export interface ProjectPart {
  layer: Layer;
  /** Keys that the project sets although no project may. */
  refusedKeys: string[];
}

export function admissiblePart(layer: Layer, isTrusted: boolean): ProjectPart {
  if (!isTrusted) {
    const permissions = { ...layer.permissions, allow: [], additionalDirectories: [], blockReadsExemptPaths: [] };
    delete permissions.defaultMode;
    const bare: Layer = {
      object: layer.object,
      values: filterEntries(layer.values, isGuardingKey),
      env: Object.create(null) as Record<string, string>,
      permissions,
      models: newObject(),
      aliases: newObject(),
      rejected: [],
      knowledge: emptyKnowledge(),
      sandbox: projectSandbox(layer.sandbox, false).values,
      problems: layer.problems,
    };
    const mcp = forbiddingPart(layer.mcp);
    if (mcp !== undefined) bare.mcp = mcp;
    return { layer: bare, refusedKeys: [] };
  }
  const values = filterEntries(layer.values, (key) => !userOnlyKeys.has(key));
  const refusedKeys = Object.keys(layer.values).filter((key) => userOnlyKeys.has(key));
  const env = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(layer.env)) {
    if (isSteeringVariable(name)) refusedKeys.push(`env.${name}`);
    else env[name] = value;
  }
  const permissions = { ...layer.permissions };
  if (permissions.defaultMode === "bypassPermissions" || permissions.defaultMode === "auto") {
    delete permissions.defaultMode;
    refusedKeys.push("permissions.defaultMode");
  }
  const sandbox = projectSandbox(layer.sandbox, true);
  refusedKeys.push(...sandbox.refusedKeys);
  return { layer: { ...layer, values, env, permissions, sandbox: sandbox.values }, refusedKeys };
}
