/** Connections over networks that are slow. */
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

/** A round trip by satellite, or a packet that was lost once and is sent again after a second, ms. */
const addressMs = 1_500;

/**
 * Where a name has several addresses, Node gives each but the last a quarter of a second, and lets go of it for good: over a
 * slower network without IPv6 no name that has such an address is ever reached. Of the whole process.
 */
export function allowSlowNetworks(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(Math.max(getDefaultAutoSelectFamilyAttemptTimeout(), addressMs));
}
