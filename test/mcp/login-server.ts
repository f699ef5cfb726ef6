/** MCP servers over HTTP whose login is their own, or that of another one. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import { bodyOf } from "./remote-server.ts";

export const loginServers: Server[] = [];

export function closeLoginServersAfterwards(): void {
  afterEach(() => {
    for (const server of loginServers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
}

export interface OnHttp {
  url: string;
  /** Its requests, each with what it had to show for itself. */
  seen: string[];
  /** What was sent to its login server. */
  given: string[];
  /** Has it name another login server: that of another server. */
  loginAt(url: string): void;
  /** Those it takes now. */
  tokens: { access: Set<string>; refresh: Set<string>; count: number };
  /** That its login server has registered, and knows still. */
  clients: Set<string>;
  /** Asked before a login is renewed: the status it is refused with, or 200. */
  renewal: () => Promise<number>;
  /** A call is refused for want of this scope, until a login asked for it. */
  scope?: string;
  /** Whether it requires the login only for calls, and lets anybody connect. */
  isOpenUntilCalled?: boolean;
  /** Whether its login server knows no such scope. */
  isUnknown?: (scope: string) => boolean;
  /** That it and its login server name; absent: as many write what they have not. */
  knownScopes?: string[];
  /** With what its login server refuses each request. */
  refusal?: Record<string, string>;
  /** What its login server answers to a code: a status and a text. */
  exchange?: [number, string];
  /** What it, or its login server, says nothing to: a path. */
  silentAt?: string;
  /** Whether it takes no token. */
  takesNone?: boolean;
  /** Where its login server has people log in, in place of its own. */
  page?: string;
}

/** An MCP server over HTTP with one tool, and where `isOpen` is false with a login of its own. */
export async function serverOnHttp(isOpen: boolean, namesLogin = true): Promise<OnHttp> {
  const seen: string[] = [];
  const tokens: OnHttp["tokens"] = { access: new Set(), refresh: new Set(), count: 0 };
  const handOut = (response: ServerResponse): void => {
    tokens.count += 1;
    const [access, refresh] = [`t0ken${tokens.count}`, `r${tokens.count}`];
    if (on.takesNone !== true) tokens.access.add(access);
    tokens.refresh.add(refresh);
    json(response, 200, { access_token: access, token_type: "Bearer", refresh_token: refresh, expires_in: 3600 });
  };
  const given: string[] = [];
  const on: Omit<OnHttp, "url" | "seen" | "given" | "loginAt" | "tokens" | "clients"> = {
    renewal: () => Promise.resolve(200),
  };
  const clients = new Set<string>();
  let registered = 0;
  let elsewhere: string | undefined;
  const challenges = new Map<string, string>();
  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const json = (
    response: ServerResponse,
    status: number,
    value: unknown,
    headers: Record<string, string> = {},
  ): void => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };
  const speak = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    seen.push(`${request.headers.authorization ?? "none"} ${String(request.headers["x-given"] ?? "")}`);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await bodyOf(request)) as {
      id?: number;
      method: string;
      params?: Record<string, unknown>;
    };
    const isCall = method === "tools/call" || on.isOpenUntilCalled !== true;
    if (!isOpen && isCall && !tokens.access.has(request.headers.authorization?.replace("Bearer ", "") ?? ""))
      return json(
        response,
        401,
        {},
        { "www-authenticate": `Bearer resource_metadata="${base()}/.well-known/oauth-protected-resource"` },
      );
    if (id === undefined) return void response.writeHead(202).end();
    const tools = [{ name: "hello", inputSchema: { type: "object" } }];
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.["protocolVersion"],
        capabilities: { tools: {} },
        serverInfo: { name: "h", version: "1" },
      },
      "tools/list": { tools },
      "tools/call": { content: [{ type: "text", text: "hello over http" }] },
    };
    if (method === "tools/call" && on.scope !== undefined)
      return json(response, 403, {}, { "www-authenticate": `Bearer error="insufficient_scope", scope="${on.scope}"` });
    const result = results[method];
    json(response, 200, {
      jsonrpc: "2.0",
      id,
      ...(result === undefined ? { error: { code: -32601, message: "no" } } : { result }),
    });
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", base());
    if (pathname === on.silentAt) return;
    if (!namesLogin && pathname !== "/mcp") return void response.writeHead(404).end();
    switch (pathname) {
      case "/mcp":
        return await speak(request, response);
      case "/.well-known/oauth-protected-resource":
        return json(response, 200, {
          resource: `${base()}/mcp`,
          authorization_servers: [elsewhere ?? base()],
          scopes_supported: on.knownScopes,
        });
      case "/.well-known/oauth-authorization-server":
      case "/tenant/login.json":
        return json(response, 200, {
          issuer: base(),
          authorization_endpoint: on.page ?? `${base()}/authorize`,
          token_endpoint: `${base()}/token`,
          registration_endpoint: `${base()}/register`,
          response_types_supported: ["code"],
          scopes_supported: on.knownScopes ?? null,
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        });
      case "/register": {
        const id = `c${(registered += 1)}`;
        clients.add(id);
        const given = JSON.parse(await bodyOf(request)) as object;
        return json(response, 201, { ...given, client_id: id, client_secret: null });
      }
      case "/authorize": {
        const client = searchParams.get("client_id") ?? "";
        if (/^c\d+$/u.test(client) && !clients.has(client)) return json(response, 400, { error: "invalid_client" });
        if (searchParams.get("scope")?.includes(on.scope ?? "") === true) delete on.scope;
        challenges.set("code1", searchParams.get("code_challenge") ?? "");
        const back = new URL(searchParams.get("redirect_uri") ?? "");
        const refusal =
          on.isUnknown?.(searchParams.get("scope") ?? "") === true ? { error: "invalid_scope" } : on.refusal;
        if (refusal !== undefined) {
          const state = searchParams.get("state") ?? "";
          return void response
            .writeHead(302, { location: `${back.href}?${String(new URLSearchParams({ ...refusal, state }))}` })
            .end();
        }
        back.search = new URLSearchParams({ code: "code1", state: searchParams.get("state") ?? "" }).toString();
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token": {
        const body = await bodyOf(request);
        const basic = (request.headers.authorization ?? "").replace(/^Basic /u, "");
        given.push(body, Buffer.from(basic, "base64").toString("utf8"));
        const asked = new URLSearchParams(body);
        seen.push(`token ${asked.get("grant_type") ?? ""}`);
        if (asked.get("grant_type") === "refresh_token") {
          const status = await on.renewal();
          if (status !== 200) return void response.writeHead(status).end();
          if (!tokens.refresh.delete(asked.get("refresh_token") ?? ""))
            return json(response, 400, { error: "invalid_grant" });
          return handOut(response);
        }
        if (on.exchange !== undefined) return void response.writeHead(on.exchange[0]).end(on.exchange[1]);
        const hash = createHash("sha256")
          .update(asked.get("code_verifier") ?? "")
          .digest("base64url");
        if (challenges.get(asked.get("code") ?? "") !== hash) return json(response, 400, { error: "invalid_grant" });
        return handOut(response);
      }
      default:
        response.writeHead(404).end();
    }
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  loginServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const loginAt = (url: string): void => void (elsewhere = new URL(url).origin);
  return Object.assign(on, { url: `${base()}/mcp`, seen, given, tokens, clients, loginAt });
}
