/** Whether a rule's conditions hold for a request. */
import type { RequestView, ToolResultView } from "./request-view.ts";
import type { Match, TextMatch, ToolResultMatch } from "./types.ts";

export function matches(when: Match, request: RequestView): boolean {
  return (
    textMatches(when.lastUserText, () => request.lastUserText) &&
    textMatches(when.system, () => request.systemText) &&
    textMatches(when.model, () => request.model) &&
    countMatches(when.messages, request.messages.length) &&
    countMatches(when.turns, request.turns) &&
    (when.call === undefined || when.call === request.call) &&
    (when.hasTool === undefined || request.hasTool(...nameList(when.hasTool))) &&
    (when.offersTools === undefined || when.offersTools === request.tools.length > 0) &&
    (when.compacts === undefined || when.compacts === (request.body["compaction"] !== undefined)) &&
    matchesSomeResult(when.lastToolResult, () => request.lastToolResults) &&
    matchesSomeResult(when.anyToolResult, () => request.toolResults) &&
    (when.test === undefined || when.test(request))
  );
}

function textMatches(pattern: TextMatch | undefined, text: () => string): boolean {
  if (pattern === undefined) return true;
  if (typeof pattern === "string") return text().includes(pattern);
  const expression = pattern instanceof RegExp ? pattern : new RegExp(pattern.regex, pattern.flags);
  expression.lastIndex = 0;
  return expression.test(text());
}

function countMatches(condition: Match["messages"], count: number): boolean {
  if (condition === undefined) return true;
  if (typeof condition === "number") return count === condition;
  return count >= (condition.min ?? 0) && count <= (condition.max ?? Number.POSITIVE_INFINITY);
}

function matchesSomeResult(condition: ToolResultMatch | undefined, results: () => ToolResultView[]): boolean {
  if (condition === undefined) return true;
  return results().some(
    (result) =>
      (condition.tool === undefined || nameList(condition.tool).includes(result.tool)) &&
      (condition.isError === undefined || condition.isError === result.isError) &&
      textMatches(condition.text, () => result.text),
  );
}

function nameList(names: string | string[]): string[] {
  return Array.isArray(names) ? names : names.split("|");
}
