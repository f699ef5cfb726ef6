/** Turns the command's message stream into lines a person can follow. */
import type { SDKMessage, WireBlock } from "../src/protocol/sdk.ts";

export function createNarrator(write: (text: string) => void): (message: SDKMessage) => void {
  const names = new Map<string, string>();
  return (message) => {
    if (message.type === "assistant") for (const block of message.message.content) write(modelLine(block, names));
    else if (message.type === "user" && Array.isArray(message.message.content))
      for (const block of message.message.content) write(toolLine(block, names));
    else if (message.type === "system" && message.subtype === "api_retry")
      write(`  … ${message.message} Retrying in ${(message.retry_delay_ms / 1000).toFixed(1)} s.\n`);
  };
}

function modelLine(block: WireBlock, names: Map<string, string>): string {
  if (block.type === "text") return `\n${String(block["text"])}\n`;
  if (block.type === "thinking" && block["thinking"] !== "") return `\n  (thinks) ${String(block["thinking"])}\n`;
  if (block.type !== "tool_use") return "";
  const name = String(block["name"]);
  names.set(String(block["id"]), name);
  return `  ● ${name} ${describeInput(block["input"] as Record<string, unknown>)}\n`;
}

function describeInput(input: Record<string, unknown>): string {
  return textOf(input["command"] ?? input["pattern"] ?? input["file_path"]);
}

function toolLine(block: WireBlock, names: Map<string, string>): string {
  if (block.type !== "tool_result") return "";
  const { content } = block;
  const text =
    typeof content === "string" ? content : (content as WireBlock[]).map((part) => textOf(part["text"])).join("\n");
  const shownLine = text.split("\n").find((line) => /(?:#|ℹ) fail \d/.test(line)) ?? text.split("\n", 1)[0] ?? "";
  const name = names.get(String(block["tool_use_id"])) ?? "tool";
  return `    ${block["is_error"] === true ? "✗" : "✓"} ${name}: ${shorten(shownLine.replaceAll(/<\/?tool_use_error>/g, ""))}\n`;
}

const maxLineLength = 160;

function shorten(text: string): string {
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength).replace(/\s\S*$/, "")} …` : text;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
