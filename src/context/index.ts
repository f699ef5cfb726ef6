/** What the session uses of src/context. */
export { createContext, type SessionContext } from "./context.ts";
export { breakdown } from "./breakdown.ts";
export { SessionCollapseStore } from "./collapse-store.ts";
export { layers } from "./layers.ts";
export type { CollapseStore, ContextDeps, Reattachment, SnipRequest } from "./layer.ts";
export type { Snipped } from "./snip.ts";
export { isMark, judgeSpan } from "./snip-span.ts";
export type { FitMedia } from "./media-fit-types.ts";
export { createMediaFit } from "./media-source.ts";
export { boundedMediaBytes, mediaTokenBound } from "./media-tokens.ts";
export { contextPolicy, defaultPolicy, policyProblems, type ContextPolicy } from "./policy.ts";
export { createSpill, type Spill } from "./spill.ts";
