/** Finds misspelt fields in a hook's answer: what they were meant to decide is not decided, and a guard would guard nothing. */
import { nearestName } from "../lib/edit-distance.ts";
import { isRecord } from "../lib/is-record.ts";

type Fields = Record<string, unknown>;

/** The fields that decide or tell something, with the type that tells a misspelt one from a field of the hook's own. */
const outerTypes = {
  continue: "boolean",
  decision: "string",
  hookSpecificOutput: "object",
  systemMessage: "string",
} as const;
const innerTypes = {
  permissionDecision: "string",
  additionalContext: "string",
  updatedInput: "object",
  decision: "object",
} as const;

/** Describes the first field that looks like a misspelt one. A field does not misspell another that is there too. */
export function describeMisspeltField(fields: Fields): string | undefined {
  const { hookSpecificOutput: inner } = fields;
  return misspeltAmong(fields, outerTypes) ?? (isRecord(inner) ? misspeltAmong(inner, innerTypes) : undefined);
}

function misspeltAmong(fields: Fields, types: Readonly<Record<string, string>>): string | undefined {
  const absent = Object.keys(types).filter((name) => (fields[name] ?? undefined) === undefined);
  for (const [name, value] of Object.entries(fields)) {
    const near = Object.hasOwn(types, name) ? undefined : nearestName(name, absent);
    if (near !== undefined && value !== null && typeof value === types[near])
      return `gave ${JSON.stringify(name)}, which has no effect: the field is called "${near}"`;
  }
  return undefined;
}
