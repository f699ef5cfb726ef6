/** A `fetch` that sends a configuration's headers only to the server they are for, since keys may be among them. */

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** Headers that describe the content and hold no keys. */
const contentHeaders: ReadonlySet<string> = new Set(["accept", "content-type"]);

/** Logins use the same `fetch` for other origins, which the server itself has named. */
export function restrictHeadersToOrigin<Init extends RequestInit>(
  serverUrl: URL,
  headers: Headers,
  fetchImpl: Fetch<Init>,
): Fetch<Init> {
  return (url, init) => {
    const sent = mergeHeaders(init?.headers);
    const isElsewhere = new URL(url).origin !== serverUrl.origin;
    // A login may have replaced a header's value; such a header is meant for the login server.
    for (const [name, value] of isElsewhere ? headers : [])
      if (sent.get(name) === value && !contentHeaders.has(name)) sent.delete(name);
    return fetchImpl(url, { ...init, headers: sent } as Init);
  };
}

/** A request's headers follow the configured ones, and may replace one of them in another spelling. */
function mergeHeaders(init: RequestInit["headers"]): Headers {
  if (init === undefined || init instanceof Headers || Array.isArray(init)) return new Headers(init);
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(init)) headers.set(name, value);
  return headers;
}
