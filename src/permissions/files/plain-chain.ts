/** A line of which each command runs after the one before it, in one shell: where that stands at each is certain. */
import { isFixed, type ShellScript, type ShellStep } from "../shell/step.ts";

/** They run what they are given at another time, or in the shell itself. */
const others = new Set(["pushd", "popd", "eval", "trap", "source", ".", "command", "builtin", "alias", "exec"]);

export function isPlainChain({ steps, problem }: ShellScript): boolean {
  return problem === undefined && steps.every((step, at) => (at === 0 || step.followsSurely === true) && isPlain(step));
}

function isPlain({ words, assignments, isLooped }: ShellStep): boolean {
  const [program, folder, ...more] = words;
  if (isLooped || assignments.length > 0 || program?.kind !== "literal" || others.has(program.text)) return false;
  if (program.text === "mv") return words.every((word) => isFixed(word) || word.kind === "glob");
  return program.text !== "cd" || (folder?.kind === "literal" && !folder.text.startsWith("-") && more.length === 0);
}
