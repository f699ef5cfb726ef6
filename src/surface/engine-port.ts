/** The part of a session that surfaces use, narrow enough for a test to replace it. */
import type { QueryEngine } from "../session/engine.ts";

export type SessionCost = ReturnType<QueryEngine["getCost"]>;

/** The engine as a program that drives a session uses it. */
export type DrivenEngine = Engine & Pick<QueryEngine, "getContextUsage">;

export type Engine = Pick<
  QueryEngine,
  | "submitMessage"
  | "resume"
  | "branch"
  | "clear"
  | "rewindFiles"
  | "append"
  | "interrupt"
  | "sideQuestion"
  | "submitBeside"
  | "background"
  | "desk"
  | "supportedCommands"
  | "getPermissionMode"
  | "setPermissionMode"
  | "enqueue"
  | "takeQueued"
  | "getSessionId"
  | "getTranscriptPath"
  | "getModel"
  | "getMessages"
  | "getCost"
  | "openAgents"
  | "openHooks"
  | "whenAgentsEnd"
  | "killNow"
>;
