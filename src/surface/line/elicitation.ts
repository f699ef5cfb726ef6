/** Asks an MCP server's questions line by line: first whether to answer at all, then each field. Marks the server's words as its own. */
import { toHalfWidth } from "../../lib/half-width.ts";
import { oneLine, reveal } from "../../lib/sanitize.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import type { McpElicitation, McpElicitationAnswer } from "../../protocol/mcp.ts";
import { elicitationChoices, fieldMisfit, type ElicitationChoice } from "../../session/hooks/elicitation-fit.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import type { TerminalQuestion } from "./question-queue.ts";

/** Asks one question. Resolves to undefined if the person is gone. */
export type AskQuestion = <T>(question: TerminalQuestion<T>) => Promise<T | undefined>;

type FieldValue = string | number | boolean | string[];
/** Returns a field's value, `null` if it is left out, or what is wrong with the typed text. */
type ReadField = (text: string) => { value: FieldValue | null } | { wrong: string };

/** `columns` is the width of the terminal. */
export async function answerByLines(
  elicitation: McpElicitation,
  ask: AskQuestion,
  columns = Infinity,
): Promise<McpElicitationAnswer> {
  // Indented, because only pawl's own text starts at the left margin.
  const messageLines = reveal(elicitation.message).split("\n");
  const words = messageLines.flatMap((line) => wrapHanging(`  ${line}`, columns).split("\n"));
  const head = [`The MCP server ${oneLine(elicitation.serverName, 60)} asks:`, ...words];
  if (elicitation.url !== undefined) head.push(`  It asks you to open ${reveal(elicitation.url)}`);
  const prompt = elicitation.mode === "url" ? "Did you open it? [y/n] " : "Do you want to answer? [y/n] ";
  const mayAnswer = await ask({ lines: head, prompt, read: yesOrNo });
  if (mayAnswer === undefined) return { action: "cancel" };
  if (!mayAnswer) return { action: "decline" };
  if (elicitation.mode === "url") return { action: "accept" };
  const content: Record<string, FieldValue> = {};
  for (const { name, line, read } of formFields(elicitation.requestedSchema ?? {})) {
    const answer = await ask({
      lines: [line],
      prompt: `${oneLine(name, 60)}: `,
      read: (text) => {
        const done = read(text);
        return "wrong" in done ? undefined : done;
      },
      linesForOtherText: (text) => {
        const done = read(text);
        return "wrong" in done ? [`  (that ${done.wrong})`] : [];
      },
      isExpected: true,
    });
    if (answer === undefined) return { action: "cancel" };
    if (answer.value !== null) content[name] = answer.value;
  }
  return { action: "accept", content };
}

function yesOrNo(text: string): boolean | undefined {
  const word = toHalfWidth(text).trim().toLowerCase();
  if (/^(?:y|yes)$/u.test(word)) return true;
  return /^(?:n|no)$/u.test(word) ? false : undefined;
}

interface Field {
  name: string;
  /** The description shown above the field. */
  line: string;
  read: ReadField;
}

function formFields(schema: Record<string, unknown>): Field[] {
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, unknown>);
  return properties.map(([name, property]) => {
    const own = isRecord(property) ? property : {};
    const isRequired = required.includes(name);
    return { name, line: `  ${describeField(name, own, isRequired)}`, read: createFieldReader(own, isRequired) };
  });
}

function describeField(name: string, schema: Record<string, unknown>, isRequired: boolean): string {
  const { title, description, default: defaultValue } = schema;
  const label = [title, description].filter((text) => typeof text === "string").join(" - ");
  const choices = elicitationChoices(schema);
  const proposed = choices?.find(({ value }) => value === defaultValue)?.title ?? defaultValue;
  const without = isRequired ? "" : ", optional";
  const defaultNote = defaultValue === undefined ? without : `, default ${JSON.stringify(proposed)}`;
  return oneLine(`${label === "" ? name : label} (${typeText(schema, choices)}${defaultNote})`, maxDescriptionLength);
}

/** In characters. Enough for a list of choices. */
const maxDescriptionLength = 2_000;

function typeText(
  { type, format }: Record<string, unknown>,
  choices: readonly ElicitationChoice[] | undefined,
): string {
  const titles = choices?.map(({ title }) => title).join(", ");
  if (type === "array") return `${titles === undefined ? "a list" : `any of ${titles}`}, separated by commas`;
  const kind = typeof format === "string" ? format : type;
  return titles ?? (typeof kind === "string" ? kind : "text");
}

/** Returns a reader for a field. Empty text means the server's default; a required field without a valid value is asked again. */
function createFieldReader(schema: Record<string, unknown>, isRequired: boolean): ReadField {
  const { type, default: defaultValue } = schema;
  const choices = elicitationChoices(schema);
  const valueOf = (typed: string): FieldValue | undefined => {
    if (type === "array") return parseList(typed, choices);
    return choices === undefined ? parsePlainValue(typed, type) : findChoice(typed, choices);
  };
  return (text) => {
    const typed = text.trim();
    const value = typed === "" ? defaultValue : valueOf(typed);
    const wrong = isFieldValue(value) ? fieldMisfit(value, schema) : invalidValueText(typed, schema);
    if (isFieldValue(value) && wrong === undefined) return { value };
    return typed === "" && !isRequired ? { value: null } : { wrong: wrong ?? "" };
  };
}

function invalidValueText(typed: string, schema: Record<string, unknown>): string {
  if (typed === "") return "needs an answer";
  if (schema["type"] === "boolean") return "is neither yes nor no";
  return schema["type"] === "number" || schema["type"] === "integer" ? "is not a number" : "is not one of the choices";
}

function isFieldValue(value: unknown): value is FieldValue {
  return isStringList(value) || typeof value === "string" || Number.isFinite(value) || typeof value === "boolean";
}

function parsePlainValue(typed: string, type: unknown): FieldValue | undefined {
  if (type === "boolean") return yesOrNo(typed.replace(/^true$/u, "y").replace(/^false$/u, "n"));
  return type === "number" || type === "integer" ? Number(toHalfWidth(typed)) : typed;
}

/** Finds a choice by its title or its value. */
function findChoice(typed: string, choices: readonly ElicitationChoice[]): FieldValue | undefined {
  const isSame = (one: unknown): boolean => String(one).toLowerCase() === typed.toLowerCase();
  const found =
    choices.find(({ value, title }) => title === typed || value === typed) ??
    choices.find(({ value, title }) => isSame(title) || isSame(value));
  return found === undefined || !isFieldValue(found.value) ? undefined : found.value;
}

function parseList(typed: string, choices: readonly ElicitationChoice[] | undefined): string[] | undefined {
  const parts = typed.split(/[,，、]/u).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  const values = choices === undefined ? parts : parts.map((part) => findChoice(part, choices));
  return values.every((value) => typeof value === "string") ? [...new Set(values)] : undefined;
}
