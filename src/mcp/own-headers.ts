/** `fetch` of a server whose configuration gives it headers: keys among them are for it alone. */

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** They say what is sent and what is wanted, which is no key. */
const describing: ReadonlySet<string> = new Set(["accept", "content-type"]);

/** Logging in asks others with the same `fetch`, and whoever they are, the server has named them. */
export function forOwnOrigin<Init extends RequestInit>(
  own: URL,
  headers: Headers,
  fetchImpl: Fetch<Init>,
): Fetch<Init> {
  return (url, init) => {
    const sent = oneOfEach(init?.headers);
    const isElsewhere = new URL(url).origin !== own.origin;
    // What logging in has put in the place of one is for them.
    for (const [name, value] of isElsewhere ? headers : [])
      if (sent.get(name) === value && !describing.has(name)) sent.delete(name);
    return fetchImpl(url, { ...init, headers: sent } as Init);
  };
}

/** Those of a request are put behind those of the configuration, and one in its place may have another spelling. */
function oneOfEach(given: RequestInit["headers"]): Headers {
  if (given === undefined || given instanceof Headers || Array.isArray(given)) return new Headers(given);
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(given)) headers.set(name, value);
  return headers;
}
