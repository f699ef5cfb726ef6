// The idle limits of `fetch` itself. Requests through a proxy are tested in test/session/proxies.test.ts.
import { expect, onTestFinished, test } from "vitest";
import { runHttpHook } from "../../src/hooks/http-hook.ts";
import { createProxiedFetch } from "../../src/lib/proxied-fetch.ts";
import { ProxyUnreachable } from "../../src/lib/proxy-errors.ts";
import { gate, serve } from "../model/support/servers.ts";

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** Ends each request that does not say otherwise after a millisecond of silence: Node's own way does so after five minutes. */
function hurry(): void {
  const holder = globalThis as unknown as Record<symbol, Dispatcher>;
  const version = Number.parseInt(process.versions["undici"] ?? "", 10);
  const key = Symbol.for(`undici.globalDispatcher.${version < 8 ? 1 : 2}`);
  const usual = holder[key] as Dispatcher;
  onTestFinished(() => void (holder[key] = usual));
  const limits = { headersTimeout: 1, bodyTimeout: 1 };
  holder[key] = { dispatch: (options, handler) => usual.dispatch({ ...limits, ...options }, handler) };
}

test("waits for an answer without a time limit only if the caller asks for that", async () => {
  const late = gate();
  const server = await serve((_request, response) => {
    late.opened.then(
      () => response.end('{"systemMessage":"late"}'),
      () => response.destroy(),
    );
  });
  await fetch("data:,x");
  hurry();
  const ask = createProxiedFetch({});
  const patient = ask(server.url, { isPatient: true }).then((response) => response.json());
  const input = { hook_event_name: "Stop", session_id: "s", transcript_path: "/t", cwd: "/", stop_hook_active: false };
  const handler = { type: "http", url: server.url, headers: {}, allowedEnvVars: [], blocksOnFailure: false } as const;
  const hook = runHttpHook(handler as never, input as never, new AbortController().signal, { env: {} });
  await expect(ask(server.url)).rejects.toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } });
  late.open();
  expect(await patient).toEqual({ systemMessage: "late" });
  expect(await hook).toMatchObject({ systemMessage: "late" });
});

test("reports that the proxy wants credentials, also for a request that needs no tunnel", async () => {
  const proxy = await serve((_request, response) => void response.writeHead(407).end("no"));
  const at = new URL(proxy.url);
  const said = (user: string) =>
    createProxiedFetch({ HTTP_PROXY: `http://${user}${at.host}` })("http://far.test/mcp", {
      method: "POST",
      body: "{}",
    });
  const refused = `the proxy http://${at.host} refused the request (407)`;
  await expect(said("")).rejects.toMatchObject({
    cause: { status: 407, message: `${refused}: put user and password into HTTP_PROXY` },
  });
  await expect(said("me:s3cret@")).rejects.toMatchObject({
    cause: { message: `${refused}: check user and password in HTTP_PROXY` },
  });
});

// Seen: an MCP server was said not to answer, and only its proxy did not.
test.each(["http", "https"])("names the proxy that cannot be reached for a request over %s", async (scheme) => {
  const env = { ALL_PROXY: "http://user:secret@127.0.0.1:1" };
  const url = `${scheme}://far.test/mcp`;
  const failed = await createProxiedFetch(env)(url).catch((error: unknown) => error);
  expect(failed).toMatchObject({ message: "fetch failed", cause: { code: "ECONNREFUSED" } });
  expect((failed as Error).cause).toBeInstanceOf(ProxyUnreachable);
  const handler = { type: "http", url, headers: {}, allowedEnvVars: [], blocksOnFailure: false } as const;
  await expect(runHttpHook(handler as never, {} as never, new AbortController().signal, { env })).rejects.toThrow(
    "it could not be reached (the proxy http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1)",
  );
});
