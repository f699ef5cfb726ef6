/** HTTP responses that are JSON. */
import { isObject, type Json } from "../lib/json.ts";

/** Types of content may be written in any case. */
export function isJsonResponse({ headers }: Response): boolean {
  return /^application\/json\b/iu.test(headers.get("content-type") ?? "");
}

/** Removes nulls from login answers: many servers write null for missing fields, which the client only accepts when left out. */
export async function withoutNullFields(response: Response): Promise<Response> {
  if (!isJsonResponse(response)) return response;
  const text = await response.text();
  const fields = Object.entries(parseObject(text));
  const nonNullFields = fields.filter(([, value]) => value !== null);
  return new Response(
    nonNullFields.length === fields.length ? text : JSON.stringify(Object.fromEntries(nonNullFields)),
    response,
  );
}

/** Empty if the text is not a JSON object. */
function parseObject(text: string): Record<string, Json> {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    // The reader of the response reports what is wrong with it.
    return {};
  }
}
