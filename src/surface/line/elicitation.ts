/** What an MCP server asks its user, line by line: first whether to answer at all, then each field. Its words are shown as its own. */
import { oneLine, reveal } from "../../lib/sanitize.ts";
import type { McpElicitation, McpElicitationAnswer } from "../../protocol/mcp.ts";
import type { Asked } from "./asking.ts";

/** Puts one question. Undefined where the person is gone. */
export type PutQuestion = <T>(question: Asked<T>) => Promise<T | undefined>;

type Value = string | number | boolean;
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
    const own = (typeof property === "object" && property !== null ? property : {}) as Record<string, unknown>;
    return { name, line: `  ${describe(name, own)}`, read: reader(own, required.includes(name)) };
  });
}

function describe(
  name: string,
  { title, description, enum: choices, type, default: usual }: Record<string, unknown>,
): string {
  const said = [title, description].filter((text) => typeof text === "string").join(" - ");
  const kind = Array.isArray(choices) ? choices.join(", ") : typeof type === "string" ? type : "text";
  const given = usual === undefined ? "" : `, ${JSON.stringify(usual)} where nothing is typed`;
  return oneLine(`${said === "" ? name : said} (${kind}${given})`, 300);
}

/** Nothing typed is what the server proposes; where it must have an answer and proposes none, it is asked for again. */
function reader({ enum: choices, type, default: usual }: Record<string, unknown>, isRequired: boolean): Read {
  return (text) => {
    const typed = text.trim();
    if (typed === "") {
      if (typeof usual === "string" || typeof usual === "number" || typeof usual === "boolean") return usual;
      return isRequired ? undefined : null;
    }
    if (Array.isArray(choices)) return choices.includes(typed) ? typed : undefined;
    if (type === "boolean") return yesOrNo(typed.replace(/^true$/u, "y").replace(/^false$/u, "n"));
    if (type !== "number" && type !== "integer") return typed;
    const number = Number(typed);
    return Number.isFinite(number) && (type === "number" || Number.isInteger(number)) ? number : undefined;
  };
}
