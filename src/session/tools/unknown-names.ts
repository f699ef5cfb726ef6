/** Sentences for the model about a tool or field it asked for that does not exist. */
import { nearestName } from "../../lib/edit-distance.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { ToolDefinition, ToolInput, ToolInputSchema } from "../../protocol/tool.ts";

/** The most fields reported in one sentence. */
const maxFields = 8;

/** Returns the fields of an input that its schema does not know. */
export function unknownFields({ properties }: ToolInputSchema, input: ToolInput): string[] {
  if (!isRecord(properties) || !isRecord(input)) return [];
  return Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, maxFields);
}

const maxNamedTools = 40;

/** Tools that models know from elsewhere; their names resemble none of the tools here. */
const outputTools: ReadonlySet<string> = new Set(["BashOutput", "TaskOutput", "AgentOutput"]);

/** Names the existing tools, or the one that was probably meant. */
export function existingToolsText(name: string, tools: readonly ToolDefinition[]): string {
  const names = tools.map((tool) => tool.name);
  if (outputTools.has(name) && names.includes("Read"))
    return "A background command writes to a file: Read the file named when it started. When an agent ends, you are told what it said.";
  if (names.length === 0) return "There are no tools here.";
  const near = nearestName(name, names);
  if (near !== undefined) return `Did you mean ${near}?`;
  const more = names.length > maxNamedTools ? ` and ${names.length - maxNamedTools} more` : "";
  return `The tools are ${names.slice(0, maxNamedTools).join(", ")}${more}.`;
}

export function unknownFieldsText(fields: readonly string[]): string {
  return fields.map((field) => ` There is no ${JSON.stringify(field.slice(0, 80))}.`).join("");
}
