/** What is typed into another terminal: `tmux send-keys`, `screen -X stuff`. */
import type { GivenCommand } from "./given-words.ts";
import { certainWord, type Word } from "./shell-text.ts";

const sending = /^send(?:-k(?:e(?:ys?)?)?)?$/u;
const judging = /^if(?:-s(?:h(?:e(?:ll?)?)?)?)?$/u;
const tmux = certainWord("tmux");
const ends = /^(?:Enter|KPEnter|C-[mj])$/iu;

/** A `;` of its own, or at a word's end, stands between commands of tmux. What one alone runs otherwise is found as that of a program. */
export function keysSent(rest: readonly Word[]): GivenCommand[] {
  const commands: Word[][] = [[]];
  for (const { text, known, ...word } of rest) {
    const own = text.replace(/(?<!\\);$/u, "");
    if (own !== "" || text === "") commands.at(-1)?.push({ ...word, text: own, known: Math.min(known, own.length) });
    if (own !== text) commands.push([]);
  }
  return commands.flatMap((words): GivenCommand[] => {
    const at = words.findIndex(({ text }) => sending.test(text));
    // Not first, it may be a word of what another one runs.
    if (at === 0 || (at > 0 && commands.length === 1)) return [lineOf(words.slice(at + 1))];
    const condition = words.findIndex(({ text }) => judging.test(text));
    const branches = condition < 0 ? [] : words.slice(condition + 1).flatMap(branchOf);
    return commands.length > 1 ? [[tmux, ...words], ...branches] : branches;
  });
}

/** Commands of tmux in one word. What looks like their border may also stand in a text for a shell. */
function branchOf({ text }: Word): GivenCommand[] {
  if (!/\s/u.test(text)) return [];
  const whole = `tmux ${text}`;
  return text.includes(";") ? [whole, whole.replaceAll(";", "; tmux ")] : [whole];
}

/** Its words stand one behind another, but for keys. */
function lineOf(words: readonly Word[]): string {
  let line = "";
  for (const [at, { text }] of words.entries()) {
    const isOption = /^-(?:-|[A-Za-z]+)$/u.test(text) || /^-[A-Za-z]*[tNc]$/u.test(words[at - 1]?.text ?? "");
    if (!isOption) line += ends.test(text) ? "\n" : text === "Space" ? " " : text;
  }
  return line;
}

export function stuffed([text]: readonly Word[]): GivenCommand[] {
  return text === undefined ? [] : [text.text.replace(/\^M|\\(?:n|r|012|015)|\r/gu, "\n")];
}
