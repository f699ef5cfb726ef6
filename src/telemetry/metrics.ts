/** The counters of the convention, each name prefixed with `claude_code.`. */
export const metrics = {
  "session.count": { unit: "count", description: "Sessions begun" },
  "lines_of_code.count": { unit: "count", description: "Lines added and removed" },
  "pull_request.count": { unit: "count", description: "Pull requests created" },
  "commit.count": { unit: "count", description: "Commits created" },
  "cost.usage": { unit: "USD", description: "Cost of the session" },
  "token.usage": { unit: "tokens", description: "Tokens used" },
  "code_edit_tool.decision": { unit: "count", description: "Decisions about calls that change files" },
  "active_time.total": { unit: "s", description: "Time in which the session worked" },
} as const;

export type MetricName = keyof typeof metrics;
