// A gateway whose certificate only the user's settings vouch for.
import { mkdirSync, writeFileSync } from "node:fs";
import { request as forward } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../model/support/certificate.ts";
import { createWorld } from "./command.ts";

test("NODE_EXTRA_CA_CERTS in settings makes a gateway's certificate trusted, and an unusable file is reported", async () => {
  const world = await createWorld({ fallback: "hello" });
  const certificate = selfSigned("localhost");
  const gateway = createServer(certificate, (request, response) => {
    const { method, headers, url: path } = request;
    const onward = forward(world.server.url + String(path), { method, headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    request.pipe(onward);
  });
  onTestFinished(async () => {
    gateway.closeAllConnections();
    gateway.close();
    await world.close();
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  const authority = join(world.home, "authority.pem");
  writeFileSync(authority, certificate.cert);
  mkdirSync(join(world.home, ".claude"));
  const run = (path: string) => {
    writeFileSync(join(world.home, ".claude", "settings.json"), JSON.stringify({ env: { NODE_EXTRA_CA_CERTS: path } }));
    const url = `https://localhost:${(gateway.address() as AddressInfo).port}`;
    return world.run(["-p", "hi"], { env: { ANTHROPIC_BASE_URL: url } });
  };
  expect(await run(authority)).toMatchObject({ code: 0, stdout: "hello\n" });
  const other = await run(join(world.home, ".claude", "settings.json"));
  expect(other.code).toBe(1);
  expect(other.stderr).toMatch(/NODE_EXTRA_CA_CERTS is ignored: .*settings\.json cannot be used/u);
});
