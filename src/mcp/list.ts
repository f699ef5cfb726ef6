/** Lists what a server offers page by page, with limits on pages, items and time. */
import { ProtocolError, ProtocolErrorCode, type Client } from "@modelcontextprotocol/client";
import { isRecord } from "../lib/is-record.ts";
import { anyObject } from "./any-object.ts";

const maxPages = 50;
const maxItems = 1_000;

export interface ListedItems {
  items: unknown[];
  /** There were more items than the limit. */
  isCut: boolean;
}

/** @param extraParams additional parameters of each request. */
export async function listAllPages(
  client: Client,
  method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" | "resources/directory/read",
  key: "tools" | "prompts" | "resources" | "resourceTemplates",
  { signal, timeout }: { signal: AbortSignal; timeout: number },
  extraParams: Readonly<Record<string, string>> = {},
): Promise<ListedItems> {
  const items: unknown[] = [];
  const seen = new Set<string | number>();
  let cursor: string | number | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = cursor === undefined ? extraParams : { ...extraParams, cursor };
    const result = await client.request({ method, params }, anyObject, { signal, timeout });
    const found = itemsIn(result[key]);
    items.push(...found.slice(0, maxItems + 1 - items.length));
    const next = result["nextCursor"];
    if (items.length > maxItems) return { items: items.slice(0, maxItems), isCut: true };
    // Some servers number their pages, and want the number back.
    const isCursor = (typeof next === "string" && next !== "") || typeof next === "number";
    if (!isCursor || seen.has(next)) return { items, isCut: false };
    seen.add(next);
    cursor = next;
  }
  return { items, isCut: true };
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
