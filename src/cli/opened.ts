/** What a run has opened so far, for whoever must close it in a hurry. */
import type { QueryEngine } from "../session/engine.ts";
import type { StopCause, StopDesk } from "../surface/stop.ts";
import type { SessionTree } from "../session/worktrees/session-tree.ts";
import type { DebugLog } from "../session/debug-log.ts";

export interface Opened {
  stop: StopDesk;
  /** Ends the process within a second, the session closed if it can be. */
  leaveNow: (cause: StopCause) => void;
  engine?: QueryEngine;
  debug?: DebugLog;
  /** Where the session works, if not in the current folder. */
  tree?: SessionTree;
  /** How to resume is told in the same manner the run was started. */
  isPrint: boolean;
}
