/** Checks of agent types: a wrong field would otherwise surface when the agent starts, inside it. */
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { isPermissionMode, permissionModes } from "../../protocol/permission.ts";
import { refuseIf } from "./check-arguments.ts";

/** Throws `UsageError` for a definition with a mistake. */
export function checkAgents(agents: object): void {
  for (const [name, definition] of Object.entries(agents)) checkAgent(`agents.${name}`, definition);
}

function checkAgent(name: string, definition: unknown): void {
  if (!isRecord(definition)) throw new UsageError(`${name} must be an object with a description and a prompt.`);
  const { description, prompt, tools, disallowedTools } = definition;
  refuseIf(
    typeof description !== "string" || typeof prompt !== "string",
    `${name} must have a description and a prompt, both strings.`,
  );
  refuseIf(!isOptionalTexts(tools) || !isOptionalTexts(disallowedTools), `${name}: its tools must be a list of names.`);
  checkRestrictions(name, definition);
  checkAgentFields(name, definition);
}

const agentFields: Readonly<Record<string, [isFit: (value: unknown) => boolean, kind: string]>> = {
  model: [isText, "a string"],
  initialPrompt: [isText, "a string"],
  background: [isBoolean, "true or false"],
  bare: [isBoolean, "true or false"],
  memory: [(value) => ["user", "project", "local"].includes(value as string), "user, project or local"],
  skills: [isStringList, "a list of names"],
  mcpServers: [
    (value) => Array.isArray(value) && value.every((server) => isText(server) || isRecord(server)),
    "a list of names, or of servers by name",
  ],
};

/** Checks fields that are otherwise read only when the agent starts, where an error would surface inside it. Null means absent. */
function checkAgentFields(name: string, definition: Record<string, unknown>): void {
  for (const [field, [isFit, kind]] of Object.entries(agentFields)) {
    const value = definition[field] ?? undefined;
    refuseIf(value !== undefined && !isFit(value), `${name}: "${field}" must be ${kind}.`);
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function checkRestrictions(name: string, { permissionMode, isolation, maxTurns }: Record<string, unknown>): void {
  refuseIf(
    !isPermissionMode(permissionMode ?? "default"),
    `${name}: "permissionMode" must be one of ${permissionModes.join(", ")}.`,
  );
  refuseIf((isolation ?? "worktree") !== "worktree", `${name}: "isolation" must be worktree, or left out.`);
  refuseIf(
    !(Number.isSafeInteger(maxTurns ?? 1) && Number(maxTurns ?? 1) > 0),
    `${name}: "maxTurns" must be a whole number of at least 1.`,
  );
}

function isOptionalTexts(value: unknown): boolean {
  return value === undefined || isStringList(value);
}
