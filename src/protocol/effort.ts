/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** Ascending. */
export const efforts = ["low", "medium", "high", "xhigh", "max"] as const satisfies readonly Effort[];
