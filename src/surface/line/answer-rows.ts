/** Breaks the text before the input between the answers it lists, because a terminal would break it within a word. */
import { displayWidth, fitsWidth } from "./width.ts";

/** The columns by which `Rows` indents further lines. */
const indent = 2;

/** Returns the text with line ends, so that each answer stays whole. An answer longer than a row is broken between its words. */
export function breakBetweenAnswers(prompt: string, columns: number): string {
  if (!prompt.includes(", ") || columns === Infinity || fitsWidth(prompt, columns)) return prompt;
  const answers = prompt.split(/(?<=, )/u);
  const pieces = answers.flatMap((answer) =>
    fitsWidth(answer.trimEnd(), columns - indent) ? [answer] : answer.split(/(?<= )/u),
  );
  const last = pieces.length - 1;
  const lines: string[] = [];
  let line = "";
  for (const [at, piece] of pieces.entries()) {
    const room = columns - (lines.length === 0 ? 0 : indent) - displayWidth(line);
    // The input begins in the row of the last answer.
    const isFitting = at === last ? fitsWidth(`${piece} `, room) : fitsWidth(piece.trimEnd(), room);
    if (line !== "" && !isFitting) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  return [...lines, line].join("\n");
}
