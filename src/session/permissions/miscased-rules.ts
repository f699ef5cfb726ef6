/** Allow rules for a whole tool that allow nothing, because the tool's name is written in another case. */
import type { SourcedRule } from "../../permissions/rules/rule.ts";
import { findToolIgnoringCase } from "../../permissions/rules/tool-names.ts";

/** Returns a sentence for each. `isTool`: whether the session has a tool of exactly this name, as a host's own may have. */
export function miscasedRuleTexts(
  allow: readonly SourcedRule[],
  isTool: (name: string) => boolean = () => false,
): string[] {
  return allow.flatMap(({ rule, source }) => {
    const name = rule.trim().replace(/\(\s*\*\s*\)$/u, "");
    const rightName = findToolIgnoringCase(name);
    if (rightName === undefined || rightName === name || isTool(name)) return [];
    return [`The allow rule ${JSON.stringify(rule)} (${source}): the tool is called ${rightName}.`];
  });
}
