/** Lets connections succeed over slow networks. */
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

/** In ms. Enough for a round trip by satellite, or for a lost packet that is sent again after a second. */
const addressMs = 1_500;

/**
 * Raises the limit of the whole process for one connection attempt. If a host has several addresses, Node tries each but the
 * last for 250 ms and then drops it: on a slower network without IPv6, a host with an IPv6 address is never reached.
 */
export function allowSlowNetworks(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(Math.max(getDefaultAutoSelectFamilyAttemptTimeout(), addressMs));
}
