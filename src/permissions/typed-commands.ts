/** What is typed into another terminal: `tmux send-keys`, `screen -X stuff`. */
import type { GivenCommand } from "./given-words.ts";
import type { Word } from "./shell-text.ts";

const sending = /^send(?:-k(?:e(?:ys?)?)?)?$/u;
const tmux: Word = { text: "tmux", known: 4 };
const ends = /^(?:Enter|KPEnter|C-[mj])$/iu;

/** A `;` of its own stands between commands of tmux. What the first one runs otherwise is found as that of a program. */
export function keysSent(rest: readonly Word[]): GivenCommand[] {
  const commands: Word[][] = [[]];
  for (const word of rest)
    if (word.text === ";") commands.push([]);
    else commands.at(-1)?.push(word);
  return commands.flatMap((words, index): GivenCommand[] => {
    const at = words.findIndex(({ text }) => sending.test(text));
    if (at >= 0) return [lineOf(words.slice(at + 1))];
    return index === 0 ? [] : [[tmux, ...words]];
  });
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
