/** The model side of a session: endpoint, credentials, model, and what is known about the model. */
import { withMachinePathFirst } from "../../lib/repository-programs.ts";
import type { Environment } from "../../lib/environment.ts";
import type { Catalog } from "../../model/catalog.ts";
import {
  createAnthropicModel,
  createCatalog,
  defaultRetryPolicy,
  readCatalogOverrides,
  readCustomHeaders,
  readEndpoint,
  retryAdvice,
  effectiveThinking,
  settingRemarks,
  type AnthropicModel,
  type AnthropicModelOptions,
} from "../../model/index.ts";
import type { Effort, ThinkingSetting } from "../../protocol/model.ts";
import type { RetryPort } from "../../loop/ports.ts";
import { errorText } from "../../lib/error-text.ts";
import { createKeyHelper } from "../../settings/key-source.ts";
import { efforts } from "../../protocol/effort.ts";
import { readCacheChoice, type CacheTtl } from "./cache-choice.ts";
import { needsKeyHelper } from "../surroundings/credentials.ts";
import { assertAvailable, firstAvailable, modelRefusal } from "./model-limits.ts";
import { readWishes, type ModelWishes } from "./model-wishes.ts";
import type { EngineOptions } from "../options/options.ts";
import { readExtraBody } from "./extra-body.ts";
import { readBetas, userAgentComment } from "./request-headers.ts";
import { requestLimits } from "./request-limits.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { nonEmpty, variablesOf, type Variables } from "../options/variables.ts";

export interface ModelParts {
  model: AnthropicModel;
  catalog: Catalog;
  retry: RetryPort;
  /** Id the session starts with. */
  id: string;
  /** Returns the id a name stands for. If settings rule the model out, returns `instead`, or throws a `UsageError` without it. */
  resolveModel: (name: string, instead?: string) => string;
  /** Returns the model for small questions: the small model, if settings allow it. */
  smallModel(): string;
  fallbacks: string[];
  cacheTtl: CacheTtl;
  /** The same for agents, each of which has debug lines of its own. */
  forAgents: { modelFor(debug: EngineOptions["debug"]): AnthropicModel; cacheTtl: CacheTtl };
  /** The longest silence of a server that the environment allows, in ms; absent: the default. */
  longestSilenceMs?: number;
  wishes: ModelWishes;
  /** Returns the effort to request: the wished one, as far as settings allow it. Undefined: the model's own. */
  effortOf(model: string, effort: Effort | undefined): Effort | undefined;
  /** Returns the thinking setting for the model that comes closest to the wish. */
  thinkingOf(model: string, effort: Effort | undefined): ThinkingSetting;
  /** Returns a sentence for each wish that the model does not meet. */
  unmetWishes(model: string, effort: Effort | undefined): string[];
}

export function composeModel(
  options: EngineOptions,
  { env, cwd, settings, apiKey, version, notice, clock, telemetry }: Surroundings,
  restoredModel: string | undefined,
  onFirstSent?: () => void,
): ModelParts {
  const { overrides, problems } = readCatalogOverrides(settings.catalog);
  const custom = readCustomHeaders(env["ANTHROPIC_CUSTOM_HEADERS"]);
  for (const problem of [...problems, ...custom.problems]) notice(`${problem}.`);
  const variables = variablesOf(env, notice);
  const isPlain = variables.flag("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS") === true;
  const catalog = createCatalog(overrides, { isPlain });
  const idOf = (name: string): string => catalog.resolveModel(name, env);
  const resolveModel = (name: string, instead?: string): string =>
    instead !== undefined && modelRefusal(idOf(name), settings, idOf) !== undefined
      ? instead
      : assertAvailable(idOf(name), settings, idOf);
  const configured = nonEmpty(env["ANTHROPIC_MODEL"]) ?? settings.model;
  const choosing: ChoiceContext = { idOf, settings, notice };
  const id = chooseStartModel({ chosen: options.model, restored: restoredModel, configured }, choosing);
  const fallbacks = fallbackModels(options, catalog, choosing);
  const { ttl: cacheTtl, agentTtl, isUncached } = readCacheChoice(variables, settings, idOf);
  const { longestMs: longestSilenceMs, ...limits } = requestLimits(variables, notice);
  const model = createAnthropicModel({
    baseUrl: nonEmpty(env["ANTHROPIC_BASE_URL"]),
    apiKey,
    authToken: nonEmpty(env["ANTHROPIC_AUTH_TOKEN"]),
    ...helperCredentials({ env, cwd, notice }, settings.apiKeyHelper, apiKey),
    customHeaders: custom.headers,
    betas: readBetas(variables, notice),
    extraBody: readExtraBody(variables, options.maxBudgetUsd !== undefined, notice),
    client: userAgentComment(variables),
    environment: env,
    catalog,
    transport: options.transport,
    timers: clock,
    ...limits,
    onDebug: options.debug,
    onFirstSent,
    promptCacheTtl: cacheTtl,
    isUncached,
    rawEvents: options.includePartialMessages === true,
    version,
  });
  const wishes = readWishes(options, env, settings, notice);
  return {
    model: telemetry?.modelFor(model, catalog) ?? model,
    catalog,
    id,
    resolveModel,
    smallModel: () => (modelRefusal(idOf("haiku"), settings, idOf) === undefined ? idOf("haiku") : id),
    fallbacks,
    cacheTtl,
    forAgents: { modelFor: (onDebug) => model.withOptions({ promptCacheTtl: agentTtl, onDebug }), cacheTtl: agentTtl },
    longestSilenceMs,
    retry: retryPort(variables, notice),
    wishes,
    ...effortParts(catalog, wishes, settings.maxEffortLevel),
  };
}

/** `maxEffort`: the highest effort that settings allow. */
function effortParts(
  catalog: Catalog,
  wishes: ModelWishes,
  maxEffort: Effort | undefined,
): Pick<ModelParts, "effortOf" | "thinkingOf" | "unmetWishes"> {
  const effortOf = (name: string, effort: Effort | undefined): Effort | undefined =>
    maxEffort === undefined || isAtMost(effort ?? catalog.info(name).defaultEffort ?? "high", maxEffort)
      ? effort
      : maxEffort;
  return {
    effortOf,
    thinkingOf(name, wished) {
      const effort = effortOf(name, wished);
      const entry = catalog.info(name);
      const { thinking, fixedThinking = thinking } = wishes;
      return effectiveThinking(entry, entry.thinking === "adaptive" ? fixedThinking : thinking, effort);
    },
    unmetWishes(name, wished) {
      const effort = effortOf(name, wished);
      const unmet = settingRemarks(catalog.info(name), { ...wishes, effort });
      if (wished === undefined || wished === effort) return unmet;
      return [`The effort is ${effort ?? ""}: maxEffortLevel allows no more.`, ...unmet];
    },
  };
}

function isAtMost(effort: Effort, maxEffort: Effort): boolean {
  return efforts.indexOf(effort) <= efforts.indexOf(maxEffort);
}

interface ChoiceContext {
  idOf: (name: string) => string;
  settings: Surroundings["settings"];
  notice: (text: string) => void;
}

interface ModelCandidates {
  /** Chosen at the start of the session; an error if unavailable, as is a configured model. */
  chosen: string | undefined;
  /** The model of the resumed session; replaced if unavailable, as is the default model. */
  restored: string | undefined;
  configured: string | undefined;
}

export function chooseStartModel(
  { chosen, restored, configured }: ModelCandidates,
  { idOf, settings, notice }: ChoiceContext,
): string {
  const requestedModel = chosen ?? (restored === undefined ? configured : undefined);
  if (requestedModel !== undefined && requestedModel !== "")
    return assertAvailable(idOf(requestedModel), settings, idOf);
  const id = idOf(restored ?? "");
  const refusal = modelRefusal(id, settings, idOf);
  if (refusal === undefined) return id;
  const other = firstAvailable(settings, idOf);
  if (other === undefined) return assertAvailable(id, settings, idOf);
  if (restored !== undefined)
    notice(`The model ${id} of this session is no longer available: ${refusal}. The session continues with ${other}.`);
  return other;
}

function fallbackModels(options: EngineOptions, catalog: Catalog, { idOf, settings, notice }: ChoiceContext): string[] {
  const names = splitNames(options.fallbackModel ?? settings.fallbackModel ?? []);
  return names.map(idOf).filter((id) => {
    const isHeld = options.maxBudgetUsd === undefined || catalog.info(id).prices !== undefined;
    const unheld = isHeld ? undefined : "its price is unknown, so no budget can limit it";
    const refusal = modelRefusal(id, settings, idOf) ?? unheld;
    if (refusal !== undefined) notice(`The fallback model ${id} was left out: ${refusal}.`);
    return refusal === undefined;
  });
}

function splitNames(list: string | readonly string[]): string[] {
  const names = typeof list === "string" ? list.split(",") : list;
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** A helper's key may have expired, so the helper is asked again after a refusal. If its new key is refused too, the error names it. */
function helperCredentials(
  { env, cwd, notice }: Pick<Surroundings, "env" | "cwd" | "notice">,
  helper: string | undefined,
  helperKey: string | undefined,
): Partial<AnthropicModelOptions> {
  if (helper === undefined || !needsKeyHelper(env)) return {};
  // If the helper fails now, the server's refusal stands. Only the helper's error says why it failed, such as an expired login.
  const refreshCredentials = () =>
    createKeyHelper(helper, withMachinePathFirst(env, cwd))
      .get()
      .then(
        (apiKey) => inBothHeaders(apiKey, env),
        (error: unknown) => {
          notice(`The key was refused, and no other could be obtained: ${errorText(error)}`);
          return undefined;
        },
      );
  return { credentialNames: ["apiKeyHelper"], refreshCredentials, ...inBothHeaders(helperKey, env) };
}

/** Gateways expect a helper's output as a bearer token, the API as a key; nothing says which it is. Credentials in the base URL stay. */
function inBothHeaders(
  secret: string | undefined,
  env: Environment,
): Pick<AnthropicModelOptions, "apiKey" | "authToken"> {
  if (secret === undefined) return {};
  const isInUrl = readEndpoint(env["ANTHROPIC_BASE_URL"] ?? "").authorization !== undefined;
  return isInUrl ? { apiKey: secret } : { apiKey: secret, authToken: secret };
}

const retryLimit = 15;

function retryPort(variables: Variables, notice: (text: string) => void): RetryPort {
  const wanted = variables.number("CLAUDE_CODE_MAX_RETRIES", 0) ?? defaultRetryPolicy.maxRetries;
  if (wanted > retryLimit) notice(`CLAUDE_CODE_MAX_RETRIES is lowered to ${retryLimit}, its maximum.`);
  const isEndless = variables.flag("CLAUDE_CODE_RETRY_WATCHDOG") === true;
  const policy = { ...defaultRetryPolicy, maxRetries: Math.min(wanted, retryLimit), isEndless };
  return { advise: (failure, attempt, random, endless) => retryAdvice(failure, attempt, random, policy, endless) };
}
