/** What a run has opened so far, for code that must close it in a hurry. */
import type { QueryEngine } from "../session/engine.ts";
import type { StopCause, StopDesk } from "../surface/stop-desk.ts";
import type { SessionTree } from "../session/session-tree.ts";
import type { DebugLog } from "../session/debug-log.ts";

export interface RunResources {
  stop: StopDesk;
  /** Ends the process within a second, and closes the session first if that is possible. */
  leaveNow: (cause: StopCause) => void;
  engine?: QueryEngine;
  debug?: DebugLog;
  /** The git work tree of the session, if it does not work in the current folder. */
  tree?: SessionTree;
  /** Whether the run is headless. The hint how to resume it depends on this. */
  isPrint: boolean;
}
