/** Hosts that confined commands want to reach, by the rules for web addresses. */
import type { PermissionRequest } from "../protocol/permission.ts";
import type { SandboxInput } from "../protocol/sandbox.ts";
import type { CallFacts } from "./judging/call-facts.ts";
import type { HostQuestion, RulesInForce } from "./permission-options.ts";
import { canonicalTool, type Rule, type RuleBehavior } from "./rules/rule.ts";
import { covers, findsCall } from "./judging/rule-match.ts";
import { networkQuestion } from "./judging/suggest.ts";
import { allowingFlags, type Ask } from "./judging/verdict.ts";

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

/** What a sandbox is asked about; undefined of a call that runs no command. */
export function sandboxInput({ toolName, subjects, input }: PermissionRequest): SandboxInput | undefined {
  const command = subjects.find((subject) => subject.kind === "command")?.command;
  if (command === undefined || canonicalTool(toolName) !== "Bash") return undefined;
  return { command, dangerouslyDisableSandbox: input["dangerouslyDisableSandbox"] === true };
}

export function hostRequest({ host, port, command, toolUseId, cwd }: HostQuestion): {
  request: PermissionRequest;
  verdict: Ask;
} {
  const why = `a sandboxed command wants to reach ${host}`;
  return {
    request: {
      toolName: networkQuestion,
      toolUseId,
      input: { host, port, command },
      isReadOnly: false,
      subjects: [{ kind: "tool" }],
      cwd,
      key: `${toolUseId}.network.${host}`,
    },
    verdict: {
      behavior: "ask",
      reason: { type: "sandbox", text: why },
      why,
      isFirm: false,
      flags: allowingFlags(`WebFetch(domain:${host})`),
    },
  };
}
