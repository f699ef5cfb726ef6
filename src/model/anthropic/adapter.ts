/** What all calls of one model port share: destination, headers, and what error messages may say about them. */
import type { FailureContext } from "../failure.ts";
import type { Endpoint } from "./endpoint.ts";
import { baseHeaders, withBetas } from "./headers.ts";
import type { Timers } from "./timers.ts";
import type { OwnedTransport, SendProgress, TransportResponse } from "./transport.ts";

export interface Credentials {
  /** Sent as `x-api-key`. */
  apiKey?: string;
  /** Sent as a bearer token. */
  authToken?: string;
}

export interface AdapterOptions extends Credentials {
  /** What error messages call the credentials. Default: the environment variables of their kind. */
  credentialNames?: readonly string[];
  /** Called once per call when the server refuses the credentials (401 or 403); undefined means that there are no others. */
  refreshCredentials?: () => Promise<Credentials | undefined>;
  customHeaders?: Readonly<Record<string, string>>;
  /** Beta names sent with every request. */
  betas?: readonly string[];
  /** This program's version. */
  version: string;
  /** The calling client, for `user-agent`. */
  client?: string | undefined;
}

export interface Adapter {
  readonly timers: Timers;
  context(model: string): FailureContext;
  /** Rejects if there is no answer. */
  send(
    path: string,
    pieces: readonly Uint8Array[],
    betas: readonly string[],
    signal: AbortSignal,
    progress?: SendProgress,
  ): Promise<TransportResponse>;
}

export function createAdapter(
  endpoint: Endpoint,
  options: AdapterOptions,
  transport: OwnedTransport,
  timers: Timers,
): Adapter {
  let access = createAccess(endpoint, options, options);
  /** Headers for which token counting was refused even when they were fresh; a count may be wanted before each request. */
  let uncounted: Access["headers"] | undefined;
  let hasAnswered = false;
  const markAnswered = (answer: TransportResponse): TransportResponse => {
    hasAnswered = true;
    return answer;
  };
  const post: Adapter["send"] = (path, pieces, betas, signal, progress = {}) => {
    const headers = withBetas(access.headers, options.betas === undefined ? betas : [...options.betas, ...betas]);
    const request = { method: "POST", url: endpoint.url(path), headers, pieces, signal, ...progress } as const;
    return transport.send(request).then(markAnswered);
  };
  let renewing: Promise<Access | undefined> | undefined;
  /** Calls that are refused at once share one refresh: a credential helper may open a browser, or use up its refresh token. */
  const renewAccess = (sent: Access["headers"], refresh: () => Promise<Credentials | undefined>) => {
    if (sent !== access.headers) return Promise.resolve(access);
    renewing ??= refresh()
      .then((fresh) => (fresh === undefined ? undefined : createAccess(endpoint, options, fresh)))
      .finally(() => (renewing = undefined));
    return renewing;
  };
  return {
    timers,
    context: (model) => ({
      ...access.failureFields,
      endpoint: endpoint.label,
      loopback: endpoint.loopback,
      hasAnswered,
      now: () => timers.now(),
      model,
    }),
    send(path, pieces, betas, signal, progress) {
      const sent = access.headers;
      const answer = post(path, pieces, betas, signal, progress);
      const refresh = options.refreshCredentials;
      if (refresh === undefined) return answer;
      return answer.then(async (response) => {
        const isCount = path.endsWith("/count_tokens");
        if (!isRefused(response) || (isCount && sent === uncounted)) return response;
        const renewed = await renewAccess(sent, refresh);
        // Some gateways answer an expired token with 403. For an unchanged token a 403 is a verdict on its permissions.
        const isSame = renewed === undefined || (response.status === 403 && isSameKey(sent, renewed.headers));
        if (!isSame) {
          // Before the rest of this answer is awaited, so that all calls use the new credentials.
          access = renewed;
          // Read to the end so that the connection can be reused; the text is about credentials that are replaced now.
          let read = 0;
          for await (const { byteLength } of response.body) if ((read += byteLength) > 65_536) break;
        }
        const last = isSame ? response : await post(path, pieces, betas, signal, progress);
        if (isCount && isRefused(last)) uncounted = access.headers;
        return last;
      });
    },
  };
}

function isRefused({ status }: { status: number }): boolean {
  return status === 401 || status === 403;
}

function isSameKey(one: Record<string, string>, other: Record<string, string>): boolean {
  return ["x-api-key", "authorization"].every((name) => one[name] === other[name]);
}

interface Access {
  headers: Record<string, string>;
  failureFields: Pick<FailureContext, "credentials" | "secrets">;
}

function createAccess({ authorization }: Endpoint, options: AdapterOptions, credentials: Credentials): Access {
  const apiKey = credentials.apiKey?.trim() || undefined;
  const authToken = credentials.authToken?.trim() || undefined;
  const { customHeaders = {}, version, client } = options;
  const headers = baseHeaders({ apiKey, authToken, customHeaders, authorization, version, client });
  const names = [
    ...(apiKey === undefined ? [] : ["ANTHROPIC_API_KEY"]),
    ...(authToken === undefined ? [] : ["ANTHROPIC_AUTH_TOKEN"]),
  ];
  // Servers repeat a token without the scheme word before it.
  const customSecrets = Object.values(customHeaders).flatMap((value) => [value, value.replace(/^\w+ +/, "")]);
  const secrets = [apiKey, authToken, authorization?.replace(/^Basic /, ""), ...customSecrets];
  return {
    headers,
    failureFields: {
      credentials: options.credentialNames ?? names,
      secrets: secrets.filter((secret) => secret !== undefined && secret.length >= 8) as string[],
    },
  };
}
