/** `initialize`: reads the session options that the client sends, and builds the response. */
import type { DrivenEngine } from "../engine-port.ts";
import { resolve } from "node:path";
import { initializationOf } from "../../session/query/initialization.ts";
import { joinPromptBlocks } from "../../session/convention/system-prompt.ts";
import type { EngineOptions } from "../../session/options/options.ts";
import { readAgents } from "./agents.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { WireObject } from "./frame.ts";
import { readHooks } from "./hooks.ts";
import { clientMcpServers } from "./mcp-servers.ts";
import { titleOf } from "../../session/options/title.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";

export interface RequestedOptions {
  options: Partial<EngineOptions>;
  /** Lines for the debug file: fields that were accepted and have no effect here. */
  remarks: string[];
  /** The session's title. */
  title?: string;
}

/** Fields of the convention without an effect: what they would change does not exist here, or is always so. */
export const fieldsWithoutEffect = [
  "systemPromptSnapshot",
  "agentProgressSummaries",
  "supportedDialogKinds",
  "perTaskStopAffordance",
];

/** The shapes of fields whose malformed value would otherwise be ignored silently. */
const fieldShapes: readonly (readonly [name: string, what: string, isOne: (value: unknown) => boolean])[] = [
  ["jsonSchema", "an object", isRecord],
  ["systemPrompt", "a string or a list of strings", (value) => typeof value === "string" || isStringList(value)],
  ["appendSystemPrompt", "a string", (value) => typeof value === "string"],
  ["planModeInstructions", "a string", (value) => typeof value === "string"],
  ["sdkMcpServers", "a list of names", isStringList],
  ["mcpServers", "an object of servers by name", (value) => isRecord(value) && Object.values(value).every(isRecord)],
  ["plugins", "a list", Array.isArray],
];

function checkShapes(fields: WireObject): void {
  for (const [name, what, matches] of fieldShapes) {
    const { [name]: value } = fields;
    if (value !== undefined && value !== null && !matches(value))
      throw new Error(`initialize: ${name} must be ${what}`);
  }
}

/** Throws an `Error` whose text goes to the client. */
export function readInitialize(fields: WireObject, requests: ClientRequests): RequestedOptions {
  checkShapes(fields);
  const { hooks, unknown } = readHooks(fields["hooks"], requests);
  const remarks = unknown.map((event) => `initialize: hooks of the event ${event} never run here`);
  for (const name of fieldsWithoutEffect)
    if (isSet(fields[name])) remarks.push(`initialize: ${name} was accepted and has no effect`);
  const { agents, remarks: agentRemarks } = readAgents(fields["agents"]);
  remarks.push(...agentRemarks);
  const { toolAliases, toolConfig, plugins, skills } = fields;
  const pluginDirs = pluginFolders(plugins, false);
  const dirsWithoutServers = pluginFolders(plugins, true);
  const mcpServers = clientMcpServers(fields, requests);
  const systemPrompt = joinPromptBlocks(fields["systemPrompt"]);
  const { appendSystemPrompt, planModeInstructions, title, jsonSchema } = fields;
  return {
    remarks,
    ...(typeof title === "string" && title !== "" ? { title: titleOf(title) } : {}),
    options: {
      ...(Object.keys(hooks).length === 0 ? {} : { hooks }),
      ...(Object.keys(mcpServers).length === 0 ? {} : { mcpServers }),
      ...(fields["promptSuggestions"] === true ? { promptSuggestions: true } : {}),
      ...(Object.keys(agents).length === 0 ? {} : { agents }),
      ...(fields["forwardSubagentText"] === true ? { forwardSubagentText: true } : {}),
      ...(fields["excludeDynamicSections"] === true ? { excludeDynamicSections: true } : {}),
      // The session checks the shape of these fields.
      ...(isSet(toolAliases) ? { toolAliases: toolAliases as Record<string, string> } : {}),
      ...(isSet(skills) ? { skills: skills as string[] } : {}),
      ...(pluginDirs.length === 0 ? {} : { pluginDirs }),
      ...(dirsWithoutServers.length === 0 ? {} : { pluginDirsWithoutServers: dirsWithoutServers }),
      ...(isSet(toolConfig) ? { toolConfig: toolConfig as NonNullable<EngineOptions["toolConfig"]> } : {}),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(typeof appendSystemPrompt === "string" ? { appendSystemPrompt } : {}),
      ...(typeof planModeInstructions === "string" ? { planModeInstructions } : {}),
      ...(isRecord(jsonSchema) ? { outputFormat: { type: "json_schema" as const, schema: jsonSchema } } : {}),
    },
  };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** Returns the folders of local plugins, the only supported kind. `withoutServers` selects those that are to bring no servers. */
function pluginFolders(plugins: unknown, withoutServers: boolean): string[] {
  if (!Array.isArray(plugins)) return [];
  return plugins.flatMap((plugin: unknown) => {
    if (isRecord(plugin) && plugin["type"] === "local" && typeof plugin["path"] === "string")
      return (plugin["skipMcpDiscovery"] === true) === withoutServers ? [resolve(plugin["path"])] : [];
    throw new Error('initialize: a plugin must be a folder, as { type: "local", path }');
  });
}

export function initializeResponse(
  engine: DrivenEngine,
  requests: ClientRequests,
  { version, styles }: { version: string; styles: string[] },
): WireObject {
  const elicitations = requests.openRequests("elicitation");
  return {
    ...initializationOf(engine, styles),
    hooks_applied: true,
    hook_on_failure_supported: true,
    mcp_servers_applied: true,
    plugins_applied: true,
    claude_code_version: version,
    pawl_version: version,
    pending_permission_requests: requests.openRequests("can_use_tool"),
    pending_user_dialog_requests: [],
    ...(elicitations.length === 0 ? {} : { pending_elicitation_requests: elicitations }),
  };
}
