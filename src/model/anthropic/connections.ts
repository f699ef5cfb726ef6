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

interface HostState {
  /** When a connection was last used, by the wall clock: the monotonic clock may stand still while the machine sleeps. */
  usedAt: number;
  mistrustedUntil: number;
}

/** Keyed by host and port: one server's behaviour says nothing about another's. */
const hostStates = new WeakMap<Agent, Map<string, HostState>>();
/** The same entries by destination object, for callers that ask again and again. */
const stateByDestination = new WeakMap<Destination, HostState>();

/** Where a request goes, and the agent that keeps connections open for it. Without an agent, each connection is used once. */
export type Destination = Pick<RequestOptions, "agent" | "host" | "port">;

/** Closes free connections that cannot be reused. Resolves when pending closes are handled; undefined: nothing to wait for. */
export function closeUnusable(to: Destination): Promise<void> | undefined {
  const { agent } = to;
  if (typeof agent !== "object" || !hasFreeConnection(agent)) return undefined;
  const { usedAt, mistrustedUntil } = hostStateOf(agent, to);
  const isMistrusted = mistrustedUntil > 0 && elapsedMs() < mistrustedUntil;
  if (!isMistrusted && Math.abs(Date.now() - usedAt) <= idleConnectionMs) return waitForPendingReads();
  closeFreeConnections(agent, to);
  return undefined;
}

export function markUsed(to: Destination): void {
  if (typeof to.agent === "object") hostStateOf(to.agent, to).usedAt = Date.now();
}

/** A reused connection broke without an answer. */
export function markBroken(to: Destination): void {
  if (typeof to.agent === "object") hostStateOf(to.agent, to).mistrustedUntil = elapsedMs() + mistrustMs;
}

function hostStateOf(agent: Agent, to: Destination): HostState {
  const known = stateByDestination.get(to);
  if (known !== undefined) return known;
  let states = hostStates.get(agent);
  if (states === undefined) hostStates.set(agent, (states = new Map()));
  const key = hostKey(to);
  let state = states.get(key);
  if (state === undefined) states.set(key, (state = { usedAt: Date.now(), mistrustedUntil: 0 }));
  stateByDestination.set(to, state);
  return state;
}

/** The prefix of Node's own names of connections. Those always contain a port, even if none was given. */
function hostKey({ host, port }: Destination): string {
  return port ? `${host}:${port}:` : `${host}:`;
}

function hasFreeConnection(agent: Agent): boolean {
  for (const _ in agent.freeSockets) return true;
  return false;
}

function closeFreeConnections(agent: Agent, to: Destination): void {
  const key = hostKey(to);
  for (const [name, sockets] of Object.entries(agent.freeSockets))
    if (name.startsWith(key)) for (const socket of sockets ?? []) socket.destroy();
}

/** The wait in progress, shared by all callers that come before its first step. */
let pendingReads: Promise<void> | undefined;

/** Resolves once the data pending on all connections was read, including their ends. */
function waitForPendingReads(): Promise<void> {
  // Two immediates: the first runs before the event loop polls again.
  pendingReads ??= new Promise((resolve) => {
    setImmediate(() => {
      pendingReads = undefined;
      setImmediate(resolve);
    });
  });
  return pendingReads;
}
