/** The Model port over the Anthropic Messages API, and over any server that speaks it. */
import type { Environment } from "../../lib/environment.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { ModelPort, ModelRequest } from "../../protocol/model.ts";
import { createCatalog, type Catalog, type CatalogEntry } from "../catalog.ts";
import { ConfigurationError } from "../connection-failure.ts";
import { createAdapter, type Adapter, type AdapterOptions } from "./adapter.ts";
import type { CallOptions } from "./call.ts";
import { CallStream } from "./call-stream.ts";
import { countTokens } from "./count-tokens.ts";
import { defaultBaseUrl, readEndpoint, type Endpoint } from "./endpoint.ts";
import { createHttpTransport } from "./http-transport.ts";
import {
  createSerializer,
  isFast,
  taskBudgetField,
  usesCompaction,
  type CacheTtl,
  type SerializedRequest,
} from "./serialize.ts";
import { UnknownFields, type LeftOutFields } from "./unknown-fields.ts";
import { systemTimers, type Timers } from "./timers.ts";
import type {
  OwnedTransport,
  PiecedRequest,
  SendProgress,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport.ts";

export interface AnthropicModelOptions extends AdapterOptions {
  /** The part before `/v1/messages`. Default: Anthropic's own. */
  baseUrl?: string;
  /** Default: Node's HTTP client, with proxies from `environment`. */
  transport?: Transport;
  environment?: Environment;
  catalog?: Catalog;
  timers?: Timers;
  /** Silence allowed between bytes, ms. Default 60,000. */
  idleMs?: number;
  /** Silence allowed before the first byte, ms. Default 60,000; on loopback 600,000, since a local model has to load first. */
  firstByteMs?: number;
  /** Lines for a debug file. They hold no credentials and nothing of the conversation. */
  onDebug?: (text: string) => void;
  /**
   * Replaces `idleMs` until the answer's content begins, and limits the time until then, ms: a server may open its answer and then
   * read a long prompt, or send pings for ever. Absent: `idleMs` applies, and pings have no limit.
   */
  openingMs?: number;
  /** Silence allowed between bytes before the content begins, ms. Default: `openingMs`, which has to be set. */
  openingIdleMs?: number;
  /** Further fields of each request's body. Fields that pawl sends itself win. */
  extraBody?: Readonly<Record<string, unknown>>;
  /** How long cached prefixes live. Default `5m`. */
  promptCacheTtl?: CacheTtl;
  /** Models whose requests ask for no caching at all. Default: none. */
  isUncached?: (model: string) => boolean;
  /** Called once, when the first request has gone out: whatever its answer may need can be prepared meanwhile. Must not throw. */
  onFirstSent?: () => void;
  /** False: nobody reads the raw stream events, so at most one per read is yielded. Default true. */
  rawEvents?: boolean;
}

/** What each view of one model has for itself. */
type OwnOptions = Pick<AnthropicModelOptions, "promptCacheTtl" | "onDebug">;

export type AnthropicModel = ModelPort & {
  /** A model over the same connections, for other readers of the debug file or with another life of cached prefixes. */
  withOptions(own: OwnOptions): AnthropicModel;
  /** Closes idle connections. The model must not be used afterwards. */
  dispose(): void;
};

const taskBudgetBeta = "task-budgets-2026-03-13";
const fastModeBeta = "fast-mode-2026-02-01";
const compactionBeta = "compact-2026-09-04";

/** What all views of one model port share. */
interface SharedState {
  options: AnthropicModelOptions;
  catalog: Catalog;
  endpoint: Endpoint;
  adapter: Adapter;
  timers: Timers;
  dispose: () => void;
  /** The endpoint has not said that it cannot count tokens. */
  canCount: boolean;
  /** Models that it cannot count tokens for. */
  uncounted: Set<string>;
  unknownFields: UnknownFields;
  /** Undefined once it was called. */
  onFirstSent: (() => void) | undefined;
}

/** Must not throw: unusable options become the outcome of every call. */
export function createAnthropicModel(options: AnthropicModelOptions): AnthropicModel {
  const { catalog = createCatalog(), timers = systemTimers } = options;
  const endpoint = readEndpoint(options.baseUrl ?? defaultBaseUrl);
  const ownedTransport = createTransport(options, endpoint.problem);
  const adapter = createAdapter(endpoint, options, ownedTransport, timers);
  const dispose = (): void => ownedTransport.dispose();
  const unknownFields = new UnknownFields();
  const counting = { canCount: true, uncounted: new Set<string>() };
  const { onFirstSent } = options;
  const known = { options, catalog, endpoint, adapter, timers };
  const shared: SharedState = { ...known, dispose, ...counting, unknownFields, onFirstSent };
  return createView(shared, options);
}

function createView(shared: SharedState, own: OwnOptions): AnthropicModel {
  const { promptCacheTtl: ttl = "5m", onDebug: debug } = own;
  const { options, catalog, endpoint, adapter, timers, dispose, unknownFields } = shared;
  const info = (model: string): CatalogEntry => catalog.info(model);
  const { isUncached, extraBody } = options;
  const write = createSerializer(info, ttl, isUncached, (model) => unknownFields.leftOutFor(model), extraBody);
  const serialize: typeof write = (request) => {
    unknownFields.recordRequest(request);
    return write(request);
  };
  // A request is measured before it is sent: the serialized form is kept in between, and dropped when the request is sent.
  let measured: { request: ModelRequest; serialized: SerializedRequest } | undefined;
  const measure: ModelPort["measure"] = (request) => {
    measured = { request, serialized: serialize(request) };
    return { bytes: measured.serialized.bytes };
  };
  const calls: CallOptions = {
    idleMs: options.idleMs ?? 60_000,
    firstByteMs: options.firstByteMs ?? (endpoint.loopback ? 600_000 : 60_000),
    ...(options.openingMs === undefined ? {} : { openingMs: options.openingMs }),
    ...(options.openingIdleMs === undefined ? {} : { openingIdleMs: options.openingIdleMs }),
    usageDefaultsOf: (request) => ({
      cacheTtl: unknownFields.ttlOf(request.model, ttl),
      isFast: isFast(request, catalog.info(request.model)),
    }),
    rawEvents: options.rawEvents ?? true,
    timers,
    debug,
    context: (model) => adapter.context(model),
    send(request, connection, progress) {
      const serialized = measured?.request === request ? measured.serialized : serialize(request);
      measured = undefined;
      debug?.(`${request.key}: ${request.model} at ${endpoint.label}, ${serialized.bytes} bytes`);
      const betas = betasOf(request, catalog.info(request.model), unknownFields.leftOutFor(request.model));
      return adapter.send("/v1/messages", serialized.body(), betas, connection, withFirstSentReport(shared, progress));
    },
  };
  return {
    measure,
    info,
    stream: (request, signal) => new CallStream(calls, request, signal, unknownFields),
    async countTokens(request, signal) {
      if (!shared.canCount || shared.uncounted.has(request.model)) return undefined;
      const { status, tokens, problem, cannot } = await countTokens(
        adapter,
        () => serialize(request).countBody(),
        usesCompaction(request) ? [...(request.betas ?? []), compactionBeta] : (request.betas ?? []),
        signal,
      );
      if (problem !== undefined) debug?.(`${request.key}: no token count, status ${status}: ${problem}`);
      if (cannot === "count") shared.canCount = false;
      if (cannot === "model") shared.uncounted.add(request.model);
      return tokens;
    },
    withOptions: (other) => createView(shared, { ...own, ...other }),
    dispose,
  };
}

/** Wraps `progress` so that the first part that goes out is also reported to `onFirstSent`. */
function withFirstSentReport(shared: SharedState, progress: SendProgress): SendProgress {
  if (shared.onFirstSent === undefined) return progress;
  const onSent = (): void => {
    progress.onSent?.();
    shared.onFirstSent?.();
    shared.onFirstSent = undefined;
  };
  return { onUnsent: progress.onUnsent, onSent };
}

function betasOf(request: ModelRequest, entry: CatalogEntry, leftOut: LeftOutFields): string[] {
  const betas = [...(request.betas ?? [])];
  if (taskBudgetField(request, entry, leftOut) !== undefined) betas.push(taskBudgetBeta);
  if (isFast(request, entry)) betas.push(fastModeBeta);
  if (usesCompaction(request)) betas.push(compactionBeta);
  return betas;
}

function createTransport(
  { transport, environment = {} }: AnthropicModelOptions,
  problem: string | undefined,
): OwnedTransport {
  const dispose = (): void => undefined;
  if (problem !== undefined) return { send: () => Promise.reject(new ConfigurationError(problem)), dispose };
  if (transport === undefined) return createHttpTransport({ environment });
  // A host's transport may be plain JavaScript that returns its answer without a promise.
  return { send: async (request) => checkedAnswer(await transport(toTransportRequest(request))), dispose };
}

function checkedAnswer(answer: TransportResponse): TransportResponse {
  const { status, headers, body }: Partial<Record<keyof TransportResponse, unknown>> = isRecord(answer) ? answer : {};
  const isBody = typeof body === "object" && body !== null && Symbol.asyncIterator in body;
  if (typeof status === "number" && isRecord(headers) && isBody) return answer;
  throw new ConfigurationError(
    "the transport option did not return { status, headers, body }: a number, an object and an async iterable of bytes",
  );
}

function toTransportRequest(request: PiecedRequest): TransportRequest {
  const { pathname, search } = new URL(request.url);
  return {
    ...request,
    path: pathname + search,
    get body() {
      return Buffer.concat(request.pieces);
    },
  };
}
