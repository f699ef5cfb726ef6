/** Puts questions of MCP servers to the client. If it cannot answer, the question is declined. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { McpElicitation, McpElicitationAnswer, OnElicitation } from "../../protocol/mcp.ts";
import type { ClientRequest, ClientRequests } from "./client-requests.ts";
import type { WireObject } from "./frame.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";

export function elicitFromClient(requests: ClientRequests): OnElicitation {
  return async (elicitation, { signal }) => {
    const answer = await requests.send(elicitationRequest(elicitation), signal).catch((): WireObject => ({}));
    return parseAnswer(answer);
  };
}

function elicitationRequest({
  serverName,
  message,
  mode,
  url,
  elicitationId,
  requestedSchema,
}: McpElicitation): ClientRequest {
  return {
    subtype: "elicitation",
    mcp_server_name: serverName,
    message,
    mode,
    ...withoutUndefined({ url, elicitation_id: elicitationId, requested_schema: requestedSchema }),
  };
}

function parseAnswer({ action, content }: WireObject): McpElicitationAnswer {
  if (action === "cancel") return { action };
  if (action !== "accept") return { action: "decline" };
  if (!isRecord(content)) return { action };
  const fit = Object.entries(content).filter(([, value]) => isAnswerValue(value));
  return { action, content: Object.fromEntries(fit) as Record<string, string | number | boolean | string[]> };
}

function isAnswerValue(value: unknown): boolean {
  return isStringList(value) || ["string", "number", "boolean"].includes(typeof value);
}
