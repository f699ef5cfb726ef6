/** HTTP responses that are JSON. */
import { isObject, type Json } from "../lib/json.ts";

export function isJson(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") === true;
}

/** Removes nulls from login answers: many servers write null for missing fields, which the client only accepts when left out. */
export async function withoutNulls(response: Response): Promise<Response> {
  if (!isJson(response)) return response;
  const text = await response.text();
  const told = Object.entries(objectIn(text));
  const given = told.filter(([, value]) => value !== null);
  return new Response(given.length === told.length ? text : JSON.stringify(Object.fromEntries(given)), response);
}

/** Empty if the text is not a JSON object. */
function objectIn(text: string): Record<string, Json> {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    // The reader of the response reports what is wrong with it.
    return {};
  }
}
