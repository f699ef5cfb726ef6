/**
 * Which of the connections that are kept open may be used again. A request sent into one that the far side has closed is lost,
 * and since nobody can tell whether it was heard it is booked as if it were billed.
 */
import type { Agent } from "node:http";
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

const seen = new WeakMap<Agent, Seen>();

/** Resolves when those that cannot be used again are closed. */
export async function onlyUsable(agent: Agent): Promise<void> {
  if (!hasFree(agent)) return;
  const { usedAt, mistrustedUntil } = seenOf(agent);
  if (elapsedMs() < mistrustedUntil || Math.abs(Date.now() - usedAt) > idleConnectionMs) closeFree(agent);
  else await looked();
}

export function wasUsed(agent: Agent): void {
  seenOf(agent).usedAt = Date.now();
}

/** It was used again, and broke without an answer. */
export function brokeWhenReused(agent: Agent): void {
  seenOf(agent).mistrustedUntil = elapsedMs() + mistrustMs;
}

function seenOf(agent: Agent): Seen {
  let found = seen.get(agent);
  if (found === undefined) {
    found = { usedAt: Date.now(), mistrustedUntil: 0 };
    seen.set(agent, found);
  }
  return found;
}

function hasFree(agent: Agent): boolean {
  for (const _ in agent.freeSockets) return true;
  return false;
}

function closeFree(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** Resolves when what lay ready on all connections was read, their ends among it. */
function looked(): Promise<void> {
  // Twice: the first comes before the next look.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
