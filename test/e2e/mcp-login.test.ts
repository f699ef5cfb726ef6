// An expired login to an MCP server: what is reported about it, and what is not.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorld } from "./command.ts";

// Seen: the words of a library stood on standard error, among the rows of a conversation on a terminal.
test("an expired MCP login is reported in one sentence, and library messages go to the debug file", async () => {
  const world = await createWorld({ fallback: "hello" });
  const answers: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const status = path === "/token" ? 400 : path === "/mcp" ? 401 : path in answers ? 200 : 404;
    const body = path === "/token" ? { error: "invalid_grant" } : (answers[path] ?? {});
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await world.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${base}/mcp`;
  answers["/.well-known/oauth-protected-resource/mcp"] = { resource: url, authorization_servers: [base] };
  answers["/.well-known/oauth-authorization-server"] = {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
  const key = `web|${createHash("sha256").update(url).digest("hex").slice(0, 16)}`;
  const tokens = { access_token: "old", token_type: "Bearer", refresh_token: "r", issuer: base };
  const login = { tokens, client: { client_id: "c", issuer: base }, redirectUrl: "http://127.0.0.1:1/callback" };
  mkdirSync(join(world.home, ".pawl"));
  writeFileSync(join(world.home, ".pawl/mcp-auth.json"), JSON.stringify({ [key]: login }));
  const config = JSON.stringify({ mcpServers: { web: { type: "http", url } } });
  const ran = await world.run(["-p", "--mcp-config", config, "--debug-file", "log", "--", "hi"]);
  expect(ran).toMatchObject({ code: 0, stdout: "hello\n" });
  expect(ran.stderr).toContain("pawl mcp login web");
  expect(ran.stderr).not.toContain("mcp-sdk");
  expect(readFileSync(join(world.folder, "log"), "utf8")).toContain("console: [mcp-sdk]");
});
