/** Tells commands from prompts: a command is text alone that begins with a slash and one word. A path is a prompt. */
import { nearestName } from "../../lib/edit-distance.ts";
import { halfWidth } from "../../lib/half-width.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { ContentBlock } from "../../protocol/message.ts";

export interface GivenCommand {
  /** As typed, without the slash. Empty for a slash alone. */
  name: string;
  /** What follows the name, trimmed. */
  argument: string;
}

/** Some input methods write a full-width slash. */
const form = /^\s*[/／](?<name>[\w:./-]*)(?:\s+(?<argument>[^]*))?$/;
/** Compiling Unicode classes costs more than a millisecond at startup, so this is compiled only when needed. */
const anyForm = (): RegExp => /^\s*[/／](?<name>[\p{L}\p{M}\p{N}_:./-]*)(?:\s+(?<argument>[^]*))?$/u;
const isOther = /^\s*[/／][\w:./-]*[^ -~\s]/;

/** Tells commands from prompts; undefined for a prompt. */
export type CommandReader = (prompt: readonly ContentBlock[]) => GivenCommand | undefined;

/** A word with another slash or a dot is a path or a pattern, not a command. */
export function readCommand(text: string): GivenCommand | undefined {
  const given = readName(text);
  return /[./]/.test(given?.name ?? "") ? undefined : given;
}

/** The same for names of skills or the user's own commands, which may contain dots, and slashes for folders below. */
export function readName(text: string): GivenCommand | undefined {
  const groups = (isOther.test(text) ? anyForm() : form).exec(text)?.groups;
  if (groups === undefined) return undefined;
  const name = groups["name"] ?? "";
  const isWide = text.trimStart().startsWith("／");
  return { name: (isWide ? halfWidth(name) : name).normalize("NFC"), argument: groups["argument"]?.trim() ?? "" };
}

/** The same for a prompt in blocks: an image beside the text makes it a prompt. */
export function commandIn(prompt: readonly ContentBlock[]): GivenCommand | undefined {
  return readCommand(aloneIn(prompt));
}

/**
 * Finds the command in the last text block. Images may accompany it, and texts may precede it: programs put what they add to
 * a request first, and the request last.
 */
export function nameIn(prompt: readonly ContentBlock[]): GivenCommand | undefined {
  const last = prompt.findLast(({ type }) => type !== "image");
  return last?.type === "text" ? readName(last.text) : undefined;
}

function aloneIn([block, ...others]: readonly ContentBlock[]): string {
  return block?.type === "text" && others.length === 0 ? block.text : "";
}

/** The sentence about an unknown name, with a suggestion out of `names`. */
export function noSuchCommand(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return `There is no command /${oneLine(name, 60)}.${near === undefined ? "" : ` Did you mean /${near}?`}`;
}
