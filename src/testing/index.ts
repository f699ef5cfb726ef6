/**
 * pawl/testing: a model that follows a script, for testing agents without a network. It speaks the Messages API, validates every
 * request as the real API would, bills it by the published rules, and fails on command. See docs/testing.md.
 */
export { createScriptedModel } from "./server/model.ts";
export { startScriptedServer, type ScriptedServer, type ServerOptions } from "./server/http.ts";
export type {
  ModelRequest,
  ModelResponse,
  RequestProblem,
  RequestRecord,
  ScriptedModel,
  ScriptedModelOptions,
} from "./server/types.ts";
export type * from "./script/types.ts";
export type { Json, JsonObject } from "./wire/types.ts";
export type { Fault, FaultKind, FaultPoint } from "./script/faults.ts";
export type { RequestView, ToolResultView } from "./script/request-view.ts";
export type { UnusedStep } from "./script/select.ts";
export {
  createValidationState,
  validateRequest,
  type ValidationOptions,
  type ValidationState,
  type Violation,
} from "./validate/index.ts";
export type { BillSummary, ModelBill } from "./billing/bill.ts";
export type { CacheFigures } from "./billing/cache.ts";
export type { Price, Rates } from "./billing/prices.ts";
export type { ModelTraits } from "./models.ts";
