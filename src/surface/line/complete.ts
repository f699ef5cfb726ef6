/** Completes the word at the cursor: the name of a command, or the path of a mentioned file. */
import { oneLine } from "../../lib/sanitize.ts";
import { sharedLength } from "../../lib/shared-length.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { Style } from "../show/style.ts";
import { allCommands } from "./all-commands.ts";
import { mentionPattern, commandPattern, type CompletionEngine } from "./completion-patterns.ts";
import type { Draft } from "./history.ts";
import { canBeMentioned, formatMention } from "./mention.ts";
import { CompletionMenu, type Candidate } from "./completion-menu.ts";

export async function complete(
  engine: CompletionEngine,
  draft: Draft,
  { style, isSuggested }: { style: Style; isSuggested: boolean },
  signal: AbortSignal,
): Promise<CompletionMenu> {
  const before = draft.text.slice(0, draft.cursor);
  const mention = mentionPattern.exec(before)?.groups;
  if (mention !== undefined) {
    const { quoted, bare = "" } = mention;
    const typedText = quoted ?? bare;
    const paths = (await engine.desk.completePath(typedText, signal)).filter(canBeMentioned);
    const from = before.length - typedText.length - (quoted === undefined ? 1 : 2);
    // Replace the closing quote of a completed folder together with its name.
    const to = draft.cursor + (quoted !== undefined && draft.text[draft.cursor] === '"' ? 1 : 0);
    const word = { from, to, typedText, common: commonPrefix(paths), replaceWith: partialMention };
    return new CompletionMenu({ draft, word, candidates: fileCandidates(paths, typedText), style, isSuggested });
  }
  return commandMenu(engine, draft, style, isSuggested);
}

/** Returns suggestions for the command that is being typed, or undefined if there are none. */
export function suggestCommand(engine: CompletionEngine, draft: Draft, style: Style): CompletionMenu | undefined {
  const menu = commandMenu(engine, draft, style, true);
  return menu.isEmpty ? undefined : menu;
}

function commandMenu(engine: CompletionEngine, draft: Draft, style: Style, isSuggested: boolean): CompletionMenu {
  const { name = "", blank = "" } = commandPattern.exec(draft.text.slice(0, draft.cursor))?.groups ?? {};
  const commands = allCommands(engine);
  const menuOptions = { draft, style, isSuggested };
  if (blank !== "" && name !== "") {
    const known = commands.filter((command) => commandNames(command).includes(name.toLowerCase()));
    const word = { from: draft.cursor, to: draft.cursor, typedText: "", common: "", replaceWith: withCursorAtEnd };
    return new CompletionMenu({ ...menuOptions, word, candidates: [], infoEntries: known.map(commandCandidate) });
  }
  const found = matchingCommands(commands, name.toLowerCase());
  const word = {
    from: draft.cursor - name.length - 1,
    to: draft.cursor,
    typedText: name,
    common: commonPrefix(found.map((command) => command.name)),
    replaceWith: (text: string) => withCursorAtEnd(`/${text}`),
  };
  const isOne = found.length === 1;
  const candidates = found.map(commandCandidate);
  // A single match also shows the arguments that may follow.
  return new CompletionMenu({ ...menuOptions, word, candidates, ...(isOne ? { infoEntries: candidates } : {}) });
}

function withCursorAtEnd(text: string): { text: string; cursor: number } {
  return { text, cursor: text.length };
}

function commandNames({ name, aliases = [] }: SlashCommand): string[] {
  return [name, ...aliases].map((each) => each.toLowerCase());
}

/**
 * Returns the commands whose name or alias starts with `typed`; else those with a last part that does; else those that contain it.
 * Names come before aliases: for `/re`, Tab would otherwise first choose `/reset`, another name of `/clear`.
 */
function matchingCommands(commands: readonly SlashCommand[], typed: string): SlashCommand[] {
  const known = new Set(commands.map(({ name }) => name));
  const aliased = commands.flatMap((command) => (command.aliases ?? []).map((name) => ({ ...command, name })));
  const names = [...commands, ...(typed === "" ? [] : aliased.filter(({ name }) => !known.has(name)))];
  const distinct = [...new Map(names.map((command) => [command.name, command])).values()];
  const tests: ((name: string) => boolean)[] = [
    (name) => name.startsWith(typed),
    (name) => name.includes(`:${typed}`),
    (name) => name.includes(typed),
  ];
  for (const test of tests) {
    const found = distinct.filter(({ name }) => test(name.toLowerCase()));
    if (found.length > 0) return found;
  }
  return [];
}

function commandCandidate({ name, argumentHint, description }: SlashCommand): Candidate {
  const text = `/${name} `;
  const label = oneLine(`/${name} ${argumentHint}`, 60);
  return { text, cursor: text.length, label, detail: oneLine(description, 200) };
}

function fileCandidates(paths: readonly string[], written: string): Candidate[] {
  const folder = written.slice(0, written.lastIndexOf("/") + 1);
  const isBelow = paths.every((path) => path.startsWith(folder));
  return paths.map((path) => {
    const label = oneLine(isBelow ? path.slice(folder.length) : path, 400);
    return { ...wholeMention(path), label, detail: "" };
  });
}

function wholeMention(path: string): { text: string; cursor: number } {
  const { text, isQuoted } = formatMention(path);
  if (!path.endsWith("/")) return withCursorAtEnd(`${text} `);
  // The cursor stays inside the quotes, because a path within the folder follows.
  return { text, cursor: text.length - (isQuoted ? 1 : 0) };
}

/** Returns a mention of the beginning of a path. */
function partialMention(path: string): { text: string; cursor: number } {
  const { text, isQuoted } = formatMention(path);
  return { text, cursor: text.length - (isQuoted ? 1 : 0) };
}

/** Returns the common beginning of all texts, in whole characters. */
function commonPrefix(texts: readonly string[]): string {
  const [first = "", ...others] = texts;
  // Not one `Math.min` of all lengths: a folder may hold more names than a call takes arguments.
  const length = others.reduce((least, text) => Math.min(least, sharedLength(first, text)), first.length);
  const common = first.slice(0, length);
  return common.isWellFormed() ? common : common.slice(0, -1);
}
