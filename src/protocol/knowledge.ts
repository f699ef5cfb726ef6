/** What the model is given to know that people wrote in files: who wrote it, and what was wrong with it. */
import type { NamedAgent } from "./agent.ts";

/** `policy`: an administrator's. `option`: of the command line or the program that holds the session. */
export type KnowledgeSource = NamedAgent["source"];

/** Something in a file that was left out or read otherwise than it was meant. */
export interface KnowledgeProblem {
  /** Absolute. */
  path: string;
  /** From 1; absent where it is the file as a whole. */
  line?: number;
  /** One clause, without a full stop. */
  reason: string;
}
