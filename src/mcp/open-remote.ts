/** The connection to a server over HTTP: resumed when a stream ends, and reported as lost if it cannot be. */
import {
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { createProxiedFetch } from "../lib/proxied-fetch.ts";
import { answerDiscoverForOldServer } from "./version-discovery.ts";
import { closeWithinLimit } from "./close-within-limit.ts";
import { runHeadersHelper } from "./headers-helper.ts";
import { httpStatusOf } from "./http-failure.ts";
import { acceptOddResults } from "./newest-results.ts";
import { publicNetworkFetch } from "./private-network-guard.ts";
import { withIntroductionEnd, withListeningStart } from "./listening-start.ts";
import { EndpointWatch } from "./other-kind.ts";
import { restrictHeadersToOrigin } from "./origin-headers.ts";
import type { ServerAuth } from "./oauth.ts";
import type { RemoteServer, SocketServer } from "./server.ts";
import { withRestsAtStart } from "./server-rest.ts";
import { wrapTransport, type OpenTransport } from "./transport.ts";
import { watchedFetch } from "./watched-fetch.ts";
import type { McpWorld } from "./world.ts";

export async function openRemote(
  server: RemoteServer,
  world: McpWorld,
  onLost: (why: string) => void,
  signal: AbortSignal,
): Promise<OpenTransport> {
  const { type } = server;
  // `Headers` merges spellings: otherwise a header that replaces one, as from a login, would be sent beside it.
  const headers = new Headers(await requestHeaders(server, world, signal));
  const auth = world.authOf?.(server);
  let isLost = false;
  const lost = (why: string): void => {
    if (isLost) return;
    isLost = true;
    onLost(why);
  };
  const url = new URL(server.url);
  const endpoint = type === "sse" ? new EndpointWatch() : undefined;
  const options = {
    fetch: withRestsAtStart(
      watchedFetch(
        { type, url, onLost: lost, clock: world.clock, ...(endpoint === undefined ? {} : { endpoint }) },
        restrictHeadersToOrigin(
          url,
          headers,
          publicNetworkFetch(server, world.fetch ?? createProxiedFetch(world.proxies ?? {})),
        ),
      ),
      world,
      (line) => world.debug(`mcp ${JSON.stringify(server.name)} ${line}`),
    ),
    requestInit: { headers },
    ...(auth === undefined ? {} : { authProvider: auth.provider }),
  };
  if (type === "sse") {
    const older = new SSEClientTransport(url, { ...options, fetch: withIntroductionEnd(options.fetch) });
    endpoint?.guardStart(older);
    const explainFailure = (error: unknown): unknown => endpoint?.explainTimeout(error);
    return withLogin({ ...wrapTransport(older), explainFailure }, auth);
  }
  const transport = new StreamableHTTPClientTransport(url, {
    ...options,
    fetch: withListeningStart(url, options.fetch),
    ...resumptionOptions(world, lost),
  });
  acceptOddResults(transport);
  const stopWaiting = answerDiscoverForOldServer(transport, world, () => world.silences?.note(server.url));
  const close = async (isForgotten = false): Promise<void> => {
    stopWaiting();
    if (!isLost && !isForgotten && transport.sessionId !== undefined)
      await closeWithinLimit(world.clock, () => transport.terminateSession());
    await transport.close();
  };
  const isSilent = world.silences?.has(server.url) === true;
  const needsNegotiation = (error: unknown): boolean => {
    const isRefusal = error instanceof ProtocolError || httpStatusOf(error) === 400;
    if (isRefusal) world.silences?.forget(server.url);
    return isRefusal;
  };
  return withLogin({ ...wrapTransport(transport, !isSilent), close, ...(isSilent ? { needsNegotiation } : {}) }, auth);
}

/** All headers of requests to the server. Throws if one cannot be sent. */
export async function requestHeaders(
  server: RemoteServer | SocketServer,
  world: McpWorld,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const printed = await runHeadersHelper(server, world, signal);
  const names = new Set(Object.keys(printed).map((name) => name.toLowerCase()));
  const others = Object.entries(server.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return checkedHeaders({ ...Object.fromEntries(others), ...printed });
}

/** Checked here, because later errors would repeat the value, which may be a key. */
function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const shown = JSON.stringify(name.slice(0, 60));
    if (!/^[\w!#$%&'*+.^`|~-]+$/u.test(name)) throw new Error(`${shown} is not a valid header name`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/u.test(value.trim()))
      throw new Error(`its header ${shown} cannot be sent: a value must be one line of Latin-1 characters`);
  }
  return headers;
}

function withLogin(open: OpenTransport, auth: ServerAuth | undefined): OpenTransport {
  const { transport } = open as { transport: Transport & { finishAuth?: (code: URLSearchParams) => Promise<void> } };
  const code = auth?.code;
  return code === undefined ? open : { ...open, finishLogin: async () => transport.finishAuth?.(await code()) };
}

/** How many times in a row a stream that ended is resumed where it was. */
const maxResumptions = 5;
const firstResumptionMs = 1_000;
/** A stream that held for this long resets the count, ms. */
const steadyMs = 60_000;

/** A server may set the wait and end each stream at once, so the waits still grow. */
function resumptionOptions(world: McpWorld, onLost: (why: string) => void) {
  const { clock } = world;
  let inARow = 0;
  let last = -Infinity;
  return {
    reconnectionOptions: {
      initialReconnectionDelay: firstResumptionMs,
      maxReconnectionDelay: firstResumptionMs * 2 ** maxResumptions,
      reconnectionDelayGrowFactor: 2,
      // Limited below instead: the client does not count streams that open and end at once.
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
    reconnectionScheduler: (again: () => void, delay: number, attempt: number) => {
      if (attempt >= maxResumptions) {
        onLost("its stream has ended, and cannot be resumed");
        return undefined;
      }
      inARow = clock.elapsed() - last > steadyMs ? 0 : Math.min(inARow + 1, maxResumptions);
      last = clock.elapsed();
      const wait = Math.max(delay, inARow < 2 ? 0 : firstResumptionMs * 2 ** (inARow - 1));
      return clock.timer(wait * (1 + world.random() / 4), again);
    },
  };
}
