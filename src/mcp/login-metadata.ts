/** A login server's metadata from a configured address: some servers do not say where it is, or say it wrongly. */
import {
  discoverAuthorizationServerMetadata,
  type FetchLike,
  type OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { errorText } from "../lib/error-text.ts";
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

/** The limit for everything together, ms. */
const defaultLimitMs = 30_000;

/** Throws `UsageError` if nothing usable is there. `fetch` has to give up on endless answers. */
export async function fetchLoginMetadata(
  address: string,
  fetch: FetchLike,
  limitMs = defaultLimitMs,
): Promise<OAuthDiscoveryState> {
  const what = `The metadata that oauth.authServerMetadataUrl of its configuration names (${address})`;
  const { origin } = new URL(address);
  const signal = AbortSignal.timeout(limitMs);
  // The client guesses an address; this one is requested instead, because it need not be guessable.
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
