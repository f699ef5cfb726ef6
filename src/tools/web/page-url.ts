/** Checks which page addresses may be requested, and what a host name leads to. */
import { isIP } from "node:net";
import { addressKind } from "../../lib/address-kind.ts";
import { bareHost } from "../../lib/hosts.ts";
import { ToolError } from "../failure.ts";

export interface HostAddress {
  address: string;
  family: 4 | 6;
}

export type Resolve = (host: string) => Promise<HostAddress[]>;

const longestUrl = 2_000;

/** `isNamed`: whether a rule of the user names exactly this host. Throws a `ToolError`. */
export function readPageUrl(text: string, isNamed: (host: string) => boolean): URL {
  if (text.length > longestUrl) throw new ToolError(`The address is longer than ${longestUrl} characters.`);
  if (!URL.canParse(text))
    throw new ToolError(`"${text.slice(0, 200)}" is not the address of a page: give the full address, https://….`);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new ToolError(`Pages are fetched by https, not by ${url.protocol.slice(0, 40)}`);
  if (url.username !== "" || url.password !== "")
    throw new ToolError("The address holds a user name or password: leave it out.");
  url.hash = "";
  // A host name that ends with a dot is the same host.
  url.hostname = url.hostname.replace(/\.$/u, "");
  if (url.hostname === "") throw new ToolError("The address names no host.");
  if (url.protocol === "http:" && !(isNamed(url.hostname) && isLocalName(bareHost(url.hostname))))
    url.protocol = "https:";
  return url;
}

/**
 * Returns the addresses to connect to, all of them checked: a name with one forbidden address is refused altogether. A proxy looks up names
 * itself, so a name that cannot be found here may exist there, unless it only has a meaning on its own network. Throws a `ToolError`.
 */
export async function resolveAddresses(
  url: URL,
  resolve: Resolve,
  isNamed: (host: string) => boolean,
  isByProxy: boolean,
): Promise<HostAddress[]> {
  const host = bareHost(url.hostname);
  const version = isIP(host);
  const mayBeUnknown = isByProxy && (isNamed(url.hostname) || !isLocalName(host));
  const found =
    version === 0
      ? await lookUpAddresses(host, resolve, mayBeUnknown)
      : [{ address: host, family: version === 6 ? 6 : 4 } as const];
  for (const { address } of found) {
    const problem = addressProblem(host, address, isNamed(url.hostname));
    if (problem !== undefined) throw new ToolError(problem);
  }
  return found;
}

/** Why the address may not be connected to; undefined if it may. A public name never leads to this machine, not even by a rule. */
export function addressProblem(host: string, address: string, isNamed: boolean): string | undefined {
  const kind = addressKind(address);
  if (kind === "public" || (isNamed && (kind === "private" || isLocalName(host)))) return undefined;
  const what = kind === "local" ? "this machine or link-local" : "in a private network";
  const way =
    isLocalName(host) || kind === "private" ? `: only the user's rule WebFetch(domain:${host}) would allow that` : "";
  return `${host} leads to ${address}, which is ${what}${way}.`;
}

/** An address itself, or a name that only means something on this machine or network. */
function isLocalName(host: string): boolean {
  return isIP(host) !== 0 || !host.includes(".") || /\.(?:localhost|local|internal)$/u.test(host);
}

async function lookUpAddresses(host: string, resolve: Resolve, mayBeUnknown: boolean): Promise<HostAddress[]> {
  let found: HostAddress[];
  try {
    found = await resolve(host);
  } catch (error) {
    if (mayBeUnknown) return [];
    const { code = "it cannot be looked up" } = error as { code?: string };
    throw new ToolError(`The host ${host} was not found (${code}).`);
  }
  if (found.length === 0 && !mayBeUnknown) throw new ToolError(`The host ${host} was not found.`);
  return found;
}
