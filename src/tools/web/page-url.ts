/** Which addresses of pages may be asked for, and what stands behind a name. */
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

/** `isNamed`: a rule of the user's names that very host. Throws a `ToolError`. */
export function readPageUrl(text: string, isNamed: (host: string) => boolean): URL {
  if (text.length > longestUrl) throw new ToolError(`The address is longer than ${longestUrl} characters.`);
  if (!URL.canParse(text))
    throw new ToolError(`"${text.slice(0, 200)}" is no address of a page: give it whole, https://….`);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new ToolError(`Pages are fetched by https, not by ${url.protocol.slice(0, 40)}`);
  if (url.username !== "" || url.password !== "")
    throw new ToolError("The address holds a user name or password: leave it out.");
  url.hash = "";
  // A name that ends in a dot is the same host.
  url.hostname = url.hostname.replace(/\.$/u, "");
  if (url.hostname === "") throw new ToolError("The address names no host.");
  if (url.protocol === "http:" && !(isNamed(url.hostname) && isOwnName(bareHost(url.hostname))))
    url.protocol = "https:";
  return url;
}

/**
 * Where to connect to, all of them looked at: a name of which one address is not for us is refused whole. A proxy looks
 * names up itself: what cannot be found here may be there, unless it only means something on its own network. Throws a `ToolError`.
 */
export async function addressesOf(
  url: URL,
  resolve: Resolve,
  isNamed: (host: string) => boolean,
  isByProxy: boolean,
): Promise<HostAddress[]> {
  const host = bareHost(url.hostname);
  const version = isIP(host);
  const mayBeUnknown = isByProxy && (isNamed(url.hostname) || !isOwnName(host));
  const found =
    version === 0
      ? await resolved(host, resolve, mayBeUnknown)
      : [{ address: host, family: version === 6 ? 6 : 4 } as const];
  for (const { address } of found) {
    const problem = addressProblem(host, address, isNamed(url.hostname));
    if (problem !== undefined) throw new ToolError(problem);
  }
  return found;
}

/** Why it may not be connected to; undefined where it may. A name that anybody can have leads to this machine for nobody. */
export function addressProblem(host: string, address: string, isNamed: boolean): string | undefined {
  const kind = addressKind(address);
  if (kind === "public" || (isNamed && (kind === "private" || isOwnName(host)))) return undefined;
  const what = kind === "local" ? "this machine or its own link" : "a private network";
  const way =
    isOwnName(host) || kind === "private"
      ? `: only a rule of the user's for it allows that, WebFetch(domain:${host})`
      : "";
  return `${host} leads to ${address}, which is ${what}${way}.`;
}

/** An address itself, or a name that only means something on this machine or network. */
function isOwnName(host: string): boolean {
  return isIP(host) !== 0 || !host.includes(".") || /\.(?:localhost|local|internal)$/u.test(host);
}

async function resolved(host: string, resolve: Resolve, mayBeUnknown: boolean): Promise<HostAddress[]> {
  let found: HostAddress[];
  try {
    found = await resolve(host);
  } catch (error) {
    if (mayBeUnknown) return [];
    const { code = "it cannot be looked up" } = error as { code?: string };
    throw new ToolError(`There is no host ${host} that can be found (${code}).`);
  }
  if (found.length === 0 && !mayBeUnknown) throw new ToolError(`There is no host ${host} that can be found.`);
  return found;
}
