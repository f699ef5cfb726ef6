/** The faults that a run under the shim meets, passed in the environment. Points are counted from 0 in the order in which they occur. */

export const planVariable = "PAWL_TEST_FAULT";

export interface FaultPlan {
  /** Folders whose changes count. */
  below: readonly string[];
  /** A file that gets a JSON line for each point. */
  log?: string;
  /** Socket writes count as well: the request, and what is printed into a pipe. */
  sockets?: boolean;
  die?: { at: number; how: Death };
  fail?: { from: number; count: number; code: string };
  /** At each reading, the wall clock jumps by up to this many hours in either direction. */
  clockHours?: number;
}

/** `torn`: the number of bytes of the write that arrive; a negative number counts from the end. */
export type Death = "before" | "after" | { torn: number };

export interface Point {
  call: string;
  path: string;
  /** The length of the write; undefined for calls that write nothing. */
  bytes?: number;
}
