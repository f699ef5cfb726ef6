/**
 * Results of the newest protocol version. The client refuses one as a whole if any part of it is not exactly right, although the tool has
 * run and what the server means is plain. So the client gets an empty result that carries the server's own: `originalResult` returns
 * that, and its parts are validated one by one, as in the older versions.
 */
import { PROTOCOL_VERSION_META_KEY, type Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../lib/is-record.ts";
import { repairCapabilities } from "./initialize-result.ts";

type Result = Record<string, unknown>;

const cached = { ttlMs: 0, cacheScope: "private" };
/** By method, what a result must have. */
const emptyResults: ReadonlyMap<string, Result> = new Map(
  Object.entries({
    "tools/call": { content: [] },
    "tools/list": { ...cached, tools: [] },
    "prompts/get": { messages: [] },
    "prompts/list": { ...cached, prompts: [] },
    "resources/read": { ...cached, contents: [] },
    "resources/list": { ...cached, resources: [] },
    "resources/templates/list": { ...cached, resourceTemplates: [] },
  }),
);

const originalKey = "pawl/original";
/** Only these are taken for an original: a server could use the same key. */
const originals = new WeakSet<object>();

/** The result as the server sent it. */
export function originalResult(result: Result): Result {
  const original = result[originalKey];
  return isRecord(original) && originals.has(original) ? original : result;
}

/** Prepares the results of requests that are sent in the newest version of the protocol, before the client reads them. */
export function acceptOddResults(transport: Transport): void {
  /** Of requests without an answer, by id. */
  const methods = new Map<unknown, string>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("id" in message && "method" in message && isOfNewestVersion(message.params))
      methods.set(message.id, message.method);
    return send(message, options);
  };
  let handler: Transport["onmessage"];
  const receive: NonNullable<Transport["onmessage"]> = (message, extra) => {
    const method = "result" in message ? methods.get(message.id) : undefined;
    if ("id" in message && !("method" in message)) methods.delete(message.id);
    const isPlain = method === undefined || !("result" in message);
    handler?.(isPlain ? message : { ...message, result: acceptableResult(method, message.result) }, extra);
  };
  // The transport has no other place where a message can be changed before the client gets it.
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => (handler === undefined ? undefined : receive),
    set: (next: Transport["onmessage"]) => {
      handler = next;
    },
  });
}

function isOfNewestVersion(params: unknown): boolean {
  const meta = isRecord(params) ? params["_meta"] : undefined;
  return isRecord(meta) && typeof meta[PROTOCOL_VERSION_META_KEY] === "string";
}

function acceptableResult(method: string, result: Result): Result {
  const { resultType } = result;
  const isStated = typeof resultType === "string" && resultType !== "";
  if (isStated && resultType !== "complete") return result;
  // The server asks for something first, and the request is to be made again with the answer.
  const asksFirst = !isStated && (isRecord(result["inputRequests"]) || typeof result["requestState"] === "string");
  if (asksFirst) return { ...result, resultType: "input_required" };
  if (method === "server/discover") return { ...result, ...discoveredFields(result), resultType: "complete" };
  const empty = emptyResults.get(method);
  if (empty === undefined) return isStated ? result : { ...result, resultType: "complete" };
  originals.add(result);
  return { resultType: "complete", ...empty, [originalKey]: result };
}

/** Some languages write an empty table as a list and a missing text as null. */
function discoveredFields({ capabilities, instructions }: Result): Result {
  return {
    capabilities: isRecord(capabilities) ? repairCapabilities(capabilities) : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}
