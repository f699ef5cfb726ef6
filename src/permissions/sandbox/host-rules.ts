/** Hosts that confined commands want to reach, by the rules for web addresses. */
import type { CallFacts } from "../judging/call-facts.ts";
import { covers, findsCall } from "../judging/rule-match.ts";
import type { RulesInForce } from "../permission-options.ts";
import type { Rule, RuleBehavior } from "../rules/rule.ts";

/** Only rules for `WebFetch` itself: one for every tool was given for what tools do, not for what commands reach. */
export function ruleOfHost(host: string, rules: RulesInForce): RuleBehavior | "none" {
  const call: CallFacts = {
    tool: "WebFetch",
    input: { url: `https://${host}/` },
    isReadOnly: true,
    cwd: "/",
    listsFolders: false,
    subjects: [{ kind: "tool" }],
  };
  const named = (behavior: RuleBehavior): Rule[] => rules[behavior].filter(namesHosts);
  if (rules.deny.some((rule) => findsCall(rule, call) !== "no")) return "deny";
  if (named("ask").some((rule) => findsCall(rule, call) !== "no")) return "ask";
  return named("allow").some((rule) => covers(rule, { kind: "tool" }, call)) ? "allow" : "none";
}

/** A rule of this kind is there that opens some host. */
export function opensHosts({ allow }: RulesInForce): boolean {
  return allow.some(namesHosts);
}

function namesHosts({ specifiers }: Rule): boolean {
  return specifiers.some(({ kind }) => kind === "domain");
}
