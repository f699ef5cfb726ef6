/** A `fetch` for servers on the web: neither their login addresses nor their redirects may lead to this machine or into its network. */
import { addressKind } from "../lib/address-kind.ts";
import { bareHost, isThisMachine } from "../lib/hosts.ts";
import { isIP } from "node:net";
import type { RemoteServer } from "./server.ts";

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** The same limit as in `fetch`. */
const mostRedirects = 20;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that must not be sent to an origin other than the one they were given for. */
const ownHeaders = ["authorization", "cookie", "proxy-authorization", "host"];

/** Decides by name or address alone, without a DNS lookup. */
function isInward(url: URL): boolean {
  const host = bareHost(url.hostname);
  return isThisMachine(url.hostname) || (isIP(host) !== 0 && addressKind(host) !== "public");
}

/** Names that do not exist on the web: single words, and suffixes reserved for private networks. */
const ownNames = /^[^.:]+$|\.(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|test)\.?$/iu;

function liesInward(url: URL): boolean {
  return isInward(url) || ownNames.test(url.hostname);
}

/** A server that is inward itself, or has an inward login by its configuration, may point anywhere. Rejects refused requests. */
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
          `the server points to ${url.origin}, inside this machine's network, which a server on the web may not do; if that is intended, name the address in its configuration: as url, or for the login as oauth.authServerMetadataUrl`,
        );
      const response = await fetchImpl(url, init);
      const to = redirects.has(response.status) ? response.headers.get("location") : null;
      if (to === null || given?.redirect === "manual" || given?.redirect === "error") return response;
      await response.body?.cancel();
      const next = new URL(to, url);
      init = redirected(init, response.status, next.origin !== url.origin);
      url = next;
    }
    throw new Error(`the server redirected the request more than ${mostRedirects} times`);
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
