/**
 * The model's side: adapters of the Model port, the catalogue of what models are and cost, and failures as values.
 * Nothing here retries or decides; an adapter makes one attempt and says how it ended.
 */
export { createAnthropicModel, type AnthropicModel, type AnthropicModelOptions } from "./anthropic/model.ts";
export { readCustomHeaders } from "./anthropic/headers.ts";
export type { Credentials } from "./anthropic/adapter.ts";
export type { Transport, TransportRequest, TransportResponse } from "./anthropic/transport.ts";
export type { Timers } from "./anthropic/timers.ts";
export { createCatalog, type Catalog, type CatalogEntry } from "./catalog.ts";
export { readCatalogOverrides, type CatalogOverrides } from "./catalog-overrides.ts";
export type { Cost } from "./cost.ts";
export { defaultModel, type Environment } from "./model-names.ts";
export { defaultRetryPolicy, retryAdvice, type RetryAdvice, type RetryPolicy } from "./retry.ts";
