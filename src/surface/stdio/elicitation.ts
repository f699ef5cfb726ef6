/** Puts questions of MCP servers to the client. If it cannot answer, the question is declined. */
import { present } from "../../lib/present.ts";
import type { McpElicitation, McpElicitationAnswer, OnElicitation } from "../../protocol/mcp.ts";
import type { ClientRequest, ClientRequests } from "./client-requests.ts";
import type { Loose } from "./frame.ts";
import { isRecord } from "../../lib/is-record.ts";

export function elicitFrom(requests: ClientRequests): OnElicitation {
  return async (asked, { signal }) => {
    const answer = await requests.send(requestOf(asked), signal).catch((): Loose => ({}));
    return read(answer);
  };
}

function requestOf({ serverName, message, mode, url, elicitationId, requestedSchema }: McpElicitation): ClientRequest {
  return {
    subtype: "elicitation",
    mcp_server_name: serverName,
    message,
    mode,
    ...present({ url, elicitation_id: elicitationId, requested_schema: requestedSchema }),
  };
}

function read({ action, content }: Loose): McpElicitationAnswer {
  if (action === "cancel") return { action };
  if (action !== "accept") return { action: "decline" };
  if (!isRecord(content)) return { action };
  const fit = Object.entries(content).filter(([, value]) => isValue(value));
  return { action, content: Object.fromEntries(fit) as Record<string, string | number | boolean | string[]> };
}

function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return ["string", "number", "boolean"].includes(typeof value);
}
