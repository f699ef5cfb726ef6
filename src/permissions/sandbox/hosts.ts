/** Which hosts confined commands may reach: by name first, then by the address the name leads to. */
import { isIP } from "node:net";
import { addressKind } from "../../lib/address-kind.ts";

/** `listed`: by that very name. `pattern`: by a name with a star, or a person's word. */
export type HostVerdict = "listed" | "pattern" | "denied" | "unknown";

export interface HostLists {
  allowed: readonly string[];
  denied: readonly string[];
}

/** As a URL has it: lower case, no dot at the end, international names and odd spellings of addresses in their plain form. Undefined: it is none. */
export function plainHost(host: string): string | undefined {
  const text = isIP(host) === 6 ? `[${host}]` : host.trim();
  if (/[\s/\\@?#:%]/u.test(text.startsWith("[") ? "" : text)) return undefined;
  if (!URL.canParse(`http://${text}/`)) return undefined;
  const { hostname } = new URL(`http://${text}/`);
  const plain = hostname.replace(/\.$/u, "");
  return plain === "" ? undefined : plain;
}

/** A name or an address that means this machine, or no name at all: only ever reached where it is listed as it stands. */
export function isAddressOrLocal(host: string): boolean {
  return (
    host.startsWith("[") || isIP(host) !== 0 || /\.(?:localhost|local|internal)$/u.test(host) || !host.includes(".")
  );
}

function matches(entry: string, host: string): "exact" | "pattern" | undefined {
  if (entry === "*") return "pattern";
  if (!entry.startsWith("*.")) return plainHost(entry) === host ? "exact" : undefined;
  const domain = plainHost(entry.slice(2));
  return domain !== undefined && host.endsWith(`.${domain}`) ? "pattern" : undefined;
}

/** `host` in its plain form. What is denied is so whatever allows it. */
export function judgeHost(host: string, { allowed, denied }: HostLists): HostVerdict {
  if (denied.some((entry) => matches(entry, host) !== undefined)) return "denied";
  const found = allowed.map((entry) => matches(entry, host));
  if (found.includes("exact")) return "listed";
  if (isAddressOrLocal(host)) return "denied";
  return found.includes("pattern") ? "pattern" : "unknown";
}

/** Why a name that may be reached may not be reached at this address; undefined where it may. */
export function addressProblem(host: string, address: string, verdict: "listed" | "pattern"): string | undefined {
  if (verdict === "listed" && isAddressOrLocal(host)) return undefined;
  const kind = addressKind(address);
  if (kind === "local") return `${host} leads to ${address}, which is this machine or its link`;
  if (verdict === "pattern" && kind === "private")
    return `${host} leads to ${address}, which is private: only a host listed by its whole name may`;
  return undefined;
}
