/** What guarding rules say of a call: rules that match it, and rules for which that cannot be decided. */
import type { PermissionReason } from "../../protocol/permission.ts";
import type { CallFacts } from "./call-facts.ts";
import type { Law } from "./law.ts";
import type { Rule } from "../rules/rule.ts";
import { findGuardHit, type GuardHit } from "../files/unnamed-files.ts";
import { matchCall, undecidedReason } from "./rule-match.ts";
import { firmAsk, type Ask, type Verdict } from "./verdict.ts";

export function ruleReason({ rule, source }: Rule): PermissionReason {
  return { type: "rule", rule, source };
}

export function denyByRule(call: CallFacts, law: Law): Verdict | null {
  const rule = law.deny.find((candidate) => matchCall(candidate, call) === "yes");
  if (rule === undefined) return null;
  return {
    behavior: "deny",
    reason: ruleReason(rule),
    why: `the deny rule "${rule.rule}" (${rule.source}) forbids it`,
  };
}

export function askByRule(call: CallFacts, law: Law): Ask | null {
  const rule = law.ask.find((candidate) => matchCall(candidate, call) === "yes");
  return rule === undefined ? null : firmAsk(ruleReason(rule), askRuleText(rule));
}

function askRuleText({ rule, source, isStandIn = false }: Rule): string {
  return isStandIn
    ? `something in ${source} cannot be read, and until it is fixed a person is asked ("pawl doctor" names it)`
    : `the ask rule "${rule}" (${source}) wants a person to answer`;
}

const wholeAddress = "give the whole address, such as https://example.com/page";

/** Doubts concern commands or, for rules about hosts, addresses. */
function isOfCommand({ subjects }: CallFacts): boolean {
  return subjects.some(({ kind }) => kind === "command");
}

/** If nobody is asked, whatever a deny rule may mean is refused: the rule is the only guard. */
export function denyHiddenMatch(call: CallFacts, law: Law): Verdict | null {
  for (const rule of law.deny) {
    const what = undecidedReason(rule, call);
    if (what === undefined) continue;
    const why = `it cannot be told whether the deny rule "${rule.rule}" (${rule.source}) forbids it, because ${what}, and in bypassPermissions mode nobody is asked; ${isOfCommand(call) ? "write it out in plain words" : wholeAddress}`;
    return { behavior: "deny", reason: ruleReason(rule), why };
  }
  const unnamed = findUnnamedGuardHit(call, law, law.deny, false);
  if (unnamed === undefined) return null;
  const { rule, why: what } = unnamed;
  const why = `${what}, which the deny rule "${rule.rule}" (${rule.source}) may mean, and in bypassPermissions mode nobody is asked`;
  return { behavior: "deny", reason: ruleReason(rule), why };
}

function findUnnamedGuardHit(call: CallFacts, law: Law, rules: readonly Rule[], canAsk: boolean): GuardHit | undefined {
  if (!rules.some(({ specifiers }) => specifiers.some(({ kind }) => kind === "path"))) return undefined;
  for (const subject of call.subjects) {
    const found = subject.kind === "command" ? findGuardHit(subject.unnamed(), rules, law.reader, canAsk) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Asks about files that a command reaches without naming them, or names in a way only the shell can resolve. */
export function askAboutUnnamedFiles(call: CallFacts, law: Law): Ask | null {
  const found = findUnnamedGuardHit(call, law, [...law.deny, ...law.ask], true);
  if (found === undefined) return null;
  const { rule, why: what } = found;
  const why = `${what}, and the ${rule.behavior} rule "${rule.rule}" (${rule.source}) guards files`;
  return firmAsk(ruleReason(rule), why);
}

/** Asks if it cannot be decided whether a guarding rule matches a call. */
export function askInDoubt(call: CallFacts, law: Law): Ask | null {
  // For paths it can always be decided.
  const isInDoubt = (rule: Rule): boolean =>
    rule.specifiers.some(({ kind }) => kind !== "path") && matchCall(rule, call) === "maybe";
  const rule = law.deny.find(isInDoubt) ?? law.ask.find(isInDoubt);
  if (rule === undefined) return null;
  const [what, advice] = isOfCommand(call)
    ? ["the command is not plain enough to tell", "use plain words and one command at a time"]
    : ["the address cannot be read well enough to tell", wholeAddress];
  const why = `${what} whether the rule "${rule.rule}" (${rule.source}) concerns it; ${advice}`;
  return firmAsk(ruleReason(rule), why);
}
