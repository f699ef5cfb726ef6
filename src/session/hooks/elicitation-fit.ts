/** Checks an answer to an MCP server's question against the requested schema. */
import { isRecord } from "../../lib/is-record.ts";
import type { McpElicitation } from "../../protocol/mcp.ts";

type Property = Record<string, unknown>;

/** Returns what is wrong with the answer, in a few words, or undefined. A required field with a default may be missing. */
export function elicitationMisfit(
  content: Readonly<Record<string, unknown>> = {},
  { requestedSchema: schema }: Pick<McpElicitation, "requestedSchema">,
): string | undefined {
  if (schema === undefined) return undefined;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"])
    ? schema["required"].filter((name) => typeof name === "string")
    : [];
  const missing = required.find(
    (name) => content[name] === undefined && propertyIn(properties, name)["default"] === undefined,
  );
  if (missing !== undefined) return `${missing} is missing`;
  for (const [name, value] of Object.entries(content)) {
    const wrong = fieldMisfit(value, propertyIn(properties, name));
    if (wrong !== undefined) return `${name} ${wrong}`;
  }
  return undefined;
}

function propertyIn(properties: Property, name: string): Property {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isRecord(property) ? property : {};
}

/** The same for a single field; the text follows the field's name. */
export function fieldMisfit(value: unknown, property: Readonly<Property>): string | undefined {
  const { type } = property;
  const kind = Array.isArray(value) ? "array" : typeof value;
  if (!["string", "number", "boolean", "array"].includes(kind)) return "is not a text, number, boolean or list";
  if (Array.isArray(value) && value.some((item) => typeof item !== "string"))
    return "is a list with items that are not texts";
  const wanted = type === "integer" ? "number" : type;
  if (typeof wanted === "string" && wanted !== kind) return `is of the type ${kind}, not ${type as string}`;
  if (type === "integer" && !Number.isInteger(value)) return "is not a whole number";
  const choices = elicitationChoices(property);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (choices !== undefined && !values.every((each) => choices.some((choice) => choice.value === each)))
    return "is none of the choices";
  return boundsMisfit(value, property);
}

export interface ElicitationChoice {
  value: unknown;
  /** The label that people see. */
  title: string;
}

/** The choices of a field, or of the items of a list field: an `enum`, or titled values. Undefined if any value is allowed. */
export function elicitationChoices(property: Readonly<Property>): ElicitationChoice[] | undefined {
  const { items } = property;
  const { enum: values, enumNames, oneOf, anyOf } = isRecord(items) ? items : property;
  const titles: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values)) return values.map((value: unknown, at) => choiceOf(value, titles[at]));
  const titled: unknown = oneOf ?? anyOf;
  return Array.isArray(titled) && titled.every((each) => isRecord(each) && "const" in each)
    ? (titled as Property[]).map(({ const: value, title }) => choiceOf(value, title))
    : undefined;
}

function choiceOf(value: unknown, title: unknown): ElicitationChoice {
  return { value, title: typeof title === "string" && title.trim() !== "" ? title.trim() : String(value) };
}

function boundsMisfit(value: unknown, property: Readonly<Property>): string | undefined {
  const [size, least, most] =
    typeof value === "number"
      ? [value, property["minimum"], property["maximum"]]
      : typeof value === "string"
        ? [Array.from(value).length, property["minLength"], property["maxLength"]]
        : [Array.isArray(value) ? value.length : 0, property["minItems"], property["maxItems"]];
  if (typeof least === "number" && size < least) return `is below the minimum (${least})`;
  if (typeof most === "number" && size > most) return `is above the maximum (${most})`;
  return typeof value === "string" ? formatMisfit(value, property["format"]) : undefined;
}

/** The formats that a server may ask for, and how each is written. */
const formats: Readonly<Record<string, { form: RegExp; wrong: string; isDate?: boolean }>> = {
  email: { form: /^[^\s@]+@[^\s@]+$/u, wrong: "is not an email address such as ada@example.com" },
  uri: { form: /^[a-z][a-z\d+.-]*:\S+$/iu, wrong: "is not a URL with a scheme such as https://example.com" },
  date: { form: /^\d{4}-\d\d-\d\d$/u, wrong: "is not a date such as 2026-01-31", isDate: true },
  "date-time": {
    form: /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/u,
    wrong: "is not a date with time and zone such as 2026-01-31T09:30:00Z",
    isDate: true,
  },
};

function formatMisfit(value: string, format: unknown): string | undefined {
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known === undefined) return undefined;
  const isOne = known.form.test(value) && (known.isDate !== true || isDay(value));
  return isOne ? undefined : known.wrong;
}

/** `Date.parse` in Node accepts February 31 as a day in March. */
function isDay(value: string): boolean {
  const day = value.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(Date.parse(value)) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
