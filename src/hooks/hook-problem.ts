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

/** Fields that people add for themselves. Some resemble known names. */
const noteField = /^(?:comments?|description|id|name|notes?|title|(?:\/\/|[_#$]).*)$/u;

/**
 * Reports misspelt fields, since ignoring one may disable a guard. If the field that was meant is there as well, the hook runs as that one
 * says, so the report is only advice.
 */
export function reportMisspeltFields(
  written: Record<string, unknown>,
  place: string,
  known: readonly string[],
  complain: ReportProblem,
): void {
  const absent = known.filter((each) => !Object.hasOwn(written, each));
  for (const name of Object.keys(written).filter((each) => !known.includes(each) && !noteField.test(each))) {
    const near = nearestName(name, absent);
    if (near !== undefined) {
      complain(`${place}.${name} is ignored: the field is called "${near}"`);
      continue;
    }
    const other = nearestName(name, known);
    if (other !== undefined)
      complain(`${place}.${name} is ignored: only "${other}", which is there too, counts`, "advice");
  }
}
