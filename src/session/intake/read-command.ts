/** Tells commands from prompts: a command is text alone that begins with a slash and one word. A path is a prompt. */
import { nearestName } from "../../lib/edit-distance.ts";
import { toHalfWidth } from "../../lib/half-width.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { ContentBlock } from "../../protocol/message.ts";

export interface TypedCommand {
  /** As typed, without the slash. Empty for a slash alone. */
  name: string;
  /** What follows the name, trimmed. */
  argument: string;
}

/** Some input methods write a full-width slash. */
const asciiCommandPattern = /^\s*[/／](?<name>[\w:./-]*)(?:\s+(?<argument>[^]*))?$/;
/** Compiling Unicode classes costs more than a millisecond at startup, so this is compiled only when needed. */
const createUnicodeCommandPattern = (): RegExp =>
  /^\s*[/／](?<name>[\p{L}\p{M}\p{N}_:./-]*)(?:\s+(?<argument>[^]*))?$/u;
const nonAsciiNamePattern = /^\s*[/／][\w:./-]*[^ -~\s]/;

/** Tells commands from prompts; undefined for a prompt. */
export type CommandReader = (prompt: readonly ContentBlock[]) => TypedCommand | undefined;

/** A word with another slash or a dot is a path or a pattern, not a command. */
export function readCommand(text: string): TypedCommand | undefined {
  const command = readAnyCommand(text);
  return /[./]/.test(command?.name ?? "") ? undefined : command;
}

/** The same for names of skills or the user's own commands, which may contain dots, and slashes for folders below. */
export function readAnyCommand(text: string): TypedCommand | undefined {
  const groups = (nonAsciiNamePattern.test(text) ? createUnicodeCommandPattern() : asciiCommandPattern).exec(
    text,
  )?.groups;
  if (groups === undefined) return undefined;
  const name = groups["name"] ?? "";
  const isWide = text.trimStart().startsWith("／");
  return { name: (isWide ? toHalfWidth(name) : name).normalize("NFC"), argument: groups["argument"]?.trim() ?? "" };
}

/** The same for a prompt in blocks: an image beside the text makes it a prompt. */
export function commandInPrompt(prompt: readonly ContentBlock[]): TypedCommand | undefined {
  return readCommand(onlyText(prompt));
}

/**
 * Finds the command in the last text block. Images may accompany it, and texts may precede it: programs put what they add to
 * a request first, and the request last.
 */
export function anyCommandInPrompt(prompt: readonly ContentBlock[]): TypedCommand | undefined {
  const last = prompt.findLast(({ type }) => type !== "image");
  return last?.type === "text" ? readAnyCommand(last.text) : undefined;
}

function onlyText([block, ...others]: readonly ContentBlock[]): string {
  return block?.type === "text" && others.length === 0 ? block.text : "";
}

/** The sentence about an unknown name, with a suggestion out of `names`. */
export function unknownCommandMessage(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return `There is no command /${oneLine(name, 60)}.${near === undefined ? "" : ` Did you mean /${near}?`}`;
}
