/** Applies the rules for web addresses to hosts that confined commands want to reach. */
import type { CallFacts } from "../judging/call-facts.ts";
import { ruleCovers, matchCall } from "../judging/rule-match.ts";
import type { RulesInForce } from "../permission-options.ts";
import type { Rule, RuleBehavior } from "../rules/rule.ts";

/** Only considers rules for `WebFetch` itself: a rule for every tool was meant for what tools do, not for what commands reach. */
export function hostRuleBehavior(host: string, rules: RulesInForce): RuleBehavior | "none" {
  const call: CallFacts = {
    tool: "WebFetch",
    input: { url: `https://${host}/` },
    isReadOnly: true,
    cwd: "/",
    listsFolders: false,
    subjects: [{ kind: "tool" }],
  };
  const hostRules = (behavior: RuleBehavior): Rule[] => rules[behavior].filter(namesHosts);
  if (rules.deny.some((rule) => matchCall(rule, call) !== "no")) return "deny";
  if (hostRules("ask").some((rule) => matchCall(rule, call) !== "no")) return "ask";
  return hostRules("allow").some((rule) => ruleCovers(rule, { kind: "tool" }, call)) ? "allow" : "none";
}

/** Whether an allow rule opens some host. */
export function allowsSomeHost({ allow }: RulesInForce): boolean {
  return allow.some(namesHosts);
}

function namesHosts({ specifiers }: Rule): boolean {
  return specifiers.some(({ kind }) => kind === "domain");
}
