/** How hard a model is asked to think. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
