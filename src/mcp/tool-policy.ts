/** A server owner's restrictions on single tools. Only entries that restrict have an effect. */
import { isObject } from "../lib/json.ts";

export type ToolPolicy = "ask" | "deny";

const ownerPolicies: Readonly<Record<string, ToolPolicy | undefined>> = {
  always_allow: undefined,
  always_ask: "ask",
  always_deny: "deny",
};
const organizationPolicies: Readonly<Record<string, ToolPolicy | undefined>> = {
  allow: undefined,
  ask: "ask",
  blocked: "deny",
};

/** By the server's own tool names. An unknown word means "ask"; undefined if nothing is restricted. */
export function toolPolicies(value: unknown): ReadonlyMap<string, ToolPolicy> | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = new Map<string, ToolPolicy>();
  for (const item of value as unknown[]) {
    if (!isObject(item) || typeof item["name"] !== "string") continue;
    const { name, permission_policy: own, org_max_permission: most } = item;
    const statedPolicies = [policyOf(own, ownerPolicies), policyOf(most, organizationPolicies)];
    if (statedPolicies.includes("deny")) found.set(name, "deny");
    else if (statedPolicies.includes("ask") && found.get(name) !== "deny") found.set(name, "ask");
  }
  return found.size === 0 ? undefined : found;
}

function policyOf(word: unknown, words: Readonly<Record<string, ToolPolicy | undefined>>): ToolPolicy | undefined {
  if (word === undefined || word === null) return undefined;
  return typeof word === "string" && Object.hasOwn(words, word) ? words[word] : "ask";
}
