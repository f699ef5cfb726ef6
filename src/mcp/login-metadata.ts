/** What a login server says of itself, from the address that a configuration names: some servers do not say where that is, or say it wrongly. */
import {
  discoverAuthorizationServerMetadata,
  type FetchLike,
  type OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { errorText } from "../lib/error-text.ts";
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

/** For all of it, ms. */
const usualLimitMs = 30_000;

/** Throws `UsageError` where nothing of use is there. `fetch`: gives up what has no end. */
export async function metadataAt(
  address: string,
  fetch: FetchLike,
  limitMs = usualLimitMs,
): Promise<OAuthDiscoveryState> {
  const what = `What oauth.authServerMetadataUrl of its configuration names (${address})`;
  const { origin } = new URL(address);
  const signal = AbortSignal.timeout(limitMs);
  // Whatever place is guessed there, this one is asked for: it need not be one of those that can be guessed.
  const fetchThere: FetchLike = (_guessed, init) => fetch(address, { ...init, signal });
  let metadata;
  try {
    metadata = await discoverAuthorizationServerMetadata(origin, { fetchFn: fetchThere, skipIssuerValidation: true });
  } catch (error) {
    throw new UsageError(`${what} cannot be used: ${oneLine(errorText(error), 300)}`);
  }
  if (metadata === undefined) throw new UsageError(`${what} is not there.`);
  return { authorizationServerUrl: metadata.issuer, authorizationServerMetadata: metadata };
}
