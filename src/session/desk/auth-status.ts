/** Whether a session here has a key, and from which source. Sends no request and runs no helper. */
import type { SDKAccountInfo } from "../../protocol/sdk-control.ts";
import { accessProblem, keySource } from "../surroundings/credentials.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadSettingsFor, settingsPlaces } from "../settings/read-settings.ts";

/** Uses the field names that programs look for. */
export interface AuthStatus extends SDKAccountInfo {
  loggedIn: boolean;
  authMethod: "api_key" | "auth_token" | "api_key_helper" | "none";
  /** Why no session could reach a model. One sentence. */
  problem?: string;
}

const authMethods = {
  ANTHROPIC_API_KEY: "api_key",
  ANTHROPIC_AUTH_TOKEN: "auth_token",
  apiKeyHelper: "api_key_helper",
} as const satisfies Record<NonNullable<SDKAccountInfo["apiKeySource"]>, AuthStatus["authMethod"]>;

export function authStatus(options: EngineOptions): AuthStatus {
  const places = settingsPlaces(options);
  const { settings } = loadSettingsFor(options, places);
  const env = { ...settings.env, ...places.env };
  const source = keySource(env, settings);
  const problem = accessProblem(env, settings.apiKeyHelper)?.message;
  return {
    loggedIn: problem === undefined,
    authMethod: source === undefined ? "none" : authMethods[source],
    apiProvider: "firstParty",
    ...(source === undefined ? {} : { apiKeySource: source }),
    ...(problem === undefined ? {} : { problem }),
  };
}
