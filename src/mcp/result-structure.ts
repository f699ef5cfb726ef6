/** What a result's text does not say of its structured content. By the protocol it says all; by many servers, only a count. */
import { isObject } from "../lib/json.ts";

/** Maximum number of values searched for in the text: many of them stand for all. */
const maxValues = 200;

/** The structured content as JSON; undefined if the text and the other parts contain each of its values. */
export function structureMissingFromText(structured: unknown, parts: readonly unknown[]): string | undefined {
  const media = new Set(parts.flatMap(mediaDataIn));
  let long: number | undefined;
  const json = JSON.stringify(structured, (_key, value: unknown) => {
    if (isUnsafeInteger(value)) long ??= value;
    return typeof value === "string" && media.has(value) ? "[it is above]" : value;
  });
  if (json === undefined) return undefined;
  const shown =
    long === undefined ? json : `${json}\n[The last digits of integers as long as ${long} may be lost here.]`;
  const text = parts.map(partText).join("\n");
  if (text.trim() === "") return shown;
  const values: Scalar[] = [];
  collectScalars(structured, media, values);
  return values.every((value) => isInText(value, text)) ? undefined : shown;
}

type Scalar = string | number | boolean;

/** Text has all digits of an integer, which a double may not hold. */
function isInText(value: Scalar, text: string): boolean {
  const word = String(value);
  if (typeof value === "boolean") return text.toLowerCase().includes(word);
  if (text.includes(word) || (typeof value === "string" && text.includes(jsonEscaped(value)))) return true;
  // A minus sign in the text may be a hyphen, as in order-17.
  return isUnsafeInteger(value) && (text.match(/\d{16,}/g) ?? []).some((digits) => Number(digits) === Math.abs(value));
}

function isUnsafeInteger(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) < 1e21;
}

function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function mediaDataIn(part: unknown): string[] {
  if (!isObject(part)) return [];
  const { data, resource } = part;
  const blob = isObject(resource) ? resource["blob"] : undefined;
  return [data, blob].filter((value) => typeof value === "string" && value !== "") as string[];
}

/** The text of a part; for other parts, their metadata. */
function partText(part: unknown): string {
  if (!isObject(part)) return "";
  const { data: _data, resource, text, ...rest } = part;
  if (typeof text === "string" && part["type"] === "text") return text;
  const { blob: _blob, text: words = "", ...about } = isObject(resource) ? resource : {};
  return `${JSON.stringify({ ...rest, ...about })}\n${typeof words === "string" ? words : ""}`;
}

/** Booleans inside a list are skipped: text expresses them in other ways, as a word, a mark, or a separate list. */
function collectScalars(value: unknown, media: ReadonlySet<string>, values: Scalar[], isListed = false): void {
  if (values.length >= maxValues) return;
  if (typeof value === "number" || (typeof value === "boolean" && !isListed)) values.push(value);
  else if (typeof value === "string" && value.trim() !== "" && !media.has(value)) values.push(value.trim());
  else if (typeof value === "object" && value !== null)
    for (const each of Object.values(value) as unknown[])
      collectScalars(each, media, values, isListed || Array.isArray(value));
}
