/** Problems with configured hooks, and how misspelt fields of their objects are found. */
import { nearestName } from "../lib/edit-distance.ts";

export interface HookProblem {
  /** `error`: a guard cannot be installed. */
  level: "error" | "notice";
  text: string;
  /** The hook is valid and does run; the text is only advice. */
  isAdvice?: true;
}

export type ReportProblem = (text: string, level?: HookProblem["level"] | "advice") => void;

/** Fields people add for themselves, although they resemble known names. */
const commentFields = new Set(["comment", "id"]);

/** Reports misspelt fields, since ignoring one may disable a guard. A field does not misspell a known field that is also present. */
export function reportMisspeltFields(
  written: Record<string, unknown>,
  place: string,
  known: readonly string[],
  complain: ReportProblem,
): void {
  const absent = known.filter((each) => !Object.hasOwn(written, each));
  for (const name of Object.keys(written).filter((each) => !known.includes(each) && !commentFields.has(each))) {
    const near = nearestName(name, absent);
    if (near !== undefined) complain(`${place}.${name} is ignored: the field is called "${near}"`);
  }
}
