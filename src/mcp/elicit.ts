/** A server's question to the user: its text cleaned and bounded, its address checked, the answer passed back. */
import { isObject, type JsonObject } from "../lib/json.ts";
import { parseWebAddress } from "../lib/web-address.ts";
import type { AnswerElicitation, McpElicitation, McpElicitationAnswer } from "../protocol/mcp.ts";
import { cleanText } from "./clean-text.ts";

const maxFields = 50;

/** Declines if nobody can be asked, or the question cannot be understood. Never throws. */
export async function answerElicitation(
  serverName: string,
  params: unknown,
  ask: AnswerElicitation | undefined,
  signal: AbortSignal,
): Promise<McpElicitationAnswer> {
  const elicitation = isObject(params) ? readElicitation(serverName, params) : undefined;
  if (ask === undefined || elicitation === undefined) return { action: "decline" };
  try {
    const answer = await ask(elicitation, signal);
    // The question was withdrawn: the server must not take the answer for a person's.
    if (signal.aborted) return { action: "cancel" };
    // Only an accepted form has content: a page that was visited has none.
    return answer.action === "accept" && elicitation.mode === "form"
      ? { action: "accept", content: answer.content ?? {} }
      : { action: answer.action };
  } catch {
    return { action: "cancel" };
  }
}

function readElicitation(serverName: string, params: JsonObject): McpElicitation | undefined {
  const message = cleanText(typeof params["message"] === "string" ? params["message"] : "", 2_000);
  if (params["mode"] === "url") {
    const { elicitationId } = params;
    const url = parseWebAddress(params["url"])?.href;
    if (url === undefined) return undefined;
    const id = typeof elicitationId === "string" ? { elicitationId } : {};
    return { serverName, message, mode: "url", url, ...id };
  }
  const schema = params["requestedSchema"];
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined;
  if (Object.keys(schema["properties"]).length > maxFields) return undefined;
  return { serverName, message, mode: "form", requestedSchema: structuredClone(schema) };
}
