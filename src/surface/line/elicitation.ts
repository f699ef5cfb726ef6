/** What an MCP server asks its user, line by line: first whether to answer at all, then each field. Its words are shown as its own. */
import { oneLine, reveal } from "../../lib/sanitize.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { McpElicitation, McpElicitationAnswer } from "../../protocol/mcp.ts";
import { elicitationChoices, elicitationMisfit, type ElicitationChoice } from "../../session/hooks/elicitation-fit.ts";
import type { Asked } from "./asking.ts";

/** Puts one question. Undefined where the person is gone. */
export type PutQuestion = <T>(question: Asked<T>) => Promise<T | undefined>;

type Value = string | number | boolean | string[];
/** `null`: left out. */
type Read = (text: string) => Value | null | undefined;

export async function answerByLines(asked: McpElicitation, put: PutQuestion): Promise<McpElicitationAnswer> {
  const head = [`The MCP server ${oneLine(asked.serverName, 60)} asks:`, `  ${reveal(asked.message)}`];
  if (asked.url !== undefined) head.push(`  It wants you to open ${reveal(asked.url)}`);
  const prompt = asked.mode === "url" ? "Have you? [y/n] " : "Answer it? [y/n] ";
  const mayAnswer = await put({ lines: head, prompt, read: yesOrNo });
  if (mayAnswer === undefined) return { action: "cancel" };
  if (!mayAnswer) return { action: "decline" };
  if (asked.mode === "url") return { action: "accept" };
  const content: Record<string, Value> = {};
  for (const { name, line, read } of fieldsOf(asked.requestedSchema ?? {})) {
    const value = await put({ lines: [line], prompt: `${oneLine(name, 60)}: `, read, isExpected: true });
    if (value === undefined) return { action: "cancel" };
    if (value !== null) content[name] = value;
  }
  return { action: "accept", content };
}

function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (/^(?:y|yes)$/u.test(word)) return true;
  return /^(?:n|no)$/u.test(word) ? false : undefined;
}

interface Field {
  name: string;
  /** What is said of it. */
  line: string;
  read: Read;
}

function fieldsOf(schema: Record<string, unknown>): Field[] {
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, unknown>);
  return properties.map(([name, property]) => {
    const own = isRecord(property) ? property : {};
    return { name, line: `  ${describe(name, own)}`, read: reader(own, required.includes(name)) };
  });
}

function describe(name: string, own: Record<string, unknown>): string {
  const { title, description, default: usual } = own;
  const said = [title, description].filter((text) => typeof text === "string").join(" - ");
  const choices = elicitationChoices(own);
  const proposed = choices?.find(({ value }) => value === usual)?.title ?? usual;
  const given = usual === undefined ? "" : `, ${JSON.stringify(proposed)} where nothing is typed`;
  return oneLine(`${said === "" ? name : said} (${kindOf(own, choices)}${given})`, longest);
}

/** Enough for the choices there may be. */
const longest = 2_000;

function kindOf({ type }: Record<string, unknown>, choices: readonly ElicitationChoice[] | undefined): string {
  const titles = choices?.map(({ title }) => title).join(", ");
  if (type === "array") return `${titles === undefined ? "" : `of ${titles}: `}several have commas between them`;
  return titles ?? (typeof type === "string" ? type : "text");
}

/** Nothing typed is what the server proposes; where it must have an answer and proposes none, or one that it takes, it is asked for again. */
function reader(own: Record<string, unknown>, isRequired: boolean): Read {
  const { type, default: usual } = own;
  const choices = elicitationChoices(own);
  const valueOf = (typed: string): Value | undefined => {
    if (type === "array") return listIn(typed, choices);
    return choices === undefined ? plainValue(typed, type) : chosen(typed, choices);
  };
  return (text) => {
    const typed = text.trim();
    const value = typed === "" ? usual : valueOf(typed);
    if (isValue(value) && isTaken(value, own)) return value;
    return typed === "" && !isRequired ? null : undefined;
  };
}

function isValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string");
  return typeof value === "string" || Number.isFinite(value) || typeof value === "boolean";
}

function isTaken(value: Value, own: Record<string, unknown>): boolean {
  return elicitationMisfit({ value }, { requestedSchema: { properties: { value: own } } }) === undefined;
}

function plainValue(typed: string, type: unknown): Value | undefined {
  if (type === "boolean") return yesOrNo(typed.replace(/^true$/u, "y").replace(/^false$/u, "n"));
  return type === "number" || type === "integer" ? Number(typed) : typed;
}

/** By its title, or as the server calls it. */
function chosen(typed: string, choices: readonly ElicitationChoice[]): Value | undefined {
  const isSame = (one: unknown): boolean => String(one).toLowerCase() === typed.toLowerCase();
  const found =
    choices.find(({ value, title }) => title === typed || value === typed) ??
    choices.find(({ value, title }) => isSame(title) || isSame(value));
  return found === undefined || !isValue(found.value) ? undefined : found.value;
}

function listIn(typed: string, choices: readonly ElicitationChoice[] | undefined): string[] | undefined {
  const parts = typed.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  const values = choices === undefined ? parts : parts.map((part) => chosen(part, choices));
  return values.every((value) => typeof value === "string") ? [...new Set(values)] : undefined;
}
