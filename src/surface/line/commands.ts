/** What the plain conversation adds to the session's own commands. */
import { sanitize } from "../../lib/sanitize.ts";
import { readCommand } from "../../session/commands/read-command.ts";
import type { SideAnswer } from "../../session/forks/side-question.ts";
import type { Style } from "../show/style.ts";

/** Under the session's list. */
export const helpTail = `/mode [name]                      the permission mode: what is asked about
/plan [what is to be done]        things are only read until you approve a plan
/resume [session]                 go on with another session: by its id, its title, or from a list
/branch [title]                   go on in a copy of this session
/rewind                           go back to a message of yours: asks which, and whether the conversation, files or both
/rewind <number> conversation     go on from before that message; with the word "both" files go back, too
!command                          runs a command of yours, and tells the model
/exit                             leave (so do Ctrl+D, exit and quit)
Esc interrupts the answer, and refuses what is asked; twice at an empty prompt it is /rewind. Ctrl+C interrupts, too; twice, or at an empty prompt, it leaves.
What is typed while an answer comes joins it at the next step; /btw, /mode, /plan, /goal and /goal clear are answered at once.
Keys at the prompt:
  Alt+Enter, Ctrl+J, \\ Enter  a new line; Shift+Enter where the terminal reports it
  Tab                         completes /commands and @files; what begins so stands below while you type, and Up and Down choose
  Shift+Tab                   the next permission mode: default, acceptEdits, plan
  Up, Down                    the line above or below, then what was sent before
  Ctrl+R                      search what was sent; again: the next older; Enter sends it, Esc gives up, other keys edit it
  Ctrl+A Ctrl+E Alt+B Alt+F   to the line's start and end, a word back and on
  Ctrl+U Ctrl+K Ctrl+W Alt+D  cut to the line's start or end, a word back or on
  Ctrl+Y, Ctrl+_              put back what was cut; undo
  Ctrl+G, Ctrl+X Ctrl+E       what is typed in your editor: the one that VISUAL or EDITOR names
  Ctrl+O                      what was said and done, with results whole, in your pager; also while an answer comes, and at a question
  Ctrl+V                      the clipboard's picture, which goes with the prompt
  Ctrl+L, Ctrl+Z              clear the screen; to the shell, and fg comes back`;

/** The words alone are what shells and other agents leave by. */
export function isExit(text: string): boolean {
  const name = /^\s*(exit|quit)\s*$/u.exec(text)?.[1] ?? readCommand(text)?.name;
  return name === "exit" || name === "quit";
}

/** The question of a `/btw`, which may be asked while an answer comes; undefined for anything else. */
export function questionBeside(text: string): string | undefined {
  const given = readCommand(text);
  return given?.name === "btw" && given.argument !== "" ? given.argument : undefined;
}

export function noAnswer(command: "btw" | "goal", why: string, style: Style): string {
  return style.yellow(`There is no answer to /${command}: ${sanitize(why)}`);
}

/** Marked, so that the two answers are told apart. */
export function besideLines(answer: SideAnswer, style: Style): string[] {
  if (!answer.answered) return [noAnswer("btw", answer.why, style)];
  const lines = sanitize(answer.text).split("\n");
  return lines.map((line) => `${style.dim(style.marks.bar.trimEnd())} ${line}`);
}
