/** Rules that name variables in front of a command, such as `Bash(PYTHONPATH=. pytest:*)`. */
import { isPrefixPattern, matchesCommand, type CommandPattern } from "./command-pattern.ts";
import { coversWords } from "./command-rules.ts";
import { isHarmlessAssignment } from "../shell/safe-variables.ts";
import { isFixed, textForMatching, type ShellStep, type ShellWord } from "../shell/step.ts";

type Assignment = ShellStep["assignments"][number];

interface NamedVariable {
  name: string;
  value: CommandPattern;
  /** What follows the assignment; undefined if nothing does, in which case the star of the value may match any command. */
  rest?: CommandPattern;
}

function firstNamedVariable(pattern: CommandPattern): NamedVariable | undefined {
  const name = /^([A-Za-z_]\w*)=/u.exec(pattern.pieces[0] ?? "")?.[1];
  if (name === undefined) return undefined;
  const value: string[] = [];
  let quote = "";
  for (const [index, piece] of pattern.pieces.entries()) {
    const start = index === 0 ? name.length + 1 : 0;
    for (let at = start; at < piece.length; at += 1) {
      const character = piece.charAt(at);
      if (character === " " && quote === "") {
        const rest = { ...pattern, pieces: [piece.slice(at).trimStart(), ...pattern.pieces.slice(index + 1)] };
        return { name, value: { pieces: [...value, piece.slice(start, at)], endsAtWord: false }, rest };
      }
      if (quote === "" ? character === '"' || character === "'" : character === quote)
        quote = quote === "" ? character : "";
    }
    value.push(piece.slice(start));
  }
  return { name, value: { ...pattern, pieces: value } };
}

/** Whether an allow rule covers the command with its variable assignments: each variable is named by the rule or is harmless. */
export function coversWithVariables(
  pattern: CommandPattern,
  assignments: readonly Assignment[],
  plain: readonly ShellWord[],
): boolean {
  const variable = firstNamedVariable(pattern);
  // Of repeated assignments, the last one counts.
  const at = assignments.findLastIndex(({ name }) => name === variable?.name);
  const assignment = assignments[at];
  if (variable === undefined || assignment === undefined)
    return variable === undefined && assignments.every(isHarmlessAssignment) && coversWords(pattern, plain);
  if (!isFixed(assignment.value)) return false;
  const others = assignments.filter((_, index) => index !== at);
  const value = textForMatching(assignment.value);
  if (variable.rest !== undefined)
    return matchesCommand(variable.value, value) && coversWithVariables(variable.rest, others, plain);
  const isOpen = isPrefixPattern(variable.value) && others.every(isHarmlessAssignment);
  return isOpen && matchesCommand(variable.value, [value, ...plain.map(textForMatching)].join(" "));
}
