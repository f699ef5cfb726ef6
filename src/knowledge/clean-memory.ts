/** Memory text as a reader sees it: without comments and without characters that only the model would see. */
import { codePointName, withoutInvisible } from "../lib/invisible-characters.ts";
import { CodeFences } from "./code-fences.ts";

export interface CleanMemory {
  text: string;
  /** Removed code points, such as `U+E0041`; each once. */
  hidden: string[];
  /** A comment never ends: what follows it was left out, as a rendered page would not show it either. */
  isCutByComment: boolean;
}

export function cleanMemory(text: string): CleanMemory {
  const hidden = new Set<string>();
  const visible = withoutInvisible(text.replaceAll(/\r\n?/g, "\n"), (character) => {
    hidden.add(codePointName(character));
    return "";
  });
  const { lines, isCut } = withoutComments(visible.split("\n"));
  return { text: lines.join("\n").trim(), hidden: [...hidden].slice(0, 8), isCutByComment: isCut };
}

/** A line indented by more blanks is itself code. */
const maxIndent = 3;

/** Removes HTML comments that begin a line, outside code fences. */
function withoutComments(lines: readonly string[]): { lines: string[]; isCut: boolean } {
  const kept: string[] = [];
  const fences = new CodeFences(maxIndent);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (!fences.isCode(line) && /^ {0,3}<!--/.test(line)) {
      const end = endOfComment(lines, at);
      if (end === undefined) return { lines: kept, isCut: lines.slice(at + 1).some((rest) => rest.trim() !== "") };
      if (end.rest.trim() !== "") kept.push(end.rest);
      at = end.at;
      continue;
    }
    kept.push(line);
  }
  return { lines: kept, isCut: false };
}

const adjacentComment = /\s*<!--/y;

/** Returns the end of the last of several adjacent comments. */
function endOfComment(lines: readonly string[], from: number): { at: number; rest: string } | undefined {
  let searchFrom = (lines[from] ?? "").indexOf("<!--") + 2;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    for (let end = line.indexOf("-->", searchFrom); end >= 0; end = line.indexOf("-->", searchFrom)) {
      adjacentComment.lastIndex = end + 3;
      if (!adjacentComment.test(line)) return { at, rest: line.slice(end + 3) };
      searchFrom = adjacentComment.lastIndex - 2;
    }
    searchFrom = 0;
  }
  return undefined;
}
