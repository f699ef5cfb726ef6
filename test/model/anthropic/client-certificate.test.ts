// Servers that require a client certificate, with real connections.
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createHttpTransport } from "../../../src/model/anthropic/http-transport.ts";
import { failureFromException } from "../../../src/model/connection-failure.ts";
import { selfSigned } from "../support/certificate.ts";

const host = "localhost";
const mine = selfSigned(host);
const other = selfSigned(host);
const folder = mkdtempSync(join(tmpdir(), "pawl-certificate-"));
const at = (name: string): string => join(folder, name);
const pair = { CLAUDE_CODE_CLIENT_CERT: at("mine.pem"), CLAUDE_CODE_CLIENT_KEY: at("mine.key") };
const context = {
  endpoint: "https://model.test",
  model: "m",
  loopback: false,
  credentials: [],
  secrets: [],
  now: () => 0,
};
let server: Server;

beforeAll(async () => {
  writeFileSync(at("mine.pem"), mine.cert);
  writeFileSync(at("mine.key"), mine.key);
  writeFileSync(at("other.key"), other.key);
  writeFileSync(at("damaged.pem"), mine.cert.replace(/\n.{8}/u, "\nAAAAAAAA"));
  const locked = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open it" } as const;
  writeFileSync(at("locked.key"), createPrivateKey(mine.key).export(locked));
  server = createServer(
    { ...mine, ca: mine.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      request.resume();
      response.end(String((request.socket as TLSSocket).authorized));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

async function ask(environment: Record<string, string>): Promise<string> {
  const owned = createHttpTransport({ environment, certificateAuthorities: mine.cert });
  onTestFinished(() => owned.dispose());
  const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
  const { signal } = new AbortController();
  const { body } = await owned.send({
    method: "POST",
    url,
    headers: {},
    pieces: [new Uint8Array(1)],
    signal,
  });
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

test("the certificate that the environment names is shown to the server, also with an encrypted key", async () => {
  expect(await ask(pair)).toBe("true");
  const locked = { ...pair, CLAUDE_CODE_CLIENT_KEY: at("locked.key"), CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "open it" };
  expect(await ask(locked)).toBe("true");
});

test.each<[what: string, environment: Record<string, string>, said: string]>([
  ["there is no certificate", {}, "Set CLAUDE_CODE_CLIENT_CERT and CLAUDE_CODE_CLIENT_KEY to the files"],
  ["the certificate has no key", { CLAUDE_CODE_CLIENT_CERT: at("mine.pem") }, "CLAUDE_CODE_CLIENT_KEY is not set"],
  [
    "the certificate's file does not exist",
    { ...pair, CLAUDE_CODE_CLIENT_CERT: at("gone.pem") },
    "the file that CLAUDE_CODE_CLIENT_CERT names cannot be read",
  ],
  ["the key belongs to another certificate", { ...pair, CLAUDE_CODE_CLIENT_KEY: at("other.key") }, "cannot be used"],
  ["the certificate is damaged", { ...pair, CLAUDE_CODE_CLIENT_CERT: at("damaged.pem") }, "cannot be used"],
  [
    "the key stays locked",
    { ...pair, CLAUDE_CODE_CLIENT_KEY: at("locked.key"), CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "wrong" },
    "cannot be used",
  ],
])("if %s, one not_configured failure says so, and nothing is retried", async (_, environment, said) => {
  const error: unknown = await ask(environment).catch((reason: unknown) => reason);
  const failure = failureFromException(error, context);
  expect(failure).toMatchObject({ kind: "not_configured", recovery: "none" });
  expect(failure.message).toContain(said);
});
