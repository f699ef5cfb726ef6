// Requests that are given up before there is a connection.
import { createServer } from "node:http";
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createAnthropicModel, type AnthropicModelOptions } from "../../../src/model/index.ts";
import { manualTimers } from "../support/manual-timers.ts";
import { begin, gate, listen } from "../support/servers.ts";
import { failureOf, hear, said } from "../support/wire.ts";

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
  ["a proxy that opens no tunnel", (url) => ({ environment: { https_proxy: `http://${url}` } })],
  ["a server without a common TLS version", (url) => ({ baseUrl: `https://${url}` })],
])("a call given up before %s had connected is marked as never sent", async (_, way) => {
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

test("a call given up after the server had taken the request may be billed", async () => {
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

// Seen: what a proxy wrote into a connection that was kept open ended a run of many turns, and was taken for no bill.
test("a non-HTTP answer means a wrong address at first, but a passing failure once the server has answered", async () => {
  let asked = 0;
  const server = createServer(({ socket }, response) => {
    if (++asked === 2) begin(response).end(said("Hello."));
    else socket.end("what is this?\r\n\r\n");
  });
  const { url } = await listen(server);
  const model = createAnthropicModel({ version: "1.0.0", apiKey: "sk-ant-1", baseUrl: url });
  const first = failureOf((await hear(model)).outcome);
  expect(first).toMatchObject({ kind: "not_configured", recovery: "none", neverSent: true });
  expect(first.message).toContain("ANTHROPIC_BASE_URL");
  expect((await hear(model)).outcome).toMatchObject({ ok: true });
  const later = failureOf((await hear(model)).outcome);
  expect(later).toMatchObject({ kind: "connection", recovery: "retry" });
  expect(later).not.toHaveProperty("neverSent");
  expect(later.message).toContain("broke the rules of its protocol (HPE_INVALID_CONSTANT)");
});
