/** Returns the `authorization` header for the `user:password@` of a URL. */
export function basicCredentials({ username, password }: URL): string {
  const pair = `${decodeOrKeep(username)}:${decodeOrKeep(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** A stray `%` in a password is taken literally. */
function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address for display: text before the host is hidden, because it is usually a password. */
export function addressForDisplay(address: string): string {
  return address.replace(/:\/\/[^/?#\s]*@/u, "://***@");
}
