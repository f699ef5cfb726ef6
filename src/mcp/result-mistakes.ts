/** Results that are not quite as the protocol has them, as hand-written servers send them. No mistake may turn an error into a success. */
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
