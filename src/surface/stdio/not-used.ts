/** What is said of input that came to nothing. */
import type { Prompt } from "./frame.ts";

export function notUsed(reason: string, line: number): string {
  return `line ${line} of standard input was not used: ${reason}`;
}

export function located(prompt: Prompt, line: number): Prompt {
  return prompt.problem === undefined ? prompt : { ...prompt, problem: notUsed(prompt.problem, line) };
}
