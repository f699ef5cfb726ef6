/** Whether the commands of a line run one after another in one shell, so that the folder of each is certain. */
import { isFixed, type ShellScript, type ShellStep } from "../shell/step.ts";

/** Commands that run their words at another time, or in the shell itself. */
const unclearCommands = new Set([
  "pushd",
  "popd",
  "eval",
  "trap",
  "source",
  ".",
  "command",
  "builtin",
  "alias",
  "exec",
]);

export function isPlainChain({ steps, problem }: ShellScript): boolean {
  return (
    problem === undefined && steps.every((step, at) => (at === 0 || step.followsSurely === true) && isPlainStep(step))
  );
}

function isPlainStep({ words, assignments, isLooped }: ShellStep): boolean {
  const [program, folder, ...more] = words;
  if (isLooped || assignments.length > 0 || program?.kind !== "literal" || unclearCommands.has(program.text))
    return false;
  if (program.text === "mv") return words.every((word) => isFixed(word) || word.kind === "glob");
  return program.text !== "cd" || (folder?.kind === "literal" && !folder.text.startsWith("-") && more.length === 0);
}
