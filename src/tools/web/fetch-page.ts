/** A page as text. Redirects within its host are followed, each checked again; redirects to other hosts are reported. */
import { UnusableProxy } from "../../lib/proxy-errors.ts";
import type { Environment } from "../../lib/environment.ts";
import { proxyUnlessLocal } from "../../lib/proxy.ts";
import { ToolError } from "../failure.ts";
import { resolveAddresses, readPageUrl, type Resolve } from "./page-url.ts";
import { requestPage, type PageAnswer } from "./page-request.ts";
import { pageText } from "./page-text.ts";

export interface PageLimits {
  bytes: number;
  ms: number;
  redirects: number;
}

export const defaultPageLimits: PageLimits = { bytes: 10 << 20, ms: 30_000, redirects: 5 };

export interface PageFetchOptions {
  resolve: Resolve;
  /** Whether a rule of the user names exactly this host. */
  isNamed: (host: string) => boolean;
  limits: PageLimits;
  /** The variables that name the proxy for pages, if there is one. */
  proxies: Environment;
  clock: { timer: (ms: number, onFire: () => void) => () => void };
}

export type Page =
  | { kind: "page"; url: string; status: number; statusText: string; bytes: number; text: string; isCut: boolean }
  | { kind: "redirect"; url: string; to: string; status: number; statusText: string };

/** Throws a `ToolError` if the page cannot be had; throws the signal's reason if it aborted. */
export async function fetchPage(address: string, world: PageFetchOptions, signal: AbortSignal): Promise<Page> {
  const ended = new AbortController();
  const stop = world.clock.timer(world.limits.ms, () => ended.abort());
  try {
    return await followRedirects(address, world, AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    if (signal.aborted || !ended.signal.aborted) throw error;
    throw new ToolError(`The page did not come within ${Math.round(world.limits.ms / 1000)} s.`);
  } finally {
    stop();
  }
}

async function followRedirects(address: string, world: PageFetchOptions, signal: AbortSignal): Promise<Page> {
  const { resolve, isNamed, limits } = world;
  let url = readPageUrl(address, isNamed);
  // Kept for these redirects only: some pages redirect endlessly if no cookies are sent.
  const cookies = new Map<string, string>();
  for (let hops = 0; hops <= limits.redirects; hops++) {
    const proxy = proxyForPage(url, world.proxies);
    const addresses = await resolveAddresses(url, resolve, isNamed, proxy !== undefined);
    signal.throwIfAborted();
    const request = { url, addresses, proxy, isNamed: isNamed(url.hostname), cookies, mostBytes: limits.bytes, signal };
    const answer = await requestPage(request);
    if (answer.location === undefined) return await toPage(answer, url, signal);
    const next = readPageUrl(redirectTarget(answer.location, url), isNamed);
    if (next.host !== url.host)
      return { kind: "redirect", url: url.href, to: next.href, status: answer.status, statusText: answer.statusText };
    url = next;
  }
  throw new ToolError(`${url.host} redirects without end: ${limits.redirects} redirects were followed.`);
}

function proxyForPage(url: URL, proxies: Environment): URL | undefined {
  try {
    return proxyUnlessLocal(url, proxies);
  } catch (error) {
    throw error instanceof UnusableProxy ? new ToolError(`The page was not requested: ${error.message}.`) : error;
  }
}

function redirectTarget(location: string, from: URL): string {
  if (!URL.canParse(location, from.href))
    throw new ToolError(`${from.host} redirects to something that is not an address.`);
  return new URL(location, from).href;
}

async function toPage(answer: PageAnswer, url: URL, signal: AbortSignal): Promise<Page> {
  const { status, statusText, body, isCut } = answer;
  const text = status === 204 ? "" : await pageText(answer, url, signal);
  return { kind: "page", url: url.href, status, statusText, bytes: body.length, text, isCut };
}
