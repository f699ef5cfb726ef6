/** The credentials of a session: a token or key from the environment, or else the output of the user's own helper. */
import { withMachinePathFirst } from "../../lib/repository-programs.ts";
import type { Environment } from "../../lib/environment.ts";
import { errorText } from "../../lib/error-text.ts";
import { yesOrNo } from "../../lib/yes-or-no.ts";
import { readEndpoint } from "../../model/index.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { SDKAccountInfo } from "../../protocol/sdk-control.ts";
import { createKeyHelper } from "../../settings/key-source.ts";
import type { PlainSettings } from "../../settings/settings.ts";
import { nonEmpty } from "../options/variables.ts";

/** The token takes precedence over the key. */
const credentialVariables = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"] as const;

/** By convention, each of these selects another provider and account in place of Anthropic's own API with the key that is also set. */
const otherProviderVariables = [
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_MANTLE",
  "CLAUDE_CODE_USE_ANTHROPIC_AWS",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
] as const;

/** Returns the source of the session's key; undefined if there is none. */
export function keySource(
  env: Environment,
  { apiKeyHelper }: Pick<PlainSettings, "apiKeyHelper">,
): SDKAccountInfo["apiKeySource"] {
  const variable = credentialVariables.find((name) => nonEmpty(env[name]) !== undefined);
  return variable ?? (apiKeyHelper === undefined ? undefined : "apiKeyHelper");
}

/** Whether the key has to come from the helper. It is not run if the environment has a token or key. */
export function needsKeyHelper(env: Environment): boolean {
  return credentialVariables.every((name) => nonEmpty(env[name]) === undefined);
}

/** Returns why no server can be asked, as far as that is known without running the helper. */
export function accessProblem(env: Environment, helper: string | undefined): UsageError | undefined {
  const baseUrl = nonEmpty(env["ANTHROPIC_BASE_URL"]);
  const problem = baseUrl === undefined ? undefined : readEndpoint(baseUrl).problem;
  if (problem !== undefined) return new UsageError(`${problem}.`);
  const other = otherProviderVariables.find((name) => yesOrNo(env[name]) === true);
  if (other !== undefined && baseUrl === undefined)
    return new UsageError(
      `${other} selects a provider whose API is not supported. Set ANTHROPIC_BASE_URL to a gateway that offers the Messages API for it, or unset ${other}.`,
    );
  if (helper !== undefined || !needsKeyHelper(env)) return undefined;
  return new UsageError(
    "No API key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN; for another server that speaks the Messages API also ANTHROPIC_BASE_URL).",
    { code: "no_credentials" },
  );
}

/** Returns undefined if the token of the environment is all there is. Throws `UsageError`, before anything is written. */
export async function readApiKey(
  { env, cwd }: { env: Environment; cwd: string },
  helper: string | undefined,
): Promise<string | undefined> {
  const problem = accessProblem(env, helper);
  if (problem !== undefined) throw problem;
  if (helper === undefined || !needsKeyHelper(env)) return nonEmpty(env["ANTHROPIC_API_KEY"]);
  try {
    return await createKeyHelper(helper, withMachinePathFirst(env, cwd)).get();
  } catch (error) {
    throw new UsageError(errorText(error), {
      code: "no_credentials",
      cause: error,
    });
  }
}
