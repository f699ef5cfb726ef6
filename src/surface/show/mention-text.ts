/** Says below the prompt whether a mentioned file was read. Paths and reasons come from others, so they are made safe to show. */
import { formatCount } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { MentionNews } from "../../protocol/mention.ts";

const maxPathLength = 200;
const maxReasonLength = 300;
/** Without one of these characters, an `@` word that names no file may be a person or code. */
const pathCharacters = /[/.~]/u;
/** An address, a number, or code such as `@app.route(…)`. */
const otherThanPath = /^[a-z]+:\/\/|^[\d.]+$|^[\w.]+\(/iu;

/** Returns undefined if there is nothing to report. */
export function mentionText({ path, isTyped, outcome, lines, entries, why = "" }: MentionNews): string | undefined {
  const name = oneLine(path, maxPathLength);
  const reason = oneLine(why, maxReasonLength);
  const because = reason === "" ? "" : `: ${reason}`;
  switch (outcome) {
    case "read":
      return `Read ${name}${linesText(lines)}`;
    case "listed":
      return `Listed ${name}${entries === undefined ? "" : ` (${formatCount(entries, "entry", "entries")})`}`;
    case "missing":
      return isTyped && pathCharacters.test(path) && !otherThanPath.test(path)
        ? `Nothing was read for @${name}: there is no such file`
        : undefined;
    case "too_large":
      return `Not read: ${name}: the files that the prompt names are too large together`;
    case "too_many":
      return `Not read: @${name} and any after it: only the first 20 @ words of a prompt are looked up`;
    case "refused":
    case "failed":
      return `Not read: ${reason.startsWith(`${name} `) ? reason : `${name}${because}`}`;
    default:
      return outcome satisfies never;
  }
}

/**
 * The same for a run that nobody watches: only what was not read. `typedPrompt`: the prompt of the command line, or undefined if there is
 * none. Piped text beside it may be any log, whose at signs are seldom files.
 */
export function unreadMentionText(news: MentionNews, typedPrompt: string | undefined): string | undefined {
  const { outcome, isTyped, path } = news;
  if (outcome === "read" || outcome === "listed") return undefined;
  const isPiped = isTyped && typedPrompt?.replaceAll("\\ ", " ").includes(path) === false;
  return isPiped ? undefined : mentionText(news);
}

function linesText(lines: MentionNews["lines"]): string {
  if (lines === undefined) return "";
  const { from, count, total } = lines;
  if (count >= total) return ` (${formatCount(total, "line")})`;
  const shown = count === 1 ? `line ${from}` : `lines ${from}-${from + count - 1}`;
  return ` (${shown} of ${total})`;
}
