/**
 * Which of the connections that are kept open may be used again. A request sent into one that the far side has closed is lost,
 * and since nobody can tell whether it was heard it is booked as if it were billed.
 */
import type { Agent, RequestOptions } from "node:http";
import { elapsedMs } from "../../lib/elapsed-ms.ts";

/** A free connection is dropped after this long: the far side would soon do so, at the worst moment. */
export const idleConnectionMs = 60_000;
/** Where one broke when it was used again, none is for this long: there are servers that close each after its answer. */
const mistrustMs = 300_000;

interface Seen {
  /** When a connection was last used, by the wall clock: the other one may stand still while a machine sleeps. */
  usedAt: number;
  mistrustedUntil: number;
}

/** By host and port: what one server does says nothing of another. */
const seen = new WeakMap<Agent, Map<string, Seen>>();
/** The same by who asks again and again. */
const found = new WeakMap<Destination, Seen>();

/** Where a request goes, and the agent that keeps connections open for it; without one, each is used once. */
export type Destination = Pick<RequestOptions, "agent" | "host" | "port">;

/** Resolves when those that cannot be used again are closed; undefined: they are. */
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

/** It was used again, and broke without an answer. */
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

/** What Node's own names of connections begin with; they have the port also where none was given. */
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

/** Of those who ask before the same look. */
let look: Promise<void> | undefined;

/** Resolves when what lay ready on all connections was read, their ends among it. */
function looked(): Promise<void> {
  // Twice: the first comes before the next look.
  look ??= new Promise((resolve) => {
    setImmediate(() => {
      look = undefined;
      setImmediate(resolve);
    });
  });
  return look;
}
