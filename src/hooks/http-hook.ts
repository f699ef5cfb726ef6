/** Hooks that are web services: the input is sent by POST, and a JSON object in a 2xx response is the output. */
import type { Environment } from "../lib/environment.ts";
import { allowsAddress } from "../lib/address-pattern.ts";
import { errorText, isError } from "../lib/error-text.ts";
import { createProxiedFetch } from "../lib/proxied-fetch.ts";
import { ProxyUnreachable } from "../lib/proxy-errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import type { HookInput } from "../protocol/hook.ts";
import { handlerName, type HttpHandler } from "./handler.ts";
import { blockIfInvalid, failedOutput, readHookOutput, type HookOutput } from "./output.ts";

export interface HttpContext {
  env: Environment;
  /** Patterns with `*`; undefined: every address is allowed. */
  allowedUrls?: readonly string[];
  /** Variables that may be used in headers; undefined: those a hook lists. */
  allowedEnvVars?: readonly string[];
}

const maxBytes = 1024 * 1024;

export async function runHttpHook(
  handler: HttpHandler,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  context: HttpContext,
): Promise<HookOutput> {
  const event = input.hook_event_name;
  const name = handlerName(handler);
  const fail = (why: string): HookOutput => failedOutput({}, event, name, why, handler.blocksOnFailure);
  if (context.allowedUrls?.some((pattern) => allowsAddress(pattern, handler.url)) === false)
    return fail("may not be called: no pattern of allowedHttpHookUrls matches its address");
  // `fetch` refuses such an address, and repeats it in its error.
  if (name !== handler.url)
    return fail("was not called: its address contains a user name or a password; put them into its headers");
  const response = await createProxiedFetch(context.env)(handler.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...fillHeaders(handler, context) },
    body: JSON.stringify(input),
    // Permission for one address does not cover the address it redirects to.
    redirect: "manual",
    signal,
    isPatient: true,
  }).catch(throwUnreachable);
  const body = (await bodyOf(response).catch(throwBrokenAnswer)).trim();
  if (!response.ok) return fail(`answered with HTTP ${response.status}`);
  if (body === "") return {};
  const answer = tryParseJson(body);
  if (answer === undefined) return fail("answered with something that is not JSON");
  if (!isRecord(answer)) return fail("answered with something that is not a JSON object");
  return blockIfInvalid(readHookOutput(answer, event, name), event, name, handler.blocksOnFailure);
}

/** The error of `fetch` itself says only that it failed; the cause says why. */
function throwUnreachable(error: unknown): never {
  const cause = isError(error) && error.cause !== undefined ? error.cause : error;
  const proxyReason = cause instanceof ProxyUnreachable ? `: ${errorText(cause.cause)}` : "";
  throw new Error(`it could not be reached (${errorText(cause)}${proxyReason})`, { cause: error });
}

/** If the body breaks off, `fetch` says only that it was terminated. */
function throwBrokenAnswer(error: unknown): never {
  if (!isError(error) || error.name !== "TypeError") throw error;
  const why = error.cause === undefined ? "" : ` (${errorText(error.cause)})`;
  throw new Error(`its answer broke off${why}`, { cause: error });
}

function fillHeaders({ headers, allowedEnvVars }: HttpHandler, context: HttpContext): Record<string, string> {
  const mayShow = (name: string): boolean =>
    allowedEnvVars.includes(name) && context.allowedEnvVars?.includes(name) !== false;
  const filled = (text: string): string =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/gu, (_whole, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? "";
      return mayShow(name) ? (context.env[name] ?? "").replace(/[\r\n\0]/gu, "") : "";
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
}

async function bodyOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new Error("it answered with more than 1 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
