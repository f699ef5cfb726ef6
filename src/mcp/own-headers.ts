/** `fetch` of a server whose configuration gives it headers: keys among them are for it alone. */

type Fetch<Init> = (url: string | URL, init?: Init) => Promise<Response>;

/** Logging in asks others with the same `fetch`, and whoever they are, the server has named them. */
export function forOwnOrigin<Init extends RequestInit>(
  own: URL,
  headers: Headers,
  fetchImpl: Fetch<Init>,
): Fetch<Init> {
  return (url, init) => {
    if (new URL(url).origin === own.origin) return fetchImpl(url, init);
    const sent = new Headers(init?.headers);
    // What logging in has put in the place of one is for them.
    for (const [name, value] of headers) if (sent.get(name) === value) sent.delete(name);
    return fetchImpl(url, { ...init, headers: sent } as Init);
  };
}
