/** Accepts any object as an answer. Its parts are validated one by one, so that a wrong part does not hide the others. */
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { originalResult } from "./newest-results.ts";

export const anyObject: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "pawl",
    validate: (value) =>
      typeof value === "object" && value !== null
        ? { value: originalResult(value as Record<string, unknown>) }
        : { issues: [{ message: "is not an object" }] },
  },
};

export function listIn(answer: Record<string, unknown>, key: string): unknown[] {
  const value = answer[key];
  return Array.isArray(value) ? (value as unknown[]) : [];
}
