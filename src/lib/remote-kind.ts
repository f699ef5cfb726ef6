/** What kind of server an address leads to, where nobody says it. */
export function remoteKind(address: string): "http" | "sse" | "ws" {
  if (/^wss?:/iu.test(address)) return "ws";
  // By custom: those of the elder transport have it as their path.
  return /\/sse\/?(?:[?#]|$)/iu.test(address) ? "sse" : "http";
}
