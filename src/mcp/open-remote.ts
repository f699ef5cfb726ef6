/** The way to a server over HTTP: taken up again where a stream of it ends, and told to be lost where it cannot be. */
import {
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { fetchBy } from "../lib/proxied-fetch.ts";
import { answerForOlder } from "./age-question.ts";
import { goodbye } from "./goodbye.ts";
import { helperHeaders } from "./headers-helper.ts";
import { statusOf } from "./http-failure.ts";
import { outwardFetch } from "./inward-guard.ts";
import { forOwnOrigin } from "./own-headers.ts";
import type { ServerAuth } from "./oauth.ts";
import type { RemoteServer, SocketServer } from "./server.ts";
import { plain, type OpenTransport } from "./way.ts";
import { watchedFetch } from "./watched-fetch.ts";
import type { McpWorld } from "./world.ts";

export async function openRemote(
  server: RemoteServer,
  world: McpWorld,
  onLost: (why: string) => void,
  signal: AbortSignal,
): Promise<OpenTransport> {
  const { type } = server;
  // Each by one spelling of its name: one of another kind in its place, as of a login, would else stand beside it.
  const headers = new Headers(await headersOf(server, world, signal));
  const auth = world.authOf?.(server);
  let isLost = false;
  const lost = (why: string): void => {
    if (isLost) return;
    isLost = true;
    onLost(why);
  };
  const url = new URL(server.url);
  const options = {
    fetch: watchedFetch(
      { type, url, onLost: lost, clock: world.clock },
      forOwnOrigin(url, headers, outwardFetch(server, world.fetch ?? fetchBy(world.proxies ?? {}))),
    ),
    requestInit: { headers },
    ...(auth === undefined ? {} : { authProvider: auth.provider }),
  };
  if (type === "sse") return withLogin(plain(new SSEClientTransport(url, options)), auth);
  const transport = new StreamableHTTPClientTransport(url, { ...options, ...takenUp(world, lost) });
  const stopWaiting = answerForOlder(transport, world, () => world.silences?.note(server.url));
  const close = async (isForgotten = false): Promise<void> => {
    stopWaiting();
    if (!isLost && !isForgotten && transport.sessionId !== undefined)
      await goodbye(world.clock, () => transport.terminateSession());
    await transport.close();
  };
  const isSilent = world.silences?.has(server.url) === true;
  const isNewer = (error: unknown): boolean => {
    const isRefusal = error instanceof ProtocolError || statusOf(error) === 400;
    if (isRefusal) world.silences?.forget(server.url);
    return isRefusal;
  };
  return withLogin({ ...plain(transport, !isSilent), close, ...(isSilent ? { isNewer } : {}) }, auth);
}

/** Of all that is sent there. Throws where one cannot be sent. */
export async function headersOf(
  server: RemoteServer | SocketServer,
  world: McpWorld,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const printed = await helperHeaders(server, world, signal);
  const names = new Set(Object.keys(printed).map((name) => name.toLowerCase()));
  const others = Object.entries(server.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return sendable({ ...Object.fromEntries(others), ...printed });
}

/** Checked here: whoever refuses them later repeats the value, which may be a key. */
function sendable(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const shown = JSON.stringify(name.slice(0, 60));
    if (!/^[\w!#$%&'*+.^`|~-]+$/u.test(name)) throw new Error(`${shown} is no name of a header`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/u.test(value.trim()))
      throw new Error(`its header ${shown} cannot be sent: a value is one line, of Latin letters`);
  }
  return headers;
}

function withLogin(open: OpenTransport, auth: ServerAuth | undefined): OpenTransport {
  const { transport } = open as { transport: Transport & { finishAuth?: (code: URLSearchParams) => Promise<void> } };
  const code = auth?.code;
  return code === undefined ? open : { ...open, finishLogin: async () => transport.finishAuth?.(await code()) };
}

/** A stream that ended is taken up again where it was, so often in a row. */
const maxTakenUp = 5;
const firstTakenUpMs = 1_000;
/** A stream that held for this long starts the count anew, ms. */
const steadyMs = 60_000;

/** A server may say how long to wait, and end each stream at once: the waits grow all the same. */
function takenUp(world: McpWorld, onLost: (why: string) => void) {
  const { clock } = world;
  let inARow = 0;
  let last = -Infinity;
  return {
    reconnectionOptions: {
      initialReconnectionDelay: firstTakenUpMs,
      maxReconnectionDelay: firstTakenUpMs * 2 ** maxTakenUp,
      reconnectionDelayGrowFactor: 2,
      // Counted here: those that come to be and end at once are not counted there.
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
    reconnectionScheduler: (again: () => void, delay: number, attempt: number) => {
      if (attempt >= maxTakenUp) {
        onLost("its stream has ended, and cannot be taken up again");
        return undefined;
      }
      inARow = clock.elapsed() - last > steadyMs ? 0 : Math.min(inARow + 1, maxTakenUp);
      last = clock.elapsed();
      const wait = Math.max(delay, inARow < 2 ? 0 : firstTakenUpMs * 2 ** (inARow - 1));
      return clock.timer(wait * (1 + world.random() / 4), again);
    },
  };
}
