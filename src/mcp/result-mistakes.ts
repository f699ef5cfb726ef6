/** Results that are not quite as the protocol has them, as hand-written servers send them. No mistake may turn an error into a success. */
import { isRecord } from "../lib/is-record.ts";
import { textBlock } from "../protocol/text-block.ts";
import { isDeeperThan, maxValueDepth } from "../lib/is-deeper.ts";

/** A text or number instead of a boolean counts as an error unless it plainly denies one. The Messages API spells the name `is_error`. */
function isMarkedAsError({ isError, is_error: otherSpelling }: Record<string, unknown>): boolean {
  return [isError, otherSpelling].some((flag) => !isDenial(flag));
}

/** Whether a result says that it is an error: by its mark, or in the field `error` of what it has in place of content. */
export function reportsError(result: Record<string, unknown>, unexpected?: Record<string, unknown>): boolean {
  return isMarkedAsError(result) || !isDenial(unexpected?.["error"]);
}

function isDenial(flag: unknown): boolean {
  if (typeof flag === "string") return /^\s*(?:false|no|off|0|null|none)?\s*$/iu.test(flag);
  return flag === undefined || flag === null || flag === false || flag === 0;
}

/** The client refuses such a result as a whole in the newest protocol version, although the tool has run. Returns a correct one as it is. */
export function repairToolResult(result: Record<string, unknown>): Record<string, unknown> {
  if (result["resultType"] !== "complete") return result;
  const { isError, content } = result;
  const hasOddMark = isError !== undefined && typeof isError !== "boolean";
  // Only tools answer with structure or with a mark; the results of other requests have no content.
  const isOfTool = result["structuredContent"] !== undefined || isError !== undefined;
  const parts = content === undefined && isOfTool ? [] : repairContent(content);
  if (!hasOddMark && parts === content) return result;
  return {
    ...result,
    ...(hasOddMark ? { isError: isMarkedAsError({ isError }) } : {}),
    ...(parts === content ? {} : { content: parts }),
  };
}

/** Only tools answer with content. */
function repairContent(content: unknown): unknown {
  if (content === null) return [];
  if (typeof content === "string" || isRecord(content)) return repairPart(content);
  if (!Array.isArray(content)) return content;
  const parts = content.flatMap(repairPart);
  return parts.length === content.length && parts.every((part, at) => part === content[at]) ? content : parts;
}

const partTypes: ReadonlySet<unknown> = new Set(["text", "image", "audio", "resource", "resource_link"]);

function repairPart(part: unknown): unknown[] {
  if (typeof part === "string") return [textBlock(part)];
  if (!isRecord(part)) return [];
  if (!partTypes.has(part["type"])) return isDeeperThan(part, maxValueDepth) ? [] : [textBlock(JSON.stringify(part))];
  if (part["type"] === "text" && typeof part["text"] !== "string") return [];
  const { annotations, ...others } = part;
  return [annotations === null ? others : part];
}

const expectedFields: ReadonlySet<string> = new Set([
  "_meta",
  "isError",
  "is_error",
  "resultType",
  "structuredContent",
]);

/** What a result without readable content and structure says in other fields; undefined if it says nothing. */
export function unexpectedFields(result: Record<string, unknown>): Record<string, unknown> | undefined {
  const fields = Object.fromEntries(Object.entries(result).filter(([name]) => !expectedFields.has(name)));
  for (const name of ["content", "contents"]) if (isBlank(fields[name])) delete fields[name];
  return Object.keys(fields).length === 0 || isDeeperThan(fields, maxValueDepth) ? undefined : fields;
}

/** A part without any text is nothing, and needs no words. */
function isBlank(content: unknown): boolean {
  if (content === undefined || content === null || content === "") return true;
  if (Array.isArray(content)) return content.every(isBlank);
  return typeof content === "object" && Object.keys(content).every((key) => key === "type");
}
