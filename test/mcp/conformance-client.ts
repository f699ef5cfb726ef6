// The client that the published conformance suite drives: pawl's own connection to the address it is given. See docs/mcp.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnauthorizedError } from "@modelcontextprotocol/client";
import { AuthStore } from "../../src/mcp/auth-store.ts";
import { Connection } from "../../src/mcp/connection.ts";
import { openLogin } from "../../src/mcp/oauth.ts";
import type { RemoteServer } from "../../src/mcp/server.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Record<string, string | undefined>;

const server: RemoteServer = {
  name: "conformance",
  scope: "user",
  source: "the suite",
  type: "http",
  url,
  headers: {},
  cwd: process.cwd(),
  alwaysLoad: false,
  ...(context["client_id"] === undefined
    ? {}
    : { oauth: { clientId: context["client_id"], clientSecret: context["client_secret"] ?? "" } }),
};

/** A browser whose user agrees to everything. */
async function agree(address: URL): Promise<void> {
  const answer = await fetch(address, { redirect: "manual" });
  const back = answer.headers.get("location");
  if (back !== null) await fetch(back);
}

const folder = mkdtempSync(join(tmpdir(), "pawl-conformance-"));
const store = new AuthStore(join(folder, "auth.json"));
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
const desk = await openLogin(server, store, { openUrl: agree, clientMetadataUrl, fetch });
const connection = new Connection(server, {
  clock: {
    elapsed: () => performance.now(),
    timer(ms, onFire) {
      const timer = setTimeout(onFire, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => 0.5,
  version: "0.0.0",
  cwd: process.cwd(),
  environment: () => ({}),
  newTag: () => "",
  connectMs: 20_000,
  authOf: () => (scenario.startsWith("auth/") ? desk.auth : undefined),
  elicit: () => Promise.resolve({ action: "accept", content: {} }),
  debug: (line) => process.stderr.write(`${line}\n`),
});

async function callAll(): Promise<void> {
  await connection.connect();
  if (connection.status !== "connected") throw new Error(connection.error ?? connection.status);
  for (const { name } of connection.inventory.tools) {
    const call = async () =>
      connection.use(new AbortController().signal, (client) => client.callTool({ name, arguments: { a: 5, b: 3 } }));
    for (let attempt = 0; ; attempt += 1) {
      try {
        await call();
        break;
      } catch (error) {
        // A further permission is requested: the login grants it, a few times.
        if (!(error instanceof UnauthorizedError) || attempt >= 1) throw error;
        await connection.finishLogin();
      }
    }
  }
}

try {
  await callAll();
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
} finally {
  await connection.close();
  await desk.close();
  rmSync(folder, { recursive: true, force: true });
}
