/** How much the agents of one session may do, all of them together. */
export interface AgentLimits {
  /** Agents below agents; the deepest cannot start any. */
  depth: number;
  /** Running at once. */
  concurrent: number;
  /** Started in the life of the session. */
  count: number;
  /** Model responses of all of them together. */
  turns: number;
}
