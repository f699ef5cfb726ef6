/** Unrolls a command in a loop into one command for each value of the loop's variables. */
import { kindWithTilde, type ShellRedirect, type ShellStep, type ShellWord } from "./step.ts";

const maxRounds = 200;
const wordPiece = /([\w./@%+,:=~^-]+)|'([^']*)'|"((?:[^"\\$`]|\$\w+|\$\{\w+\})*)"|\$(\w+)|\$\{(\w+)\}/y;
/** Even unquoted, such a value is a single word. */
const plainValue = /^[\w./@%+,:=-]+$/u;
const variableForm = /\$(?:(\w+)|\{(\w+)\})/gu;
type LoopValues = ReadonlyMap<string, ShellWord>;

/** Returns the command itself if none of its arguments and redirects shows a loop variable, or if there would be too many rounds. */
export function unrollLoops(step: ShellStep): readonly ShellStep[] {
  const { looped } = step;
  if (looped === undefined) return [step];
  const [, ...words] = step.words;
  const targets = step.redirects.map(({ target }) => target);
  const names = [...looped.keys()].filter((name) => [...words, ...targets].some((word) => showsVariable(word, name)));
  if (names.length === 0) return [step];
  let rounds: LoopValues[] = [new Map()];
  for (const name of names) {
    const choices = looped.get(name) ?? [];
    rounds = rounds.flatMap((values) => choices.map((word) => new Map([...values, [name, word]])));
    if (rounds.length > maxRounds) return [step];
  }
  return rounds.map((values) => fillStep(step, values));
}

function showsVariable({ source, kind }: ShellWord, name: string): boolean {
  return (kind === "data" || kind === "unknown") && new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, "u").test(source);
}

function fillStep(step: ShellStep, values: LoopValues): ShellStep {
  const fill = (word: ShellWord): ShellWord => fillLoopWord(word, values) ?? word;
  const redirects = step.redirects.map((each): ShellRedirect => ({ ...each, target: fill(each.target) }));
  return { ...step, words: step.words.map((word, at) => (at === 0 ? word : fill(word))), redirects };
}

/**
 * Fills the variables in. Undefined if something else is open, or if an unquoted part may be several words. A glob stands for one of the
 * names it matches; undefined also if it is part of an option, since as a word of its own it would match nothing.
 */
function fillLoopWord(word: ShellWord, values: LoopValues): ShellWord | undefined {
  if (word.kind !== "data" && word.kind !== "unknown") return undefined;
  let text = "";
  let kind = "literal" as ShellWord["kind"];
  const take = (name: string): string => {
    const value = values.get(name);
    if (value?.kind !== "literal" && value?.kind !== "glob") kind = "unknown";
    else if (kind === "literal") kind = value.kind;
    return value?.text ?? "";
  };
  for (let at = 0; at < word.source.length; at = wordPiece.lastIndex) {
    wordPiece.lastIndex = at;
    const found = wordPiece.exec(word.source);
    if (found === null) return undefined;
    const [, bare, single, double = "", ...names] = found;
    const open = names.find((name) => name !== undefined);
    const value = open === undefined ? undefined : values.get(open);
    if (open !== undefined && (value?.kind !== "literal" || !plainValue.test(value.text))) return undefined;
    text +=
      value?.text ??
      bare ??
      single ??
      double.replace(variableForm, (_all, name?: string, braced?: string) => take(name ?? braced ?? ""));
  }
  if (kind === "unknown" || (kind === "glob" && text.startsWith("-"))) return undefined;
  if (kindWithTilde("literal", text) !== "literal") return undefined;
  return { text, source: word.source, kind, names: [], isOne: true };
}
