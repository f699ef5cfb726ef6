// Tunnels by themselves; what goes through them is tried where it is asked for (test/session/proxies.test.ts).
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { TunnelRefused } from "../../src/lib/proxy-errors.ts";
import { requestOnce, tunnelThrough } from "../../src/lib/proxy.ts";
import { selfSigned } from "../model/support/certificate.ts";
import { listen } from "../model/support/servers.ts";

const target = { host: "::1", port: 22 };

/** Answers each CONNECT with these bytes; undefined: with none. */
async function answering(bytes: string | undefined) {
  const asked: { url?: string; credentials?: string }[] = [];
  const server = createServer();
  server.on("connect", ({ url, headers }, socket: Socket) => {
    asked.push({ url, credentials: headers["proxy-authorization"] });
    socket.on("error", () => undefined);
    socket.resume().once("end", () => socket.destroy());
    if (bytes !== undefined) socket.write(bytes);
  });
  const proxy = await listen(server);
  return { ...proxy, asked };
}

test("bytes that the proxy sends together with its answer are the beginning of the stream", async () => {
  const proxy = await answering("HTTP/1.1 201 Made\r\n\r\nSSH-2.0");
  const socket = await tunnelThrough(new URL(proxy.url.replace("//", "//me:100%@")), target, { limitMs: 20_000 });
  const [first] = await once(socket, "data");
  socket.destroy();
  expect(String(first)).toBe("SSH-2.0");
  const credentials = `Basic ${Buffer.from("me:100%").toString("base64")}`;
  expect(proxy.asked).toEqual([{ url: "[::1]:22", credentials }]);
});

test("a tunnel fails with the proxy's status if it is refused, and after the limit if there is no answer", async () => {
  const refusing = await answering("HTTP/1.1 407 No\r\n\r\n");
  const refusal = await tunnelThrough(new URL(refusing.url), target, {}).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TunnelRefused);
  expect(refusal).toMatchObject({ status: 407, message: expect.stringContaining("put user and password") });
  const wrong = new URL(refusing.url.replace("//", "//me:old@"));
  await expect(tunnelThrough(wrong, target, {})).rejects.toThrow("check user and password in HTTPS_PROXY");
  const forbidding = await answering("HTTP/1.1 403 Filtered\r\n\r\n");
  await expect(tunnelThrough(new URL(forbidding.url), target, {})).rejects.toThrow(
    "(403): it does not allow this host",
  );
  const silent = await answering(undefined);
  await expect(tunnelThrough(new URL(silent.url), target, { limitMs: 20 })).rejects.toThrow("does not answer");
  const aborted = AbortSignal.abort();
  await expect(tunnelThrough(new URL(silent.url), target, { signal: aborted })).rejects.toThrow("aborted");
  await Promise.all([refusing, forbidding, silent].map((proxy) => proxy.disconnected()));
});

test("checks the certificate of an https proxy against the proxy's own name", async () => {
  const { key, cert } = selfSigned("localhost");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const asked: (string | undefined)[] = [];
  const server = createSecureServer({ key, cert }, ({ url }, response) => {
    asked.push(url);
    response.end("page");
  });
  server.on("connect", ({ url }: IncomingMessage, socket: Socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 200 OK\r\n\r\nSSH-2.0");
  });
  const { port } = await listen(server as unknown as ReturnType<typeof createServer>);
  const proxy = new URL(`https://localhost:${port}`);
  const socket = await tunnelThrough(proxy, { host: "far.test", port: 22 }, {});
  expect(String((await once(socket, "data"))[0])).toBe("SSH-2.0");
  socket.destroy();
  const request = requestOnce(new URL("http://far.test/page"), { headers: {} }, { proxy }).end();
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.resume();
  expect(asked).toEqual(["far.test:22", "http://far.test/page"]);
});
