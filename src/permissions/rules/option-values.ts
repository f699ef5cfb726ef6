/** Words that surely are what an option takes, and no options themselves, whatever they become: `git commit -m "$TEXT"`. */
import { divided, gitCommandAt } from "../options/operands.ts";
import { gitCommand, knownProgram, type Program } from "../options/program-options.ts";
import { textsOf, type Word } from "../shell/text.ts";
import { programOf } from "../shell/unwrap.ts";

export function optionValues(words: readonly Word[]): ReadonlySet<Word> {
  const [first, ...rest] = words;
  const program = programOf(first);
  const found = new Set<Word>();
  if (program === null) return found;
  const known = knownProgram(program);
  if (program !== "git") {
    // An operand of what is not listed in full may be a subcommand, with options of its own.
    const end = known?.operands === "-" ? (divided(textsOf(rest), known).places[0] ?? rest.length) : rest.length;
    addValues(found, rest.slice(0, end), known);
    return found;
  }
  const command = gitCommandAt(rest);
  const called = rest[command];
  if (addValues(found, rest.slice(0, command), known) && called?.unsure === undefined)
    addValues(found, rest.slice(command + 1), gitCommand(called?.text ?? ""));
  return found;
}

/** False where it cannot be told which options stand there: a word that may be one comes before others, or one is not known. */
function addValues(found: Set<Word>, words: readonly Word[], program: Program | undefined): boolean {
  if (words.length === 0) return true;
  if (program === undefined) return false;
  const { given } = divided(textsOf(words), program);
  const taking = new Set(given.flatMap(({ valueIn, at }) => (valueIn === "next word" ? [at] : [])));
  const unknown = new Set(given.flatMap(({ name, at }) => (program.options.has(name) ? [] : [at])));
  for (const [at, word] of words.entries()) {
    if (unknown.has(at)) return false;
    const { unsure, spread, text, known } = word;
    if (unsure === undefined) continue;
    const isOne = unsure === "value" && spread === "never";
    if (isOne && taking.has(at - 1)) found.add(word);
    else if (!isOne || known === 0 || text.startsWith("-")) return false;
  }
  return true;
}
