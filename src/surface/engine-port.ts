/** The part of a session that surfaces use: narrow enough that a test can stand in for it. */
import type { QueryEngine } from "../session/engine.ts";

export type SessionCost = ReturnType<QueryEngine["getCost"]>;

export type Engine = Pick<
  QueryEngine,
  | "submitMessage"
  | "interrupt"
  | "enqueue"
  | "takeQueued"
  | "getSessionId"
  | "getTranscriptPath"
  | "getModel"
  | "getMessages"
  | "getCost"
  | "killNow"
>;
