/**
 * Interprets an input that does not fit its schema. Models write numbers and booleans as strings, lists as JSON in a string, and null for
 * fields they leave out. Only values of the wrong type are reinterpreted, and only if there is exactly one interpretation.
 */
import { maxValueDepth, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { findRoundedInteger } from "../../lib/rounded-integer.ts";

/** Returns the interpreted value, which need not fit either, or the same value if there is no interpretation. */
export function interpretValue(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema)) return value;
  switch (schema["type"]) {
    case "integer":
    case "number":
      return typeof value === "string" ? interpretNumber(value) : value;
    case "boolean":
      return typeof value === "string" ? interpretBoolean(value) : value;
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    case "array": {
      const list = typeof value === "string" ? parseJsonOrText(value) : value;
      return Array.isArray(list) ? list.map((each: unknown) => interpretValue(schema["items"], each)) : value;
    }
    case "object": {
      const object = typeof value === "string" ? parseJsonOrText(value) : value;
      return isRecord(object) ? interpretObject(schema, object) : value;
    }
    default:
      return value;
  }
}

function interpretObject(schema: Record<string, unknown>, value: Record<string, unknown>): Record<string, unknown> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const read: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isLeftOut = each === null && isRecord(own) && typeof own["type"] === "string" && own["type"] !== "null";
    if (isLeftOut && !required.includes(name)) continue;
    read.push([name, interpretValue(own, each)]);
  }
  return Object.fromEntries(read);
}

function interpretNumber(text: string): unknown {
  return /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(text) ? Number(text) : text;
}

function interpretBoolean(text: string): unknown {
  const word = text.trim().toLowerCase();
  return word === "true" ? true : word === "false" ? false : text;
}

function parseJsonOrText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, maxValueDepth) || findRoundedInteger(text) !== undefined ? text : value;
  } catch {
    return text;
  }
}
