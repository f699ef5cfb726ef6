/**
 * pawl/loop: the turn loop alone, over a model, tools and ports of your own. `query` runs one user turn: it yields events and returns one
 * Terminal. The loop knows no clock, file, process or provider. See docs/loop.md.
 */
export { createCancel, type Cancel } from "./cancel.ts";
export { decide, type Verdict } from "./decide.ts";
export type { Draft, Fact, FactOf } from "./fact.ts";
export { plainConfig, plainModel, plainPorts, plainTool, type PlainParts, type PlainTool } from "./plain.ts";
export {
  defaultLimits,
  type ChosenModel,
  type ClockPort,
  type IdPort,
  type LoopConfig,
  type LoopLimits,
  type LoopPorts,
  type ModelSettings,
  type QueuePort,
  type RetryAdvice,
  type RetryPort,
  type SummaryPort,
  type ToolsPort,
  type TracePort,
} from "./ports.ts";
export { query, type QueryParams } from "./query.ts";
export { RunMemory } from "./run-memory.ts";
export { createState, type State } from "./state.ts";
export type * from "../protocol/context.ts";
export type * from "../protocol/event.ts";
export type * from "../protocol/hook.ts";
export type * from "../protocol/message.ts";
export type * from "../protocol/model.ts";
export type * from "../protocol/money.ts";
export type * from "../protocol/permission.ts";
export type * from "../protocol/record.ts";
export type * from "../protocol/stop.ts";
export type * from "../protocol/stream-event.ts";
export type * from "../protocol/tool.ts";
export type * from "../protocol/turn-end.ts";
export type * from "../protocol/usage.ts";
