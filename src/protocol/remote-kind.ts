/** The kind of server at an address, if it is not configured. */
export function remoteKind(address: string): "http" | "sse" | "ws" {
  if (/^wss?:/iu.test(address)) return "ws";
  // By custom, servers with the older transport use this path.
  return /\/sse\/?(?:[?#]|$)/iu.test(address) ? "sse" : "http";
}
