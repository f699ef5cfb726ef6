/** `NO_PROXY`: hosts that are reached directly. Only hosts in the list are exempt; this machine is not, unless it is listed. */
import { BlockList, isIP } from "node:net";
import { bareHost } from "./hosts.ts";

/**
 * Entries are separated by commas or spaces: `*`, a host name (with its subdomains; a leading dot or `*.` means the same), an address or a
 * CIDR range, each optionally with `:port`.
 */
export function bypassesProxy(list: string | undefined, url: URL): boolean {
  const host = bareHost(url.hostname).toLowerCase().replace(/\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return (list ?? "").split(/[\s,]+/).some((entry) => entry !== "" && matchesEntry(entry.toLowerCase(), host, port));
}

function matchesEntry(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = entry, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const bare = bareHost(name).replace(/^\*?\./, "");
  if (bare === "") return false;
  if (isIP(host) !== 0) return bare === host || isInRange(bare, host);
  return host === bare || host.endsWith(`.${bare}`);
}

function isInRange(entry: string, address: string): boolean {
  const [, network, bits] = /^(.*)\/(\d+)$/.exec(entry) ?? [];
  const family = isIP(address);
  if (network === undefined || isIP(network) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const block = new BlockList();
  block.addSubnet(network, Number(bits), type);
  return block.check(address, type);
}
