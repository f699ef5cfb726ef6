/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** From the least on. */
export const efforts = ["low", "medium", "high", "xhigh", "max"] as const satisfies readonly Effort[];
