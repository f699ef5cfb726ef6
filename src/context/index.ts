/** What the session sees of this room. */
export { createContext, type SessionContext } from "./context.ts";
export { layers, type Layer } from "./layers.ts";
export type { CollapseStore, ContextDeps, RequestBase } from "./layer.ts";
export { mediaTokenBound } from "./media-tokens.ts";
export { contextPolicy, defaultPolicy, type ContextPolicy, type ContextSettings } from "./policy.ts";
export { createSpill, type Spill } from "./spill.ts";
