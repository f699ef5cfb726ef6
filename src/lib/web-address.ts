/** Returns an address that a browser would open; undefined for anything else. */
export function parseWebAddress(text: unknown): URL | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url !== null && /^https?:$/u.test(url.protocol) ? url : undefined;
}
