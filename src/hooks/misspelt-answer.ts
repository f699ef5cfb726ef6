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

/** Inner fields that decide a call: at the top, a misspelt one is in the wrong place as well. */
const decidingValues: typeof innerValues = { permissionDecision: isVerdict, updatedInput: isRecord };

/**
 * Describes the first field that looks like a misspelt one. A field does not misspell another that is there too. `mayDecide`: the event has
 * a call to decide about.
 */
export function describeMisspeltField(fields: Fields, mayDecide: boolean): string | undefined {
  const { hookSpecificOutput: specific } = fields;
  const inner = isRecord(specific) ? specific : {};
  const misspelt = misspeltAmong(fields, outerValues) ?? misspeltAmong(inner, innerValues);
  if (misspelt !== undefined || !mayDecide) return misspelt;
  const misplaced = misspeltAmong(fields, decidingValues, { ...fields, ...inner });
  return misplaced === undefined ? undefined : `${misplaced} and only counts inside hookSpecificOutput`;
}

/** Whether a part of an answer gives a new input under a misspelt name. */
export function hasMisspeltInput(part: unknown): boolean {
  return isRecord(part) && misspeltAmong(part, { updatedInput: isRecord }) !== undefined;
}

function misspeltAmong(
  fields: Fields,
  known: Readonly<Record<string, IsValue>>,
  present: Fields = fields,
): string | undefined {
  const absent = Object.keys(known).filter((name) => (present[name] ?? undefined) === undefined);
  for (const [name, value] of Object.entries(fields)) {
    const near = Object.hasOwn(known, name) ? undefined : nearestName(name, absent);
    if (near !== undefined && known[near]?.(value) === true)
      return `gave ${JSON.stringify(name)}, which has no effect: the field is called "${near}"`;
  }
  return undefined;
}
