/** The model's side of a session: whose endpoint, which credentials, which model, and what is known of it. */
import type { Catalog } from "../model/catalog.ts";
import {
  createAnthropicModel,
  createCatalog,
  defaultRetryPolicy,
  readCatalogOverrides,
  readCustomHeaders,
  retryAdvice,
  thinkingTaken,
  wishesNotMet,
  type AnthropicModel,
} from "../model/index.ts";
import type { Effort, ThinkingSetting } from "../protocol/model.ts";
import type { RetryPort } from "../loop/ports.ts";
import { createKeyHelper } from "../settings/key-source.ts";
import { given, needsKeyHelper } from "./credentials.ts";
import { readWishes, type ModelWishes } from "./model-wishes.ts";
import type { EngineOptions } from "./options.ts";
import type { Surroundings } from "./surroundings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelParts {
  model: AnthropicModel;
  catalog: Catalog;
  retry: RetryPort;
  /** Id the session starts with. */
  id: string;
  fallbacks: string[];
  cacheTtl: "5m" | "1h";
  wishes: ModelWishes;
  /** What the model makes of the wish about thinking. */
  thinkingOf(model: string, effort: Effort | undefined): ThinkingSetting;
  /** A sentence for each wish that the model does not meet. */
  notMet(model: string, effort: Effort | undefined): string[];
}

export function composeModel(
  options: EngineOptions,
  { env, settings, apiKey, version, notice, clock }: Surroundings,
  restoredModel: string | undefined,
): ModelParts {
  const { overrides, problems } = readCatalogOverrides(settings.catalog);
  const custom = readCustomHeaders(env["ANTHROPIC_CUSTOM_HEADERS"]);
  for (const problem of [...problems, ...custom.problems]) notice(`${problem}.`);
  const catalog = createCatalog(overrides);
  const id = catalog.resolveModel(options.model ?? restoredModel ?? env["ANTHROPIC_MODEL"] ?? settings.model, env);
  const fallbacks = namesIn(options.fallbackModel ?? settings.fallbackModel ?? []);
  const authToken = given(env["ANTHROPIC_AUTH_TOKEN"]);
  const baseUrl = given(env["ANTHROPIC_BASE_URL"]);
  const cacheTtl = settings.promptCacheTtl ?? "5m";
  const model = createAnthropicModel({
    baseUrl,
    apiKey,
    authToken,
    refreshCredentials: credentialsAgain(env, settings.apiKeyHelper),
    customHeaders: custom.headers,
    betas: namesIn(env["ANTHROPIC_BETAS"] ?? ""),
    environment: env,
    catalog,
    transport: options.transport,
    timers: { now: () => clock.now(), elapsed: () => clock.elapsed(), after: (ms, action) => clock.timer(ms, action) },
    idleMs: wholeNumber(env["PAWL_IDLE_TIMEOUT_MS"]),
    firstByteMs: wholeNumber(env["PAWL_FIRST_BYTE_TIMEOUT_MS"]),
    onDebug: options.debug,
    promptCacheTtl: cacheTtl,
    rawEvents: options.includePartialMessages === true,
    version,
  });
  const wishes = readWishes(options, env, settings, notice);
  const maxRetries = Math.min(wholeNumber(env["CLAUDE_CODE_MAX_RETRIES"], 0) ?? defaultRetryPolicy.maxRetries, 15);
  return {
    model,
    catalog,
    id,
    fallbacks: fallbacks.map((name) => catalog.resolveModel(name, env)),
    cacheTtl,
    retry: retryPort(maxRetries),
    wishes,
    thinkingOf(name, effort) {
      const entry = catalog.info(name);
      const { thinking, fixedThinking = thinking } = wishes;
      return thinkingTaken(entry, entry.thinking === "adaptive" ? fixedThinking : thinking, effort);
    },
    notMet: (name, effort) => wishesNotMet(catalog.info(name), { ...wishes, effort }),
  };
}

function namesIn(list: string | readonly string[]): string[] {
  const names = typeof list === "string" ? list.split(",") : list;
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

/** A key from a helper may have run out: the helper is asked once more. */
function credentialsAgain(
  env: Environment,
  helper: string | undefined,
): (() => Promise<{ apiKey: string } | undefined>) | undefined {
  if (helper === undefined || !needsKeyHelper(env)) return undefined;
  // A helper that fails now leaves the server's refusal standing, which says what to do.
  return () =>
    createKeyHelper(helper, env)
      .get()
      .then(
        (apiKey) => ({ apiKey }),
        () => undefined,
      );
}

function retryPort(maxRetries: number): RetryPort {
  const policy = { ...defaultRetryPolicy, maxRetries };
  return {
    advise(failure, attempt, random) {
      const advice = retryAdvice(failure, attempt, random, policy);
      return advice.retry ? { ...advice, maxRetries } : advice;
    },
  };
}

export function wholeNumber(text: string | undefined, least = 1): number | undefined {
  const number = given(text) === undefined ? NaN : Number(text);
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}
