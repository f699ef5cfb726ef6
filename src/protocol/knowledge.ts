/** What the model learns from files that people wrote: who wrote them, and what was wrong with them. */
import type { NamedAgent } from "./agent.ts";

/** `policy`: from an administrator. `option`: from the command line or the program that holds the session. */
export type KnowledgeSource = NamedAgent["source"];

/** Something in a file that was left out, or read differently than its author intended. */
export interface KnowledgeProblem {
  /** Absolute. */
  path: string;
  /** From 1; absent if the problem concerns the whole file. */
  line?: number;
  /** One clause, without a full stop. */
  reason: string;
  /** What the file was meant to forbid is allowed. */
  isLostRestriction?: true;
}
