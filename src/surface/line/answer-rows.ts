/** Breaks the text before the input between the answers it lists, because a terminal would break it within a word. */
import { displayWidth, fitsWidth } from "./width.ts";

/** The columns by which `Rows` indents further lines. */
const indent = 2;

/** Returns the text with line ends, so that each answer stays whole. An answer longer than a row is broken between its words. */
export function breakBetweenAnswers(prompt: string, columns: number): string {
  if (!prompt.includes(", ") || columns === Infinity || fitsWidth(prompt, columns)) return prompt;
  const answers = prompt.split(/(?<=, )/u);
  // The input begins in the row of the last answer.
  const isFitting = (piece: string, room: number): boolean =>
    fitsWidth(prompt.endsWith(piece) ? `${piece} ` : piece.trimEnd(), room);
  const pieces = answers.flatMap((answer) =>
    isFitting(answer, columns - indent) ? [answer] : answer.split(/(?<= )/u),
  );
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces) {
    const room = columns - (lines.length === 0 ? 0 : indent) - displayWidth(line);
    if (line !== "" && !isFitting(piece, room)) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  return [...lines, line].join("\n");
}
