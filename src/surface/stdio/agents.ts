/** Agent types that `initialize` or `--agents` defines, checked field by field: an agent's limits are not guessed. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { withoutNulls } from "../../lib/without-nulls.ts";
import type { AgentDefinition } from "../../protocol/agent.ts";
import { efforts } from "../../protocol/effort.ts";
import { isPermissionMode } from "../../protocol/permission.ts";
import type { WireObject } from "./frame.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";

export interface ClientAgents {
  agents: Record<string, AgentDefinition>;
  /** Lines for the debug file: fields that were accepted and have no effect here. */
  remarks: string[];
}

const knownFields = new Set(
  "background description disallowedTools effort hooks initialPrompt isolation maxTurns mcpServers memory model omitClaudeMd permissionMode prompt skills tools".split(
    " ",
  ),
);

/** Throws an `Error` whose text goes to the client; `from` says in it where the definitions come from. */
export function readAgents(value: unknown, from = "initialize: agents"): ClientAgents {
  if (value === undefined || value === null) return { agents: {}, remarks: [] };
  if (!isRecord(value)) throw new Error(`${from} must be an object of definitions by name`);
  const agents: [name: string, definition: AgentDefinition][] = [];
  const remarks: string[] = [];
  for (const [name, definition] of Object.entries(value)) {
    const fields = isRecord(definition) ? withoutNulls(definition) : definition;
    agents.push([name, parseDefinition(fields, `${from}.${name.slice(0, 80)}`)]);
    const unknownFields = Object.keys(fields as WireObject).filter((key) => !knownFields.has(key));
    for (const key of unknownFields) remarks.push(`${from}.${name}: ${key} was accepted and has no effect`);
  }
  // Assigned by its name, an agent called `__proto__` would be lost.
  return { agents: Object.fromEntries(agents), remarks };
}

function parseDefinition(fields: unknown, at: string): AgentDefinition {
  if (!isRecord(fields)) throw new Error(`${at} is not an agent definition`);
  const { description, prompt, model, effort, maxTurns, background, omitClaudeMd, hooks } = fields;
  const permissionMode = fields["permissionMode"] === "manual" ? "default" : fields["permissionMode"];
  if (typeof description !== "string" || typeof prompt !== "string")
    throw new Error(`${at} needs a description and a prompt, both strings`);
  if (permissionMode !== undefined && !isPermissionMode(permissionMode))
    throw new Error(`${at} has an unknown permissionMode`);
  if (maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && (maxTurns as number) > 0))
    throw new Error(`${at} has a maxTurns that is not a whole number of 1 or more`);
  const level = efforts.find((each) => each === effort);
  return {
    description,
    prompt,
    ...parseNames(fields, "tools", at),
    ...parseNames(fields, "disallowedTools", at),
    ...parseNames(fields, "skills", at),
    ...(typeof model === "string" ? { model } : {}),
    ...withoutUndefined({ effort: level, permissionMode }),
    ...(maxTurns === undefined ? {} : { maxTurns: maxTurns as number }),
    ...(background === true ? { background } : {}),
    ...(omitClaudeMd === true ? { bare: true } : {}),
    // An invalid hook keeps the agent from starting, as it does for agents from files.
    ...(hooks === undefined ? {} : { hooks }),
    ...parseInitialPrompt(fields, at),
    ...parseResources(fields, at),
  };
}

function parseInitialPrompt({ initialPrompt }: WireObject, at: string): Partial<AgentDefinition> {
  if (initialPrompt === undefined) return {};
  if (typeof initialPrompt === "string") return { initialPrompt };
  throw new Error(`${at} has an initialPrompt that is not a string`);
}

/** Reads where the agent works, which memory it keeps, and which servers it has. */
function parseResources({ isolation, memory, mcpServers = [] }: WireObject, at: string): Partial<AgentDefinition> {
  if (isolation !== undefined && isolation !== "worktree") throw new Error(`${at} has an unknown isolation`);
  const scope = (["user", "project", "local"] as const).find((each) => each === memory);
  if (memory !== undefined && scope === undefined) throw new Error(`${at} has an unknown memory`);
  const isServer = (each: unknown): each is string | WireObject => typeof each === "string" || isRecord(each);
  if (!Array.isArray(mcpServers) || !mcpServers.every(isServer))
    throw new Error(`${at} has mcpServers that are not a list of server names and of objects of servers by name`);
  return {
    ...withoutUndefined({ isolation, memory: scope }),
    ...(mcpServers.length === 0 ? {} : { mcpServers }),
  };
}

function parseNames<K extends string>(fields: WireObject, key: K, at: string): { [P in K]?: string[] } {
  const value = fields[key];
  if (value === undefined) return {};
  if (isStringList(value)) return { [key]: value } as { [P in K]: string[] };
  throw new Error(`${at} has ${key} that are not a list of names`);
}
