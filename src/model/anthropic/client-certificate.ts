/** The client certificate that the user shows to servers that ask for one. */
import type { Environment } from "../../lib/environment.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { errorText } from "../../lib/error-text.ts";
import { ConfigurationError } from "../connection-failure.ts";

export interface ClientCertificate {
  cert: string;
  key: string;
  passphrase?: string;
}

const maxBytes = 1024 * 1024;

/** Returns undefined if the environment names none. Throws `ConfigurationError`. */
export function clientCertificate(environment: Environment): ClientCertificate | undefined {
  const { CLAUDE_CODE_CLIENT_CERT: certificate, CLAUDE_CODE_CLIENT_KEY: key } = environment;
  if (!certificate && !key) return undefined;
  const cert = textAt("CLAUDE_CODE_CLIENT_CERT", certificate);
  const passphrase = environment["CLAUDE_CODE_CLIENT_KEY_PASSPHRASE"];
  const pair = { cert, key: textAt("CLAUDE_CODE_CLIENT_KEY", key), ...(passphrase ? { passphrase } : {}) };
  assertUsable(pair);
  return pair;
}

/** One message for all cases, because OpenSSL's own depends on chance: it takes the rubbish from some wrong passphrases for a key. */
function assertUsable(pair: ClientCertificate): void {
  try {
    process.getBuiltinModule("node:tls").createSecureContext(pair);
  } catch (error) {
    throw new ConfigurationError(
      `the client's certificate and key cannot be used (${errorText(error)}). Check CLAUDE_CODE_CLIENT_CERT, CLAUDE_CODE_CLIENT_KEY and CLAUDE_CODE_CLIENT_KEY_PASSPHRASE`,
    );
  }
}

function textAt(variable: string, path: string | undefined): string {
  if (!path) throw new ConfigurationError(`${variable} is not set, but its counterpart is`);
  const read = readRegularFile(path, maxBytes);
  if (!read.ok) throw new ConfigurationError(`the file that ${variable} names cannot be read (${read.why})`);
  return read.text;
}
