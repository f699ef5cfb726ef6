/** Finds misspelt fields in a hook's answer: what they were meant to decide is not decided, and a guard would guard nothing. */
import { nearestName } from "../lib/edit-distance.ts";
import { isRecord } from "../lib/is-record.ts";

type Fields = Record<string, unknown>;

type IsValue = (value: unknown) => boolean;

const isText: IsValue = (value) => typeof value === "string";
const isVerdict: IsValue = (value) => isText(value) && /^(?:approve|allow|ask|block|defer|deny)$/iu.test(String(value));

/** The fields that decide or tell something, with the values that tell a misspelt one from a field of the hook's own, such as `revision`. */
const outerValues: Readonly<Record<string, IsValue>> = {
  continue: (value) => typeof value === "boolean",
  decision: isVerdict,
  hookSpecificOutput: isRecord,
  systemMessage: isText,
};
const innerValues: Readonly<Record<string, IsValue>> = {
  permissionDecision: isVerdict,
  additionalContext: isText,
  updatedInput: isRecord,
  decision: isRecord,
};

/** Describes the first field that looks like a misspelt one. A field does not misspell another that is there too. */
export function describeMisspeltField(fields: Fields): string | undefined {
  const { hookSpecificOutput: inner } = fields;
  return misspeltAmong(fields, outerValues) ?? (isRecord(inner) ? misspeltAmong(inner, innerValues) : undefined);
}

function misspeltAmong(fields: Fields, known: Readonly<Record<string, IsValue>>): string | undefined {
  const absent = Object.keys(known).filter((name) => (fields[name] ?? undefined) === undefined);
  for (const [name, value] of Object.entries(fields)) {
    const near = Object.hasOwn(known, name) ? undefined : nearestName(name, absent);
    if (near !== undefined && known[near]?.(value) === true)
      return `gave ${JSON.stringify(name)}, which has no effect: the field is called "${near}"`;
  }
  return undefined;
}
