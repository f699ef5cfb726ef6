/** The part of a session that surfaces use: narrow enough that a test can stand in for it. */
import type { QueryEngine } from "../session/engine.ts";

export type SessionCost = ReturnType<QueryEngine["getCost"]>;

/** What a program that drives a session may ask of it besides. */
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
