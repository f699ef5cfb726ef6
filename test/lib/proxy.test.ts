// Tunnels by themselves; what goes through them is tried where it is asked for (test/session/proxies.test.ts).
import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { TunnelRefused } from "../../src/lib/proxy-errors.ts";
import { tunnelThrough } from "../../src/lib/proxy.ts";
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

test("what the proxy sends along with its answer is the beginning of what comes", async () => {
  const proxy = await answering("HTTP/1.1 201 Made\r\n\r\nSSH-2.0");
  const socket = await tunnelThrough(new URL(proxy.url.replace("//", "//me:100%@")), target, { limitMs: 20_000 });
  const [first] = await once(socket, "data");
  socket.destroy();
  expect(String(first)).toBe("SSH-2.0");
  const credentials = `Basic ${Buffer.from("me:100%").toString("base64")}`;
  expect(proxy.asked).toEqual([{ url: "[::1]:22", credentials }]);
});

test("a refusal is told with its status, and silence ends", async () => {
  const refusing = await answering("HTTP/1.1 407 No\r\n\r\n");
  const refusal = await tunnelThrough(new URL(refusing.url), target, {}).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TunnelRefused);
  expect(refusal).toMatchObject({ status: 407, message: expect.stringContaining("put user and password") });
  const silent = await answering(undefined);
  await expect(tunnelThrough(new URL(silent.url), target, { limitMs: 20 })).rejects.toThrow("does not answer");
  const aborted = AbortSignal.abort();
  await expect(tunnelThrough(new URL(silent.url), target, { signal: aborted })).rejects.toThrow("aborted");
  await Promise.all([refusing.disconnected(), silent.disconnected()]);
});
