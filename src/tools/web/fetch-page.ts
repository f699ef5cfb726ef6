/** A page as text: redirects on its own host are followed, each step looked at anew; others are told. */
import { UnusableProxy } from "../../lib/proxy-errors.ts";
import { proxyAbroad, type ProxyVariables } from "../../lib/proxy.ts";
import { ToolError } from "../failure.ts";
import { addressesOf, readPageUrl, type Resolve } from "./page-url.ts";
import { requestPage, type PageAnswer } from "./page-request.ts";
import { textOf } from "./page-text.ts";

export interface PageLimits {
  bytes: number;
  ms: number;
  redirects: number;
}

export const defaultPageLimits: PageLimits = { bytes: 10 << 20, ms: 30_000, redirects: 5 };

export interface PageWorld {
  resolve: Resolve;
  /** Whether a rule of the user's names that very host. */
  isNamed: (host: string) => boolean;
  limits: PageLimits;
  /** Where the proxy to pages is named, if there is one. */
  proxies: ProxyVariables;
  clock: { timer: (ms: number, onFire: () => void) => () => void };
}

export type Page =
  | { kind: "page"; url: string; status: number; statusText: string; bytes: number; text: string; isCut: boolean }
  | { kind: "redirect"; url: string; to: string; status: number; statusText: string };

/** Throws a `ToolError` for whatever keeps the page away; the signal's own reason where it aborted. */
export async function fetchPage(given: string, world: PageWorld, signal: AbortSignal): Promise<Page> {
  const ended = new AbortController();
  const stop = world.clock.timer(world.limits.ms, () => ended.abort());
  try {
    return await followed(given, world, AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    if (signal.aborted || !ended.signal.aborted) throw error;
    throw new ToolError(`The page did not come within ${Math.round(world.limits.ms / 1000)} s.`);
  } finally {
    stop();
  }
}

async function followed(given: string, world: PageWorld, signal: AbortSignal): Promise<Page> {
  const { resolve, isNamed, limits } = world;
  let url = readPageUrl(given, isNamed);
  // For these redirects alone: some pages redirect without end to who sends none.
  const cookies = new Map<string, string>();
  for (let hops = 0; hops <= limits.redirects; hops++) {
    const proxy = proxyTo(url, world.proxies);
    const addresses = await addressesOf(url, resolve, isNamed, proxy !== undefined);
    signal.throwIfAborted();
    const asked = { url, addresses, proxy, isNamed: isNamed(url.hostname), cookies, mostBytes: limits.bytes, signal };
    const answer = await requestPage(asked);
    if (answer.location === undefined) return await pageOf(answer, url, signal);
    const next = readPageUrl(redirectTarget(answer.location, url), isNamed);
    if (next.host !== url.host)
      return { kind: "redirect", url: url.href, to: next.href, status: answer.status, statusText: answer.statusText };
    url = next;
  }
  throw new ToolError(`${url.host} redirects without end: it was followed ${limits.redirects} times.`);
}

function proxyTo(url: URL, proxies: ProxyVariables): URL | undefined {
  try {
    return proxyAbroad(url, proxies);
  } catch (error) {
    throw error instanceof UnusableProxy ? new ToolError(`The page was not asked for: ${error.message}.`) : error;
  }
}

function redirectTarget(location: string, from: URL): string {
  if (!URL.canParse(location, from.href)) throw new ToolError(`${from.host} redirects to what is no address.`);
  return new URL(location, from).href;
}

async function pageOf(answer: PageAnswer, url: URL, signal: AbortSignal): Promise<Page> {
  const { status, statusText, body, isCut } = answer;
  const text = status === 204 ? "" : await textOf(answer, url, signal);
  return { kind: "page", url: url.href, status, statusText, bytes: body.length, text, isCut };
}
