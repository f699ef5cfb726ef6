/** Calls refused until the user has visited a page in a browser (error -32042): the user is asked, and the call repeated. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { isRecord } from "../lib/is-record.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { parseWebAddress } from "../lib/web-address.ts";
import type { AnswerElicitation } from "../protocol/mcp.ts";
import { answerElicitation } from "./elicit.ts";

const maxVisits = 5;

export interface PageVisitContext {
  serverName: string;
  ask: AnswerElicitation | undefined;
  signal: AbortSignal;
}

/** Throws what the call throws; if the user has not visited the page, a sentence that names it. */
export async function callAfterPageVisits<T>(call: () => Promise<T>, context: PageVisitContext): Promise<T> {
  const { serverName, ask, signal } = context;
  try {
    return await call();
  } catch (error) {
    const wanted = requiredVisits(error);
    if (wanted.length === 0) throw error;
    for (const each of wanted)
      if ((await answerElicitation(serverName, each, ask, signal)).action !== "accept")
        throw pageNotVisited(context, each);
  }
  try {
    return await call();
  } catch (error) {
    const [first] = requiredVisits(error);
    throw first === undefined ? error : pageNotVisited(context, first);
  }
}

function requiredVisits(error: unknown): JsonObject[] {
  if (!(error instanceof ProtocolError) || error.code !== (ProtocolErrorCode.UrlElicitationRequired as number))
    return [];
  const { elicitations } = isRecord(error.data) ? error.data : {};
  const list = Array.isArray(elicitations) ? (elicitations as unknown[]).filter(isObject) : [];
  return list.slice(0, maxVisits).map((each) => ({ ...each, mode: "url" }));
}

function pageNotVisited({ serverName }: PageVisitContext, { url }: JsonObject): Error {
  const where = parseWebAddress(url)?.href ?? "an address that cannot be opened";
  return new Error(
    `The MCP server ${serverName} wants its user to open ${where} in a browser first, and that is not done. Tell the user; the call can be made again afterwards.`,
  );
}
