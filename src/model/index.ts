/**
 * The model's side: adapters for the Model port, the catalogue of models and their prices, and failures as values.
 * Nothing here retries or decides. An adapter makes one attempt and reports how it ended.
 */
export { createAnthropicModel, type AnthropicModel, type AnthropicModelOptions } from "./anthropic/model.ts";
export { defaultBaseUrl, readEndpoint } from "./anthropic/endpoint.ts";
export { readCustomHeaders } from "./anthropic/headers.ts";
export type { Transport, TransportRequest } from "./anthropic/transport.ts";
export type { Timers } from "./anthropic/timers.ts";
export { waysToChooseModel } from "./bad-request.ts";
export { createCatalog } from "./catalog.ts";
export { readCatalogOverrides } from "./catalog-overrides.ts";
export { defaultModel } from "./model-names.ts";
export { effectiveThinking, settingRemarks } from "./requested-settings.ts";
export { defaultRetryPolicy, endlessRetries, retryAdvice } from "./retry.ts";
