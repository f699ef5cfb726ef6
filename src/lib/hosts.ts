/** What can be told of a URL's host without asking anybody. */

/** As sockets and resolvers want it: an IPv6 address stands in brackets in a URL, and without them everywhere else. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/gu, "");
}

/** By its name or address alone: nothing is looked up. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|(?:.+\.)?localhost\.?)$/iu.test(hostname);
}
