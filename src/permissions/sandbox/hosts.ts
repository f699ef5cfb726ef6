/** Decides which hosts confined commands may reach: first by name, then by the address it resolves to. */
import { isIP } from "node:net";
import { addressKind } from "../../lib/address-kind.ts";

/** `listed`: by that exact name. `pattern`: by a name with a star, or by a person's answer. */
export type HostVerdict = "listed" | "pattern" | "denied" | "unknown";

export interface HostLists {
  allowed: readonly string[];
  denied: readonly string[];
}

/** The host as in a URL: lower case, no final dot, international names and odd address forms normalised. Undefined if it is none. */
export function normalizeHost(host: string): string | undefined {
  const text = isIP(host) === 6 ? `[${host}]` : host.trim();
  if (/[\s/\\@?#:%]/u.test(text.startsWith("[") ? "" : text)) return undefined;
  if (!URL.canParse(`http://${text}/`)) return undefined;
  const { hostname } = new URL(`http://${text}/`);
  const plain = hostname.replace(/\.$/u, "");
  return plain === "" ? undefined : plain;
}

/** Whether the host is an IP address, means this machine, or has no domain. Such hosts are only reached if listed exactly. */
export function isAddressOrLocal(host: string): boolean {
  return (
    host.startsWith("[") || isIP(host) !== 0 || /\.(?:localhost|local|internal)$/u.test(host) || !host.includes(".")
  );
}

function matchEntry(entry: string, host: string): "exact" | "pattern" | undefined {
  if (entry === "*") return "pattern";
  if (!entry.startsWith("*.")) return normalizeHost(entry) === host ? "exact" : undefined;
  const domain = normalizeHost(entry.slice(2));
  return domain !== undefined && host.endsWith(`.${domain}`) ? "pattern" : undefined;
}

/** `host` is in its plain form. A denied host stays denied, whatever allows it. */
export function judgeHost(host: string, { allowed, denied }: HostLists): HostVerdict {
  if (denied.some((entry) => matchEntry(entry, host) !== undefined)) return "denied";
  const found = allowed.map((entry) => matchEntry(entry, host));
  if (found.includes("exact")) return "listed";
  if (isAddressOrLocal(host)) return "denied";
  return found.includes("pattern") ? "pattern" : "unknown";
}

/** Why an allowed name may not be reached at this address, or undefined if it may. */
export function addressProblem(host: string, address: string, verdict: "listed" | "pattern"): string | undefined {
  if (verdict === "listed" && isAddressOrLocal(host)) return undefined;
  const kind = addressKind(address);
  if (kind === "local") return `${host} leads to ${address}, which is this machine or its link`;
  if (verdict === "pattern" && kind === "private")
    return `${host} leads to ${address}, which is private: only a host listed by its whole name may`;
  return undefined;
}
