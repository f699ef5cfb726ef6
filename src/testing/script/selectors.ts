/** Values that a JSON script takes from the request, and tool names that adapt to the offered tools. */
import { isObject, type Json, type JsonObject, type WireTool } from "../wire/types.ts";
import type { RequestView } from "./request-view.ts";
import type { Dynamic, Part, Reply, Selector } from "./types.ts";

/** The script asked for something that the request does not contain. The request itself was fine. */
class ScriptError extends Error {
  override readonly name = "ScriptError";
}

const selectorKeys = ["$fromResult", "$fromUser", "$concat"];

export function resolveValue(value: Json, request: RequestView): Json {
  if (Array.isArray(value)) return value.map((entry) => resolveValue(entry, request));
  if (!isObject(value)) return value;
  const key = Object.keys(value)[0];
  if (key !== undefined && selectorKeys.includes(key)) return resolveSelector(key, value[key] as Json, request);
  const result: JsonObject = {};
  for (const [name, entry] of Object.entries(value)) result[name] = resolveValue(entry, request);
  return result;
}

function resolveSelector(key: string, argument: Json, request: RequestView): Json {
  if (key === "$concat") return concat(argument, request);
  const options = isObject(argument) ? (argument as JsonObject) : {};
  const texts = key === "$fromUser" ? [request.lastUserText] : resultTexts(options, request);
  for (const text of texts) {
    const found = extract(text, options);
    if (found !== undefined) return found;
  }
  if (options["default"] !== undefined) return options["default"];
  throw new ScriptError(`${key} ${JSON.stringify(options)} matched nothing in ${texts.length} candidate text(s)`);
}

function concat(argument: Json, request: RequestView): string {
  const parts = Array.isArray(argument) ? argument : [argument];
  return parts.map((part) => textOfValue(resolveValue(part, request))).join("");
}

/** The text of a part: as it is written, made by a function, or taken from the request. */
export function resolveText(text: Dynamic<string> | Selector, request: RequestView): string {
  return typeof text === "function" ? text(request) : textOfValue(resolveValue(text as Json, request));
}

/** The parts of a reply. */
export function partsOf({ content = [] }: Reply): Part[] {
  return typeof content === "string" ? [content] : content;
}

function textOfValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function resultTexts(options: JsonObject, request: RequestView): string[] {
  const tools = typeof options["tool"] === "string" ? options["tool"].split("|") : undefined;
  const results = request.toolResults.filter(({ tool }) => tools === undefined || tools.includes(tool));
  if (options["pick"] !== "first") results.reverse();
  return results.map(({ text }) => text);
}

function extract(text: string, options: JsonObject): string | undefined {
  if (typeof options["regex"] !== "string") return text;
  const flags = typeof options["flags"] === "string" ? options["flags"] : "";
  const match = new RegExp(options["regex"], flags.replace("g", "")).exec(text);
  if (match === null) return undefined;
  const group = typeof options["group"] === "number" ? options["group"] : match.length > 1 ? 1 : 0;
  return match[group];
}

/**
 * Picks the alternative that the request offers. A single name is used as it is, so that a script can call a tool that does not
 * exist. If none of several names is offered, the first is used.
 */
export function pickTool(names: string | string[], tools: readonly WireTool[]): { name: string; tool?: WireTool } {
  const candidates = Array.isArray(names) ? names : names.split("|");
  for (const name of candidates) {
    const tool = tools.find((offered) => offered.name === name);
    if (tool !== undefined) return { name, tool };
  }
  return { name: candidates[0] ?? "" };
}

/** Resolves `"file_path|path"` keys against the tool's own schema. */
export function adaptKeys(input: JsonObject, tool: WireTool | undefined): JsonObject {
  const properties = tool?.input_schema?.properties ?? {};
  const adapted: JsonObject = {};
  for (const [key, value] of Object.entries(input)) {
    const names = key.split("|");
    adapted[names.find((name) => Object.hasOwn(properties, name)) ?? (names[0] as string)] = value;
  }
  return adapted;
}
