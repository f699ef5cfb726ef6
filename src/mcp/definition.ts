/** What a server says of its tools, made fit to be told to a model: text that can be seen, schemas the API takes, all of it bounded. */
import { createHash } from "node:crypto";
import { timeLimitMark } from "../lib/calls-within.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ToolInputSchema } from "../protocol/tool.ts";
import { cleanText } from "./clean-text.ts";
import type { FieldNames } from "./field-names.ts";
import { fitSchema } from "./schema.ts";

export interface McpToolDefinition {
  /** The server's own name for it. */
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  /** Of its input, those that are told under other names. */
  fields: FieldNames;
  readOnlyHint: boolean;
  alwaysLoad: boolean;
  /** Its server wants a person asked each time. */
  asksAlways: boolean;
  /** How long its server says that results of it may be, in characters; 0 where it says nothing. */
  resultChars: number;
  /** How long a server of this process says that a call may take, ms; 0 where it says nothing. */
  timeLimitMs: number;
  /** As it was listed. */
  listed: Record<string, unknown>;
  /** Of all that the model and the user were told of it, whatever order its server writes keys in. */
  hash: string;
  /** The same with keys as they were written: pins of earlier versions have it. */
  writtenHash: string;
}

const maxDescription = 2_048;
const maxResultChars = 500_000;

/** The definition, or why the tool is left out. */
export function readDefinition(listed: unknown): McpToolDefinition | { name: string; why: string } {
  if (!isRecord(listed) || typeof listed["name"] !== "string" || listed["name"].trim() === "")
    return { name: "", why: "it has no name" };
  const name = listed["name"];
  if (name.length > 256) return { name: name.slice(0, 60), why: "its name is longer than 256 characters" };
  try {
    return definitionOf(name, listed);
  } catch (error) {
    // Too deep, or too much, for this process: that is said of it alone.
    if (!(error instanceof RangeError)) throw error;
    return { name, why: "its definition cannot be read" };
  }
}

function definitionOf(
  name: string,
  listed: Record<string, unknown>,
): McpToolDefinition | { name: string; why: string } {
  const { annotations, _meta: meta } = listed;
  if (isForPage(meta)) return { name, why: "it is for its server's own page, and not for a model" };
  const fit = fitSchema(listed["inputSchema"]);
  if (typeof fit === "string") return { name, why: fit };
  const described = typeof listed["description"] === "string" ? listed["description"] : "";
  const hinted = isRecord(annotations) && typeof annotations["title"] === "string" ? annotations["title"] : "";
  // Of the two places for it the newer one counts.
  const title = described === "" && typeof listed["title"] === "string" ? listed["title"] : hinted;
  const definition = {
    name,
    description: cleanText(described === "" ? title : described, maxDescription),
    inputSchema: fit.schema,
    fields: fit.fields,
    readOnlyHint: isRecord(annotations) && annotations["readOnlyHint"] === true,
    alwaysLoad: isRecord(meta) && meta["anthropic/alwaysLoad"] === true,
    asksAlways: isRecord(meta) && meta["anthropic/requiresUserInteraction"] === true,
    resultChars: isRecord(meta) ? charsIn(meta["anthropic/maxResultSizeChars"]) : 0,
    timeLimitMs: isRecord(meta) && typeof meta[timeLimitMark] === "number" ? meta[timeLimitMark] : 0,
  };
  const told = [name, described, title, definition.readOnlyHint, listed["inputSchema"]];
  return {
    ...definition,
    listed,
    hash: hashOf(JSON.stringify(told, sorted)),
    writtenHash: hashOf(JSON.stringify(told)),
  };
}

/** By the extension that has servers bring pages (`io.modelcontextprotocol/ui`): such tools may not be among the model's. */
function isForPage(meta: unknown): boolean {
  const ui = isRecord(meta) ? meta["ui"] : undefined;
  const visibility = isRecord(ui) ? ui["visibility"] : undefined;
  return Array.isArray(visibility) && !visibility.includes("model");
}

function charsIn(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(value, maxResultChars) : 0;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** For `JSON.stringify`. */
function sorted(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
