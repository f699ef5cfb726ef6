/** What the schemas of strict tools and of the output may contain: the API compiles them into a grammar. */
import { isObject } from "../wire/types.ts";
import type { Report } from "./report.ts";

const maxStrictTools = 20;
const maxOptionalFields = 24;

/** Lookaround, back-references and word boundaries. A preceding backslash turns them into plain text. */
const unsupportedRegex = /(?<!\\)(?:\\\\)*(?:\(\?<?[=!]|\\[1-9bB]|\\k<)/;

export function checkStrictTools(tools: Record<string, unknown>[], report: Report): void {
  const strict = tools.filter((tool) => tool["strict"] === true);
  if (strict.length > maxStrictTools) {
    report.add(
      "tools",
      `Too many strict tools (${strict.length}). The maximum number of strict tools is ${maxStrictTools}.`,
    );
  }
  let optional = 0;
  let hasUnsupportedRegex = false;
  for (const tool of strict) {
    eachSchema(tool["input_schema"], (schema) => {
      const { properties, required, pattern } = schema;
      const needed = new Set(Array.isArray(required) ? required : []);
      if (isObject(properties)) optional += Object.keys(properties).filter((key) => !needed.has(key)).length;
      if (typeof pattern === "string" && unsupportedRegex.test(pattern)) hasUnsupportedRegex = true;
    });
  }
  if (optional > maxOptionalFields) report.add("", "Schema is too complex for compilation.");
  if (hasUnsupportedRegex) report.add("", "Unsupported regex feature in pattern field");
}

export function checkStrictTool(tool: Record<string, unknown>, path: string, report: Report): void {
  if (tool["strict"] === true) checkNoAdditionalProperties(tool["input_schema"], path, report);
}

/** In a compiled schema, every object, nested ones included, must refuse additional properties. */
export function checkNoAdditionalProperties(root: unknown, path: string, report: Report): void {
  let isOpen = false;
  eachSchema(root, ({ type, additionalProperties }) => {
    const holdsFields = type === "object" || (Array.isArray(type) && type.includes("object"));
    if (holdsFields && additionalProperties !== false) isOpen = true;
  });
  if (isOpen) report.add(path, "For 'object' type, 'additionalProperties' must be explicitly set to false");
}

function eachSchema(schema: unknown, visit: (schema: Record<string, unknown>) => void): void {
  if (!isObject(schema)) return;
  visit(schema);
  for (const key of ["properties", "$defs", "definitions"]) {
    const table = schema[key];
    if (isObject(table)) for (const inner of Object.values(table)) eachSchema(inner, visit);
  }
  for (const key of ["items", "additionalProperties"]) eachSchema(schema[key], visit);
  for (const key of ["anyOf", "allOf", "oneOf", "prefixItems"]) {
    const list = schema[key];
    if (Array.isArray(list)) for (const inner of list) eachSchema(inner, visit);
  }
}
