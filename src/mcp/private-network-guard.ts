/** A `fetch` for servers on the web: neither their login addresses nor their redirects may lead to this machine or into its network. */
import { addressKind } from "../lib/address-kind.ts";
import { bareHost, isThisMachine } from "../lib/hosts.ts";
import { isIP } from "node:net";
import type { RemoteServer } from "./server.ts";

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** The same limit as in `fetch`. */
const maxRedirects = 20;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that must not be sent to an origin other than the one they were given for. */
const credentialHeaders = ["authorization", "cookie", "proxy-authorization", "host"];

/** Decides by name or address alone, without a DNS lookup. */
function isPrivateAddress(url: URL): boolean {
  const host = bareHost(url.hostname);
  return isThisMachine(url.hostname) || (isIP(host) !== 0 && addressKind(host) !== "public");
}

/** Names that do not exist on the web: single words, and suffixes reserved for private networks. */
const privateNames = /^[^.:]+$|\.(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|test)\.?$/iu;

function isPrivateHost(url: URL): boolean {
  return isPrivateAddress(url) || privateNames.test(url.hostname);
}

/** A server that is on a private network itself, or has its login there by its configuration, may point anywhere. Rejects refused requests. */
export function publicNetworkFetch<Init extends RequestInit>(
  { url: own, oauth }: Pick<RemoteServer, "url" | "oauth">,
  fetchImpl: Fetch<Init>,
): Fetch<Init> {
  if ([own, oauth?.authServerMetadataUrl ?? own].some((address) => isPrivateHost(new URL(address)))) return fetchImpl;
  return async (input, givenInit) => {
    let url = new URL(input);
    let init = { ...givenInit, redirect: "manual" } as Init;
    for (let count = 0; count <= maxRedirects; count++) {
      if (isPrivateAddress(url))
        throw new Error(
          `the server points to ${url.origin}, inside this machine's network, which a server on the web may not do; if that is intended, name the address in its configuration: as url, or for the login as oauth.authServerMetadataUrl`,
        );
      const response = await fetchImpl(url, init);
      const to = redirectStatuses.has(response.status) ? response.headers.get("location") : null;
      if (to === null || givenInit?.redirect === "manual" || givenInit?.redirect === "error") return response;
      await response.body?.cancel();
      const next = new URL(to, url);
      init = redirectedInit(init, response.status, next.origin !== url.origin);
      url = next;
    }
    throw new Error(`the server redirected the request more than ${maxRedirects} times`);
  };
}

function redirectedInit<Init extends RequestInit>(init: Init, status: number, isOtherOrigin: boolean): Init {
  const headers = new Headers(init.headers);
  if (isOtherOrigin) for (const name of credentialHeaders) headers.delete(name);
  const { method = "GET" } = init;
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  if (!becomesGet) return { ...init, headers };
  for (const name of ["content-type", "content-length", "content-encoding", "content-language", "content-location"])
    headers.delete(name);
  return { ...init, method: "GET", body: undefined, headers };
}
