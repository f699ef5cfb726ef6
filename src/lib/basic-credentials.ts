/** What `user:password@` of a URL is in an `authorization` header. */
export function basicCredentials({ username, password }: URL): string {
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** A stray `%` in a password is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address for whoever reads it: what stands before its host is a password, most of the time. */
export function shownAddress(address: string): string {
  return address.replace(/:\/\/[^/?#\s]*@/u, "://***@");
}
