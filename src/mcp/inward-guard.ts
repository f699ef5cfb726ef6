/** `fetch` of a server that is somewhere on the web: neither what it names for a login nor a redirect of it leads to this machine or into its network. */
import { addressKind } from "../lib/address-kind.ts";
import { bareHost, isThisMachine } from "../lib/hosts.ts";
import { isIP } from "node:net";
import type { RemoteServer } from "./server.ts";

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** As `fetch` has it. */
const mostRedirects = 20;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Not for another place than the one they were given for. */
const ownHeaders = ["authorization", "cookie", "proxy-authorization", "host"];

/** By name or address alone: nothing is looked up. */
function isInward(url: URL): boolean {
  const host = bareHost(url.hostname);
  return isThisMachine(url.hostname) || (isIP(host) !== 0 && addressKind(host) !== "public");
}

/** Names that nobody on the web has: a word alone, and those that are kept for networks of their own. */
const ownNames = /^[^.:]+$|\.(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|test)\.?$/iu;

function liesInward(url: URL): boolean {
  return isInward(url) || ownNames.test(url.hostname);
}

/** One that lies inward itself, or is to log in people there by its configuration, may name what it likes. Rejects where something is refused. */
export function outwardFetch<Init extends RequestInit>(
  { url: own, oauth }: Pick<RemoteServer, "url" | "oauth">,
  fetchImpl: Fetch<Init>,
): Fetch<Init> {
  if ([own, oauth?.authServerMetadataUrl ?? own].some((address) => liesInward(new URL(address)))) return fetchImpl;
  return async (input, given) => {
    let url = new URL(input);
    let init = { ...given, redirect: "manual" } as Init;
    for (let count = 0; count <= mostRedirects; count++) {
      if (isInward(url))
        throw new Error(
          `the server sends to ${url.origin}, inside of this machine's network, which servers of the web may not; where that is meant, its configuration names the place: as url, or for the login as oauth.authServerMetadataUrl`,
        );
      const response = await fetchImpl(url, init);
      const to = redirects.has(response.status) ? response.headers.get("location") : null;
      if (to === null || given?.redirect === "manual" || given?.redirect === "error") return response;
      await response.body?.cancel();
      const next = new URL(to, url);
      init = redirected(init, response.status, next.origin !== url.origin);
      url = next;
    }
    throw new Error(`the server sends from one address to another, more than ${mostRedirects} times`);
  };
}

function redirected<Init extends RequestInit>(init: Init, status: number, isElsewhere: boolean): Init {
  const headers = new Headers(init.headers);
  if (isElsewhere) for (const name of ownHeaders) headers.delete(name);
  const { method = "GET" } = init;
  const isAsked = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!isAsked) return { ...init, headers };
  for (const name of ["content-type", "content-length", "content-encoding", "content-language", "content-location"])
    headers.delete(name);
  return { ...init, method: "GET", body: undefined, headers };
}
