/** What a run under the shim is to meet, handed over in the environment. Points are counted from 0 in the order they come. */

export const planVariable = "PAWL_TEST_FAULT";

export interface FaultPlan {
  /** Folders whose changes count. */
  below: readonly string[];
  /** A file that gets one JSON line a point. */
  log?: string;
  /** Socket writes count as well: the request, and what is printed into a pipe. */
  sockets?: boolean;
  die?: { at: number; how: Death };
  fail?: { from: number; count: number; code: string };
  /** Wall clock: each look at it jumps by up to so many hours, either way. */
  clockHours?: number;
}

/** `torn` numbers: so many bytes of the write arrive, counted from its end where negative. */
export type Death = "before" | "after" | { torn: number };

export interface Point {
  call: string;
  path: string;
  /** Of what is written; undefined where nothing is. */
  bytes?: number;
}
