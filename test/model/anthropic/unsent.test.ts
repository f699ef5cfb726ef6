// Requests that are given up before there is a connection.
import { createServer } from "node:http";
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createAnthropicModel, type AnthropicModelOptions } from "../../../src/model/index.ts";
import { manualTimers } from "../support/manual-timers.ts";
import { gate, listen } from "../support/servers.ts";
import { failureOf, hear } from "../support/wire.ts";

/** Takes what it is sent, and says nothing. */
async function silent(server: Server): Promise<{ url: string; heard: Promise<void> }> {
  const first = gate();
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => first.open());
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}`, heard: first.opened };
}

test.each<[string, (url: string) => Partial<AnthropicModelOptions>]>([
  ["a proxy that makes no tunnel", (url) => ({ environment: { https_proxy: `http://${url}` } })],
  ["a server that agrees on no TLS", (url) => ({ baseUrl: `https://${url}` })],
])("nothing was sent by way of %s, and it is not billed", async (_, way) => {
  const { url, heard } = await silent(createPlainServer());
  const timers = manualTimers();
  const options = { version: "1.0.0", apiKey: "sk-ant-1", baseUrl: "https://model.test", timers, firstByteMs: 60_000 };
  const call = hear(createAnthropicModel({ ...options, ...way(url) }));
  await heard;
  await timers.advance(60_000);
  const failure = failureOf((await call).outcome);
  expect(failure).toMatchObject({ kind: "stalled", recovery: "retry", neverSent: true, mayPass: true });
  expect(failure.message).toContain("could not be connected to within 60 seconds");
});

test("what a server took that says nothing may be billed", async () => {
  const asked = gate();
  const { url } = await listen(createServer(() => asked.open()));
  const timers = manualTimers();
  const call = hear(
    createAnthropicModel({ version: "1.0.0", apiKey: "sk-ant-1", baseUrl: url, timers, firstByteMs: 60_000 }),
  );
  await asked.opened;
  await timers.advance(60_000);
  expect(failureOf((await call).outcome)).not.toHaveProperty("neverSent");
});
