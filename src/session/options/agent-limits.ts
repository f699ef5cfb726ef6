/** Limits for all agents of one session together. */
export interface AgentLimits {
  /** Levels of agents below agents; the deepest cannot start any. */
  depth: number;
  /** Running at once. */
  concurrent: number;
  /** Started during the session. */
  count: number;
  /** Model responses of all agents together. */
  turns: number;
}
