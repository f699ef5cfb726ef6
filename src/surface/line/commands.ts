/** What the plain conversation adds to the session's own commands. */
import { sanitize } from "../../lib/sanitize.ts";
import { readCommand } from "../../session/commands/read-command.ts";
import type { SideAnswer } from "../../session/forks/side-question.ts";
import type { Style } from "../show/style.ts";

/** Under the session's list. */
export const helpTail = `/exit  leave (Ctrl+D does too)
Ctrl+C interrupts the answer; twice, or at an empty prompt, it leaves.
What is typed while an answer comes joins it at the next step; /btw is answered at once.`;

export function isExit(text: string): boolean {
  const name = readCommand(text)?.name;
  return name === "exit" || name === "quit";
}

/** The question of a `/btw`, which may be asked while an answer comes; undefined for anything else. */
export function questionBeside(text: string): string | undefined {
  const given = readCommand(text);
  return given?.name === "btw" && given.argument !== "" ? given.argument : undefined;
}

/** Marked, so that the two answers are told apart. */
export function besideLines(answer: SideAnswer, style: Style): string[] {
  if (!answer.answered) return [style.yellow(`There is no answer: ${sanitize(answer.why)}`)];
  const lines = sanitize(answer.text).split("\n");
  return lines.map((line) => `${style.dim("│")} ${line}`);
}
