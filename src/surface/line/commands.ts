/** What the plain conversation adds to the session's own commands. */
import { readCommand } from "../../session/commands/read-command.ts";

/** Under the session's list. */
export const helpTail = `/exit  leave (Ctrl+D does too)
Ctrl+C interrupts the answer; twice, or at an empty prompt, it leaves.
What is typed while an answer comes joins it at the next step.`;

export function isExit(text: string): boolean {
  const name = readCommand(text)?.name;
  return name === "exit" || name === "quit";
}
