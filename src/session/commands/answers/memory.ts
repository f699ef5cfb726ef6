/** Answers /memory: the loaded memory files. */
import { formatTokens } from "../../../lib/format-figures.ts";
import { oneLine } from "../../../lib/sanitize.ts";
import type { MemoryListing } from "../../knowledge/memory-listing.ts";
import type { CommandAnswer, CommandDesk } from "../command.ts";

export function answerMemory(desk: CommandDesk): CommandAnswer {
  const listing = desk.session().joined.memory.listing();
  return { text: memoryText(listing), data: listing };
}

const scopeTexts = {
  policy: "an administrator's",
  user: "yours",
  project: "the project's",
  local: "yours in this project",
} as const;

function memoryText({ files, waiting, later, notes, notices, isOff }: MemoryListing): string {
  const rows = files.map(({ path, scope, characters, importedBy }, at) => {
    const from = importedBy === undefined ? "" : `, imported by ${oneLine(importedBy, 200)}`;
    const size = `${formatTokens(characters)} ${characters === 1 ? "character" : "characters"}`;
    return `  ${at + 1}  ${oneLine(path, 300)}  (${scopeTexts[scope]}, ${size}${from})`;
  });
  return [
    memoryHeading(files.length, isOff),
    ...rows,
    ...section(
      "Rules that are loaded once a file they apply to is read:",
      waiting.map(({ path, globs }) => `${oneLine(path, 300)}  (${oneLine(globs.join(", "), 200)})`),
    ),
    ...section(
      "Loaded since then, with files that were read:",
      later.map((path) => oneLine(path, 300)),
    ),
    ...section("Notes of earlier sessions:", notes === undefined ? [] : [oneLine(notes, 300)]),
    ...section(
      "Left out of these files, or changed:",
      notices.map((text) => oneLine(text, 400)),
    ),
  ].join("\n");
}

function memoryHeading(count: number, isOff: boolean): string {
  if (isOff && count === 0) return "Memory files are switched off: none is loaded.";
  if (count === 0) return "No memory file is loaded: /init has the model write one for the project.";
  if (count === 1) return "1 memory file is loaded:";
  return `${count} memory files are loaded; the model gets them in this order:`;
}

function section(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)];
}
