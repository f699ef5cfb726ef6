/** Hides the secrets that a configuration gives to its server alone: a server's own error messages often repeat them. */
import { shouldHideValue, redactValues } from "../lib/secrets.ts";
import { cleanText } from "./clean-text.ts";
import type { Server } from "./server.ts";

export function hideServerSecrets(text: string, server: Server): string {
  return redactValues(text, secretsOf(server));
}

/** The last output of a server that was connected, to be appended to the reason why it no longer is. */
export function lastOutputText(output: string, server: Server): string {
  return output === "" ? "" : `; it said: ${cleanText(hideServerSecrets(output, server).slice(-300), 300)}`;
}

/** The secret values as they were sent; for a header with a scheme, also the part after it. */
function secretsOf(server: Server): string[] {
  if (server.type === "stdio")
    return Object.entries(server.env).flatMap(([name, value]) => (shouldHideValue(name, value) ? [value] : []));
  if (!("headers" in server)) return [];
  const headerValues = Object.entries(server.headers).flatMap(([name, value]) =>
    isContentHeader(name) ? [] : [value],
  );
  const { clientSecret } = ("oauth" in server ? server.oauth : undefined) ?? {};
  return [
    ...headerValues,
    ...headerValues.map((value) => value.replace(/^\S+\s+/u, "")),
    ...(clientSecret === undefined ? [] : [clientSecret]),
  ];
}

function isContentHeader(name: string): boolean {
  return /^(?:accept.*|content-.*|user-agent|cache-control)$/iu.test(name);
}
