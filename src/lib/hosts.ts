/** What the host of a URL tells without a lookup. */

/** The host for sockets and resolvers: an IPv6 address has brackets in a URL and nowhere else. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/gu, "");
}

/** Judged by name or address alone: nothing is looked up. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|(?:.+\.)?localhost\.?)$/iu.test(hostname);
}
