/** What a login server says of itself, from the address that a configuration names: some servers do not say where that is, or say it wrongly. */
import {
  discoverAuthorizationServerMetadata,
  type FetchLike,
  type OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import { errorText } from "../lib/error-text.ts";
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import { watchedFetch, type Watch } from "./watched-fetch.ts";

/** For all of it, ms. */
const usualLimitMs = 30_000;

export interface MetadataWay extends Pick<Watch, "clock"> {
  fetch: FetchLike;
  limitMs?: number;
}

/** Throws `UsageError` where nothing of use is there. */
export async function metadataAt(address: string, way: MetadataWay): Promise<OAuthDiscoveryState> {
  const what = `What oauth.authServerMetadataUrl of its configuration names (${address})`;
  const { fetch, clock, limitMs = usualLimitMs } = way;
  const url = new URL(address);
  const bounded = watchedFetch({ type: "http", url, onLost: () => undefined, clock }, fetch);
  const signal = AbortSignal.timeout(limitMs);
  // Whatever place is guessed there, this one is asked for: it need not be one of those that can be guessed.
  const fetchThere: FetchLike = (_guessed, init) => bounded(address, { ...init, signal });
  let metadata;
  try {
    metadata = await discoverAuthorizationServerMetadata(url.origin, { fetchFn: fetchThere, skipIssuerValidation: true });
  } catch (error) {
    throw new UsageError(`${what} cannot be used: ${oneLine(errorText(error), 300)}`);
  }
  if (metadata === undefined) throw new UsageError(`${what} is not there.`);
  return { authorizationServerUrl: metadata.issuer, authorizationServerMetadata: metadata };
}
