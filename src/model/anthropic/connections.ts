/**
 * Decides which kept-open connections may be reused. A request sent into a connection that the far side has closed is lost, and
 * since nobody can tell whether the server received it, it is booked as billed.
 */
import type { Agent, RequestOptions } from "node:http";
import { elapsedMs } from "../../lib/elapsed-ms.ts";

/** A free connection is dropped after this long: the far side would soon close it, at the worst moment. */
export const idleConnectionMs = 60_000;
/** After a reused connection broke, none is reused for this long: some servers close each connection after its answer. */
const mistrustMs = 300_000;

interface Seen {
  /** When a connection was last used, by the wall clock: the monotonic clock may stand still while the machine sleeps. */
  usedAt: number;
  mistrustedUntil: number;
}

/** Keyed by host and port: one server's behaviour says nothing about another's. */
const seen = new WeakMap<Agent, Map<string, Seen>>();
/** The same entries by destination object, for callers that ask again and again. */
const found = new WeakMap<Destination, Seen>();

/** Where a request goes, and the agent that keeps connections open for it. Without an agent, each connection is used once. */
export type Destination = Pick<RequestOptions, "agent" | "host" | "port">;

/** Closes free connections that cannot be reused. Resolves when pending closes are handled; undefined: nothing to wait for. */
export function onlyUsable(to: Destination): Promise<void> | undefined {
  const { agent } = to;
  if (typeof agent !== "object" || !hasFree(agent)) return undefined;
  const { usedAt, mistrustedUntil } = seenOf(agent, to);
  const isMistrusted = mistrustedUntil > 0 && elapsedMs() < mistrustedUntil;
  if (!isMistrusted && Math.abs(Date.now() - usedAt) <= idleConnectionMs) return looked();
  closeFree(agent, to);
  return undefined;
}

export function wasUsed(to: Destination): void {
  if (typeof to.agent === "object") seenOf(to.agent, to).usedAt = Date.now();
}

/** A reused connection broke without an answer. */
export function brokeWhenReused(to: Destination): void {
  if (typeof to.agent === "object") seenOf(to.agent, to).mistrustedUntil = elapsedMs() + mistrustMs;
}

function seenOf(agent: Agent, to: Destination): Seen {
  const known = found.get(to);
  if (known !== undefined) return known;
  let places = seen.get(agent);
  if (places === undefined) seen.set(agent, (places = new Map()));
  const place = placeOf(to);
  let there = places.get(place);
  if (there === undefined) places.set(place, (there = { usedAt: Date.now(), mistrustedUntil: 0 }));
  found.set(to, there);
  return there;
}

/** The prefix of Node's own names of connections. Those always contain a port, even if none was given. */
function placeOf({ host, port }: Destination): string {
  return port ? `${host}:${port}:` : `${host}:`;
}

function hasFree(agent: Agent): boolean {
  for (const _ in agent.freeSockets) return true;
  return false;
}

function closeFree(agent: Agent, to: Destination): void {
  const place = placeOf(to);
  for (const [name, sockets] of Object.entries(agent.freeSockets))
    if (name.startsWith(place)) for (const socket of sockets ?? []) socket.destroy();
}

/** The check in progress, shared by all callers that come before it runs. */
let look: Promise<void> | undefined;

/** Resolves once the data pending on all connections was read, including their ends. */
function looked(): Promise<void> {
  // Two immediates: the first runs before the event loop polls again.
  look ??= new Promise((resolve) => {
    setImmediate(() => {
      look = undefined;
      setImmediate(resolve);
    });
  });
  return look;
}
