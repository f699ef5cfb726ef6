import { decodeOrKeep } from "./decode-or-keep.ts";

/** Returns the `authorization` header for the `user:password@` of a URL. */
export function basicCredentials({ username, password }: URL): string {
  const pair = `${decodeOrKeep(username)}:${decodeOrKeep(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** An address for display: text before the host is hidden, because it is usually a password. */
export function addressForDisplay(address: string): string {
  return address.replace(/:\/\/[^/?#\s]*@/u, "://***@");
}
