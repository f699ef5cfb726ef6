/** What a configuration gives its server and nobody else: a server's own words about its failure often repeat it. */
import { isForNoReader, withoutValues } from "../lib/secrets.ts";
import { cleanText } from "./clean-text.ts";
import type { Server } from "./server.ts";

export function withoutGiven(text: string, server: Server): string {
  return withoutValues(text, secretsOf(server));
}

/** Of one that was there, behind why it no longer is. */
export function lastWords(said: string, server: Server): string {
  return said === "" ? "" : `; it said: ${cleanText(withoutGiven(said, server).slice(-300), 300)}`;
}

/** Values as they were sent; of a header that names a scheme also what follows it. */
function secretsOf(server: Server): string[] {
  if (server.type === "stdio")
    return Object.entries(server.env).flatMap(([name, value]) => (isForNoReader(name, value) ? [value] : []));
  if (!("headers" in server)) return [];
  const given = Object.entries(server.headers).flatMap(([name, value]) => (isOfForm(name) ? [] : [value]));
  const { clientSecret } = ("oauth" in server ? server.oauth : undefined) ?? {};
  return [
    ...given,
    ...given.map((value) => value.replace(/^\S+\s+/u, "")),
    ...(clientSecret === undefined ? [] : [clientSecret]),
  ];
}

function isOfForm(name: string): boolean {
  return /^(?:accept.*|content-.*|user-agent|cache-control)$/iu.test(name);
}
