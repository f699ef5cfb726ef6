/** Responses over HTTP that are JSON. */
import { isObject, type Json } from "../lib/json.ts";

export function isJson(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") === true;
}

/** What logging in is told: many write null for what they have not, which is refused where it may be left out. */
export async function withoutNulls(response: Response): Promise<Response> {
  if (!isJson(response)) return response;
  const text = await response.text();
  const told = Object.entries(objectIn(text));
  const given = told.filter(([, value]) => value !== null);
  return new Response(given.length === told.length ? text : JSON.stringify(Object.fromEntries(given)), response);
}

/** Empty where it is none. */
function objectIn(text: string): Record<string, Json> {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    // Whoever reads it says what is wrong with it.
    return {};
  }
}
