/** The model, server and key that a session would start with, and why none would start. Sends no request and runs no helper. */
import { addressForDisplay } from "../../lib/basic-credentials.ts";
import type { Environment } from "../../lib/environment.ts";
import { errorText } from "../../lib/error-text.ts";
import { createCatalog, readCatalogOverrides } from "../../model/index.ts";
import type { Settings } from "../../settings/settings.ts";
import { accessProblem, keySource } from "../surroundings/credentials.ts";
import { chooseStartModel } from "../model/model-parts.ts";
import type { EngineOptions } from "../options/options.ts";
import { nonEmpty } from "../options/variables.ts";

export interface ModelReport {
  model: { name: string | null; endpoint: string; key: string | null };
  /** Why no session would start, besides problems with settings. Sentences. */
  start: string[];
}

export function modelReport({ model: chosen }: EngineOptions, settings: Settings, env: Environment): ModelReport {
  const configured = nonEmpty(env["ANTHROPIC_MODEL"]) ?? settings.model;
  const endpoint = nonEmpty(env["ANTHROPIC_BASE_URL"]) ?? "https://api.anthropic.com";
  const access = accessProblem(env, settings.apiKeyHelper)?.message;
  const choice = choiceProblem({ chosen, restored: undefined, configured }, settings, env);
  return {
    model: {
      name: chosen ?? configured ?? null,
      // What follows the path may be a key, too.
      endpoint: addressForDisplay(endpoint).replace(/\?[^]+/u, "?***"),
      key: keySource(env, settings) ?? null,
    },
    start: [access, choice].filter((problem) => problem !== undefined),
  };
}

function choiceProblem(
  wanted: Parameters<typeof chooseStartModel>[0],
  settings: Settings,
  env: Environment,
): string | undefined {
  const catalog = createCatalog(readCatalogOverrides(settings.catalog).overrides);
  try {
    chooseStartModel(wanted, { idOf: (name) => catalog.resolveModel(name, env), settings, notice: () => {} });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
