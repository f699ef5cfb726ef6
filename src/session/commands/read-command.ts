/** Whether a prompt is a command: text alone that begins with a slash and one word. A path is a prompt. */
import { nearestName } from "../../lib/edit-distance.ts";
import { halfWidth } from "../../lib/half-width.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { ContentBlock } from "../../protocol/message.ts";

export interface GivenCommand {
  /** Without the slash, as it was typed. Empty for a slash alone. */
  name: string;
  /** What follows, without blanks around it. */
  argument: string;
}

/** An input method writes a wide slash. */
const form = /^\s*[/／](?<name>[\w:./-]*)(?:\s+(?<argument>[^]*))?$/;
/** Classes of all of Unicode cost a start more than a millisecond: only what needs them has them made. */
const anyForm = (): RegExp => /^\s*[/／](?<name>[\p{L}\p{M}\p{N}_:./-]*)(?:\s+(?<argument>[^]*))?$/u;
const isOther = /^\s*[/／][\w:./-]*[^ -~\s]/;

/** Tells commands from prompts; undefined for a prompt. */
export type CommandReader = (prompt: readonly ContentBlock[]) => GivenCommand | undefined;

/** A word with another slash or with a dot is a path or a pattern. */
export function readCommand(text: string): GivenCommand | undefined {
  const given = readName(text);
  return /[./]/.test(given?.name ?? "") ? undefined : given;
}

/** The same where the name of a skill or a command of the user's own is looked for, which may have dots, and of a folder below slashes. */
export function readName(text: string): GivenCommand | undefined {
  const groups = (isOther.test(text) ? anyForm() : form).exec(text)?.groups;
  if (groups === undefined) return undefined;
  const name = groups["name"] ?? "";
  const isWide = text.trimStart().startsWith("／");
  return { name: (isWide ? halfWidth(name) : name).normalize("NFC"), argument: groups["argument"]?.trim() ?? "" };
}

/** The same of a prompt in blocks: a picture beside the text makes it a prompt. */
export function commandIn(prompt: readonly ContentBlock[]): GivenCommand | undefined {
  return readCommand(aloneIn(prompt));
}

/**
 * What the user's own word begins may have pictures with it, and texts before it: programs put what they add to a request first, and
 * the request last.
 */
export function nameIn(prompt: readonly ContentBlock[]): GivenCommand | undefined {
  const last = prompt.findLast(({ type }) => type !== "image");
  return last?.type === "text" ? readName(last.text) : undefined;
}

function aloneIn([block, ...others]: readonly ContentBlock[]): string {
  return block?.type === "text" && others.length === 0 ? block.text : "";
}

/** The sentence about a name that is none of `names`. */
export function noSuchCommand(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return `There is no command /${oneLine(name, 60)}.${near === undefined ? "" : ` Did you mean /${near}?`}`;
}
