/** The commands that the terminal conversation adds to the session's own. */
import { sanitize } from "../../lib/sanitize.ts";
import { readCommand } from "../../session/intake/read-command.ts";
import type { SideAnswer } from "../../session/forks/side-question.ts";
import type { Style } from "../show/style.ts";

/** Shown below the session's list of commands. */
export const helpTail = `/mode [name]                      show or set the permission mode
/plan [what is to be done]        only read until you approve a plan
/resume [session]                 continue another session: by its id, its title, or from a list
/branch [title]                   continue in a copy of this session
/rewind                           go back to one of your messages: asks which, and whether the conversation, files or both
/rewind <number> conversation     continue from before that message; with "both" instead, files are restored, too
!command                          run a shell command; the model sees it, too
/exit                             exit pawl (so do Ctrl+D, exit and quit)
Esc interrupts the answer or refuses a question; twice at an empty prompt it runs /rewind. Ctrl+C interrupts, too; twice, or at an empty prompt, it exits.
A prompt typed during an answer joins it at the next step; /btw, /mode, /plan, /goal and /goal clear are answered at once.
Keys at the prompt:
  Alt+Enter, Ctrl+J, \\ Enter  a new line; Shift+Enter where the terminal reports it
  Tab                         complete /commands and @files; matches appear below while you type, and Up and Down choose one
  Shift+Tab                   the next permission mode: default, acceptEdits, plan
  Up, Down                    the line above or below, then prompts that wait for the answer, then earlier ones
  Ctrl+R                      search earlier prompts; again: the next older match; Enter sends it, Esc cancels, other keys edit it
  Ctrl+A Ctrl+E Alt+B Alt+F   move to the line's start, its end, a word back, a word on
  Ctrl+U Ctrl+K Ctrl+W Alt+D  cut to the line's start, to its end, a word back, a word on
  Ctrl+Y, Ctrl+_              paste what was cut; undo
  Ctrl+G, Ctrl+X Ctrl+E       edit the prompt in your editor, which VISUAL or EDITOR names
  Ctrl+O                      the conversation with complete results in your pager; also during an answer or a question
  Ctrl+V                      attach the clipboard's picture to the prompt
  Ctrl+L, Ctrl+Z              clear the screen; suspend pawl (fg in the shell brings it back)`;

/** `exit` and `quit` also count without a slash, as in shells and other agents. */
export function isExit(text: string): boolean {
  const name = /^\s*(exit|quit)\s*$/u.exec(text)?.[1] ?? readCommand(text)?.name;
  return name === "exit" || name === "quit";
}

/** Returns the question of a `/btw`, which may be asked during an answer; undefined for anything else. */
export function parseSideQuestion(text: string): string | undefined {
  const command = readCommand(text);
  return command?.name === "btw" && command.argument !== "" ? command.argument : undefined;
}

export function noAnswerLine(command: "btw" | "goal", why: string, style: Style): string {
  return style.yellow(`There is no answer to /${command}: ${sanitize(why)}`);
}

/** Returns the lines of the answer with a mark that distinguishes them from the turn's own answer. */
export function sideAnswerLines(answer: SideAnswer, style: Style): string[] {
  if (!answer.answered) return [noAnswerLine("btw", answer.why, style)];
  const lines = sanitize(answer.text).split("\n");
  return lines.map((line) => `${style.dim(style.marks.bar.trimEnd())} ${line}`);
}
