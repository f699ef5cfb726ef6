/** Makes a server's tool definition fit for a model: visible text, schemas the API accepts, all of it bounded. */
import { timeLimitMetaKey } from "../lib/in-process-calls.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ToolInputSchema } from "../protocol/tool.ts";
import { cleanText } from "./clean-text.ts";
import type { FieldNames } from "./field-names.ts";
import { fitSchema } from "./schema.ts";
import { hexDigest } from "./hex-digest.ts";

export interface McpToolDefinition {
  /** The server's own name for it. */
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  /** The input fields that are told to the model under other names. */
  fields: FieldNames;
  readOnlyHint: boolean;
  alwaysLoad: boolean;
  /** The server wants a person to be asked each time. */
  asksAlways: boolean;
  /** The result length that its server announces, in characters; 0 if it announces none. */
  resultChars: number;
  /** The duration of a call that a server of this process announces, ms; 0 if it announces none. */
  timeLimitMs: number;
  /** The definition as it was listed. */
  listedDefinition: Record<string, unknown>;
  /** Hash of everything that the model and the user were told, independent of the order of keys. */
  hash: string;
  /** The same hash with keys in their written order, which pins of earlier versions contain. */
  writtenHash: string;
}

const maxDescription = 2_048;
const maxResultChars = 500_000;

/** Returns the definition, or why the tool is left out. */
export function readDefinition(listedDefinition: unknown): McpToolDefinition | { name: string; why: string } {
  if (
    !isRecord(listedDefinition) ||
    typeof listedDefinition["name"] !== "string" ||
    listedDefinition["name"].trim() === ""
  )
    return { name: "", why: "it has no name" };
  const name = listedDefinition["name"];
  if (name.length > 256) return { name: name.slice(0, 60), why: "its name is longer than 256 characters" };
  try {
    return definitionOf(name, listedDefinition);
  } catch (error) {
    // The definition is too deep or too large for this process, which only affects this tool.
    if (!(error instanceof RangeError)) throw error;
    return { name, why: "its definition cannot be read" };
  }
}

function definitionOf(
  name: string,
  listedDefinition: Record<string, unknown>,
): McpToolDefinition | { name: string; why: string } {
  const { annotations, _meta: meta } = listedDefinition;
  if (isHiddenFromModel(meta)) return { name, why: "it is for its server's own page, and not for a model" };
  const fit = fitSchema(listedDefinition["inputSchema"]);
  if (typeof fit === "string") return { name, why: fit };
  const described = typeof listedDefinition["description"] === "string" ? listedDefinition["description"] : "";
  const hinted = isRecord(annotations) && typeof annotations["title"] === "string" ? annotations["title"] : "";
  // There are two places for a title; the newer one wins.
  const title = described === "" && typeof listedDefinition["title"] === "string" ? listedDefinition["title"] : hinted;
  const definition = {
    name,
    description: cleanText(described === "" ? title : described, maxDescription),
    inputSchema: fit.schema,
    fields: fit.fields,
    readOnlyHint: isRecord(annotations) && annotations["readOnlyHint"] === true,
    alwaysLoad: isRecord(meta) && meta["anthropic/alwaysLoad"] === true,
    asksAlways: isRecord(meta) && meta["anthropic/requiresUserInteraction"] === true,
    resultChars: isRecord(meta) ? resultCharsIn(meta["anthropic/maxResultSizeChars"]) : 0,
    timeLimitMs: isRecord(meta) && typeof meta[timeLimitMetaKey] === "number" ? meta[timeLimitMetaKey] : 0,
  };
  const hashedParts = [name, described, title, definition.readOnlyHint, listedDefinition["inputSchema"]];
  return {
    ...definition,
    listedDefinition: listedDefinition,
    hash: hexDigest(JSON.stringify(hashedParts, sortKeys)),
    writtenHash: hexDigest(JSON.stringify(hashedParts)),
  };
}

/** By the extension for server pages (`io.modelcontextprotocol/ui`), a tool may be excluded from the model's tools. */
function isHiddenFromModel(meta: unknown): boolean {
  const ui = isRecord(meta) ? meta["ui"] : undefined;
  const visibility = isRecord(ui) ? ui["visibility"] : undefined;
  return Array.isArray(visibility) && !visibility.includes("model");
}

function resultCharsIn(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(value, maxResultChars) : 0;
}

/** A replacer for `JSON.stringify`. */
function sortKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
