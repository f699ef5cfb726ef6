/** Allow rules for a whole tool that allow nothing, because the tool's name is written in another case, or with underscores. */
import type { SourcedRule } from "./rule.ts";
import { findToolIgnoringCase, knownTools } from "./tool-names.ts";

/** Programs have these names, too: `ls` in a rule is more likely a command. */
const namesOfPrograms: ReadonlySet<string> = new Set(["Cd", "LS"]);

/**
 * Returns a sentence for each. `isTool`: whether the session has a tool of exactly this name, which may be one of the host's. A name is not
 * corrected to that of a tool which the session lacks.
 */
export function miscasedRuleTexts(
  allow: readonly SourcedRule[],
  isTool: (name: string) => boolean = (name) => knownTools.has(name) && !namesOfPrograms.has(name),
): string[] {
  return allow.flatMap(({ rule, source }) => {
    const name = rule.trim().replace(/\(\s*\*\s*\)$/u, "");
    const rightName = findToolIgnoringCase(name.replaceAll("_", ""));
    if (rightName === undefined || rightName === name || isTool(name) || !isTool(rightName)) return [];
    return [`The allow rule ${JSON.stringify(rule)} (${source}): the tool is called ${rightName}.`];
  });
}
