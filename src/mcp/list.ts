/** Lists what a server offers page by page, with limits on pages, items and time. */
import { ProtocolError, ProtocolErrorCode, type Client } from "@modelcontextprotocol/client";
import { errorText } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { anyObject } from "./any-object.ts";
import { cleanText } from "./clean-text.ts";
import { httpStatusOf } from "./http-failure.ts";
import type { RestingRequest } from "./server-rest.ts";

const maxPages = 50;
const maxItems = 1_000;

export interface ListedItems {
  items: unknown[];
  /** There were more items than the limit. */
  isCut: boolean;
  /** Why a later page is missing, in the server's words. */
  failure?: string;
}

export interface ListLimits {
  signal: AbortSignal;
  timeout: number;
  /** The first pages are better than nothing if the server refuses a later one. */
  acceptsPart?: boolean;
  /** Makes each request; `timeout` counts from the end of a rest. Absent: a request is made once. */
  askWithRests?: RestingRequest;
}

/** @param extraParams additional parameters of each request. */
export async function listAllPages(
  client: Client,
  method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" | "resources/directory/read",
  key: "tools" | "prompts" | "resources" | "resourceTemplates",
  { signal, timeout, acceptsPart = false, askWithRests = (ask) => ask() }: ListLimits,
  extraParams: Readonly<Record<string, string>> = {},
): Promise<ListedItems> {
  const items: unknown[] = [];
  const seen = new Set<string | number>();
  let cursor: string | number | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? extraParams : { ...extraParams, cursor };
    let result: Record<string, unknown>;
    try {
      result = await askWithRests(() => client.request({ method, params }, anyObject, { signal, timeout }), signal);
    } catch (error) {
      if (page === 0 || !acceptsPart || !isRefusal(error)) throw error;
      return { items, isCut: false, failure: cleanText(errorText(error), 300) };
    }
    const found = itemsIn(result[key]);
    items.push(...found.slice(0, maxItems + 1 - items.length));
    const next = result["nextCursor"];
    if (items.length > maxItems) return { items: items.slice(0, maxItems), isCut: true };
    // Some servers number their pages, and want the number back. No page follows that is the first or before it.
    const isCursor = (typeof next === "string" && next !== "") || (typeof next === "number" && next > 0);
    if (!isCursor || seen.has(next)) return { items, isCut: false };
    seen.add(next);
    cursor = next;
  }
  return { items, isCut: true };
}

/** The server is there, and does not give this page. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || (httpStatusOf(error) ?? 0) >= 500;
}

/** Some languages write a list with gaps as an object with numeric keys. */
function itemsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  const isNumbered = isRecord(value) && Object.keys(value).every((key) => /^\d+$/u.test(key));
  return isNumbered ? Object.values(value) : [];
}

/** The server does not know the method, so it has nothing of that kind. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === Number(ProtocolErrorCode.MethodNotFound);
}
