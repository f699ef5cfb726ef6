/** What is typed into another terminal: `tmux send-keys`, `screen -X stuff`. */
import type { GivenCommand } from "./given-words.ts";
import type { Word } from "./shell-text.ts";

const ends = /^(?:Enter|KPEnter|C-[mj])$/iu;

/** Its words stand one behind another, but for keys, and end at a `;` of their own. */
export function keysSent(rest: readonly Word[]): GivenCommand[] {
  const end = rest.findIndex(({ text }) => text === ";");
  const own = end < 0 ? rest : rest.slice(0, end);
  let line = "";
  for (const [at, { text }] of own.entries()) {
    const isOption = /^-[A-Za-z]+$/u.test(text) || /^-[A-Za-z]*[tNc]$/u.test(own[at - 1]?.text ?? "");
    if (!isOption) line += ends.test(text) ? "\n" : text === "Space" ? " " : text;
  }
  return [line];
}

export function stuffed([text]: readonly Word[]): GivenCommand[] {
  return text === undefined ? [] : [text.text.replace(/\^M|\\(?:n|r|012|015)|\r/gu, "\n")];
}
