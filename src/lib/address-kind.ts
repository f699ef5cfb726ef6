/** Classifies network addresses: decides whether a name that leads to one may be followed. */
import { BlockList, isIP } from "node:net";

/** `local`: this machine, link-local, its cloud's metadata service, or no single place. `private`: an address in a private network. */
export type AddressKind = "local" | "private" | "public";

const localAddresses = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
  // Cloud metadata services, which hand out a machine's secrets, at addresses that look ordinary.
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
] as const)
  localAddresses.addSubnet(address, bits, "ipv4");
for (const [address, bits] of [
  ["::", 96],
  ["fe80::", 10],
  ["ff00::", 8],
  ["fd00:ec2::254", 128],
] as const)
  localAddresses.addSubnet(address, bits, "ipv6");

const privateAddresses = new BlockList();
for (const [address, bits] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
] as const)
  privateAddresses.addSubnet(address, bits, "ipv4");
// Addresses that embed an IPv4 address count as private, whatever that address is.
for (const [address, bits] of [
  ["fc00::", 7],
  ["fec0::", 10],
  ["64:ff9b::", 32],
  ["::ffff:0:0:0", 96],
  ["2002::", 16],
  ["2001::", 32],
] as const)
  privateAddresses.addSubnet(address, bits, "ipv6");

/** Anything that is not an address counts as local. */
export function addressKind(address: string): AddressKind {
  const version = isIP(address);
  const family = version === 6 ? "ipv6" : "ipv4";
  if (version === 0 || localAddresses.check(address, family)) return "local";
  return privateAddresses.check(address, family) ? "private" : "public";
}
