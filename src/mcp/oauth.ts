/** Logins to servers: a session uses stored tokens, and a person logs in with a browser and a local callback address. */
import { randomBytes } from "node:crypto";
import {
  auth,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  UnauthorizedError,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import type {
  FetchLike,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { AuthStore, StoredAuth } from "./auth-store.ts";
import { UsageError } from "../lib/usage-error.ts";
import { LoginCallbackServer, LoginRefused } from "./login-callback.ts";
import { fetchLoginMetadata } from "./login-metadata.ts";
import { mergeScopes } from "./login-scopes.ts";
import type { RemoteServer } from "./server.ts";

/** Called with the address the person should open; resolves once it has been shown. */
export type OpenUrl = (url: URL) => Promise<void>;

export interface ServerAuth {
  provider: OAuthClientProvider | AuthProvider;
  /** The answer to the login that the provider began; absent if nobody can be asked. */
  code?: () => Promise<URLSearchParams>;
  /** Notes a scope that the server refused a call for lack of. */
  noteMissingScope?: (scope: string) => Promise<void>;
}

/** For a session: uses and renews a stored login. Undefined if there is none. */
export function storedAuth(server: RemoteServer, store: AuthStore): ServerAuth | undefined {
  const { redirectUrl, tokens } = store.get(server.name, server.url);
  if (tokens === undefined) return undefined;
  const provider = new LoginProvider(server, store, redirectUrl ?? "http://127.0.0.1/callback");
  return {
    provider: {
      token: async () => provider.tokens()?.access_token,
      onUnauthorized: (refusal) => renewLogin(provider, store, server, refusal),
    },
    noteMissingScope: (scope) =>
      store.change(server.name, server.url, (auth) => {
        auth.scope = mergeScopes(auth.scope, auth.tokens?.scope, scope);
      }),
  };
}

/** The login could not be renewed for now, but may still be valid. */
export class NotRenewed extends Error {
  override readonly name = "NotRenewed";
}

async function renewLogin(
  provider: LoginProvider,
  store: AuthStore,
  { name, url }: RemoteServer,
  { response, serverUrl, fetchFn }: Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0],
): Promise<void> {
  const refused = provider.tokens()?.access_token;
  await store.withRenewalLock(name, url, async () => {
    const tokens = provider.tokens();
    if (tokens === undefined) throw new UnauthorizedError();
    // Another session has renewed the login meanwhile.
    if (tokens.access_token !== refused) return;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    if ((await auth(provider, { serverUrl, resourceMetadataUrl, scope, fetchFn })) === "AUTHORIZED") return;
    if (provider.tokens()?.refresh_token === undefined) throw new UnauthorizedError();
    throw new NotRenewed("its login could not be renewed: the login server gave no usable answer");
  });
}

export interface LoginDesk {
  auth: ServerAuth;
  /** Whether tokens have arrived. */
  hasTokens(): boolean;
  /** Starts a login with a server that accepts connections without one but requires it for calls. False if no login server is found. */
  begin(): Promise<boolean>;
  close(): Promise<void>;
}

export interface LoginOptions {
  openUrl: OpenUrl;
  /** URL of the client's metadata document, if it has one on the web. */
  clientMetadataUrl?: string;
  /** Fetches the login server's metadata. Has to give up on endless answers. */
  fetch: FetchLike;
}

/** Starts a login and listens on this machine for the answer. */
export async function openLogin(server: RemoteServer, store: AuthStore, options: LoginOptions): Promise<LoginDesk> {
  const { openUrl, clientMetadataUrl } = options;
  const before = store.get(server.name, server.url);
  const metadataUrl = server.oauth?.authServerMetadataUrl;
  refuseOtherLoginServer(server, before.secret, metadataUrl);
  const discovery = metadataUrl === undefined ? undefined : await fetchLoginMetadata(metadataUrl, options.fetch);
  const desk = new LoginCallbackServer();
  const port = server.oauth?.callbackPort;
  const redirectUrl =
    port === undefined
      ? await desk.open(Number(new URL(before.redirectUrl ?? "http://x:0").port), callbackHost(server))
      : await desk.openAt(port, callbackHost(server));
  await store.change(server.name, server.url, (auth) => {
    // A login server that has forgotten the client tells only the browser's user, so nobody would ever return here.
    if (server.oauth?.clientId === undefined) delete auth.client;
    auth.redirectUrl = redirectUrl;
    delete auth.tokens;
    // The server may have moved to another login server.
    delete auth.discovery;
    delete auth.metadataUrl;
    if (discovery !== undefined) Object.assign(auth, { discovery, metadataUrl });
  });
  const provider = new LoginProvider(server, store, redirectUrl, { openUrl, clientMetadataUrl });
  return {
    hasTokens: () => provider.tokens() !== undefined,
    begin: () => startLogin(provider, server, options.fetch),
    auth: { provider, code: () => awaitLoginAnswer(desk, provider) },
    close: () => desk.close(),
  };
}

async function awaitLoginAnswer(desk: LoginCallbackServer, provider: LoginProvider): Promise<URLSearchParams> {
  const answer = await desk
    .waitForAnswer(provider.lastState)
    .catch((error: unknown) => dropRejectedScopes(error, provider));
  provider.isAnswered = true;
  return answer;
}

async function startLogin(
  provider: LoginProvider,
  { url: serverUrl }: RemoteServer,
  fetchFn: FetchLike,
): Promise<boolean> {
  const { resourceMetadata, authorizationServerMetadata } =
    provider.discoveryState() ?? (await discoverOAuthServerInfo(serverUrl, { fetchFn }));
  if (resourceMetadata === undefined && authorizationServerMetadata === undefined) return false;
  await auth(provider, { serverUrl, fetchFn });
  return true;
}

/** Refuses a changed login server: a configuration with another one for the same server and client would receive the secret. */
function refuseOtherLoginServer({ name, oauth }: RemoteServer, kept: StoredAuth["secret"], metadataUrl?: string): void {
  if (kept === undefined || oauth?.clientId !== kept.clientId || oauth.clientSecret !== undefined) return;
  if (kept.metadataUrl === metadataUrl) return;
  const expectedServer = kept.metadataUrl ?? "the login server that the server itself names";
  throw new UsageError(
    `The secret that is kept for the client of the server ${name} was given for ${expectedServer}, and its configuration names ${metadataUrl ?? "no other one"} (oauth.authServerMetadataUrl): nothing was sent. If that is right, remove the server and add it again with --client-secret.`,
  );
}

/** Drops an unknown scope: otherwise the login server would refuse every login. */
async function dropRejectedScopes(error: unknown, provider: LoginProvider): Promise<never> {
  const isInvalidScope = error instanceof LoginRefused && error.reason === "invalid_scope";
  if (!isInvalidScope || !(await provider.forgetMissingScopes())) throw error;
  throw new Error(
    `${error.message}: the next login will no longer ask for the scopes that calls were refused for lack of`,
  );
}

/** The host name people use when registering a client by hand, as other clients do; some login servers accept no other. */
function callbackHost({ oauth }: RemoteServer): string {
  return oauth?.clientId === undefined && oauth?.callbackPort === undefined ? "127.0.0.1" : "localhost";
}

class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  lastState = "";
  /** A code has arrived, but no tokens for it yet. */
  isAnswered = false;
  readonly #server: RemoteServer;
  readonly #store: AuthStore;
  readonly #openUrl: OpenUrl | undefined;
  #verifier = "";

  constructor(
    server: RemoteServer,
    store: AuthStore,
    redirectUrl: string,
    { openUrl, clientMetadataUrl }: { openUrl?: OpenUrl; clientMetadataUrl?: string | undefined } = {},
  ) {
    this.#server = server;
    this.#store = store;
    this.redirectUrl = redirectUrl;
    this.#openUrl = openUrl;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "pawl",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
    };
  }

  state(): string {
    this.lastState = randomBytes(16).toString("hex");
    return this.lastState;
  }

  /** A configured client belongs to the login server it was first used with: no other server is sent its secret. */
  clientInformation(): StoredOAuthClientInformation | undefined {
    const { client, secret: kept, metadataUrl } = this.#readAuth();
    const { clientId, clientSecret = kept?.clientId === clientId ? kept?.value : undefined } = this.#server.oauth ?? {};
    if (clientId === undefined) return client;
    // A login server found by another configuration of the same server must not get the secret.
    const place =
      this.#server.oauth?.clientSecret === undefined ? kept?.metadataUrl : this.#server.oauth.authServerMetadataUrl;
    const secret = clientSecret === undefined || place !== metadataUrl ? {} : { client_secret: clientSecret };
    const pin = client?.client_id !== clientId || client.issuer === undefined ? {} : { issuer: client.issuer };
    return { client_id: clientId, ...secret, ...pin };
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    const clientId = this.#server.oauth?.clientId;
    // A client registered where the configured one does not belong is only used once.
    if (clientId !== undefined && client.client_id !== clientId) return;
    const { issuer } = client;
    const pin = { client_id: client.client_id, ...(issuer === undefined ? {} : { issuer }) };
    await this.#changeAuth((auth) => (auth.client = clientId === undefined ? client : pin));
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#readAuth().tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.isAnswered = false;
    return this.#changeAuth((auth) => (auth.tokens = tokens));
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    // The user is asked to open it, and other schemes would start programs on this machine.
    if (!/^https?:$/u.test(url.protocol))
      throw new Error(
        `its login server wants ${url.href.split("?", 1)[0]!.slice(0, 200)} opened, which is not a web page`,
      );
    const requestedScope = url.searchParams.get("scope") ?? "";
    // This scope allows nothing more; it only makes the login renewable.
    const renews = requestedScope.split(" ").includes("offline_access") ? "offline_access" : "";
    const { scopes } = this.#server.oauth ?? {};
    const scope =
      scopes === undefined ? mergeScopes(requestedScope, this.#readAuth().scope) : mergeScopes(scopes, renews);
    if (scope !== "") url.searchParams.set("scope", scope);
    await this.#openUrl?.(url);
  }

  /** Returns whether additional scopes had been requested at all. */
  async forgetMissingScopes(): Promise<boolean> {
    if (this.#readAuth().scope === undefined || this.#server.oauth?.scopes !== undefined) return false;
    await this.#changeAuth((auth) => void delete auth.scope);
    return true;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): Promise<void> {
    return this.#changeAuth((auth) => (auth.discovery = state));
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#readAuth().discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    return this.#changeAuth((auth) => {
      // A code belongs to the client that asked for it: without that client, the reason for a refusal would be lost.
      const isKept = this.#server.oauth?.clientId !== undefined || this.isAnswered;
      if ((scope === "all" || scope === "client") && !isKept) delete auth.client;
      if (scope === "all" || scope === "tokens") delete auth.tokens;
      if (scope === "tokens" || scope === "verifier" || scope === "client") return;
      delete auth.discovery;
      delete auth.metadataUrl;
    });
  }

  #readAuth() {
    return this.#store.get(this.#server.name, this.#server.url);
  }

  #changeAuth(change: Parameters<AuthStore["change"]>[2]): Promise<void> {
    return this.#store.change(this.#server.name, this.#server.url, change);
  }
}
