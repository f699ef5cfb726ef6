/** Which session goes on: a number of a list, words to search by, or nothing. */
import { halfWidth } from "../../lib/half-width.ts";
import { stripControls } from "../../lib/sanitize.ts";
import type { ListedSession } from "../../session/sessions/desk.ts";
import { hanging } from "../show/hanging.ts";
import { listText } from "../show/session-list.ts";
import { rowsOf, type TerminalSize } from "./screen.ts";

const mostShown = 20;
const question = "A number, words to search by, or Enter to leave: ";

export interface PickerWorld {
  list: (search?: string) => Promise<ListedSession[]>;
  /** Of whole lines, without the last line end. */
  show: (text: string) => void;
  /** Undefined where nobody answers. */
  ask: (prompt: string) => Promise<string | undefined>;
  size: () => TerminalSize;
  /** ms since the epoch. */
  now: () => number;
}

/** A session's id; undefined where nobody wants one any more. `all`: not empty. */
export async function pickOf(
  all: readonly ListedSession[],
  { list, show, ask, size, now }: PickerWorld,
): Promise<string | undefined> {
  for (let [found, told] = [all, ""]; ;) {
    const { shown, text } = numbered(found, now(), size(), told);
    show(text);
    const typed = await ask(question);
    // Where the terminal edits the line itself, Esc and the arrows are characters of it.
    const wish = stripControls(typed ?? "").trim();
    if (wish === "") return undefined;
    // A number that is none of the list is a word to search by: of an issue, or a port.
    const number = halfWidth(wish);
    const picked = /^\d{1,3}$/u.test(number) ? shown[Number(number) - 1] : undefined;
    if (picked !== undefined) return picked.sessionId;
    const others = await list(wish);
    const isFound = others.length > 0;
    [found, told] = isFound ? [others, ""] : [found, `No session of this folder says "${wish.slice(0, 60)}".`];
  }
}

/** As many as the screen holds, so that the newest, which is the first, has not scrolled away. `told`: what stands below them. */
function numbered(
  sessions: readonly ListedSession[],
  now: number,
  { rows, columns }: TerminalSize,
  told: string,
): { shown: readonly ListedSession[]; text: string } {
  const lines = sessions.slice(0, mostShown).map((session, at) => {
    const [head = "", ...below] = listText([session], now, false).trimEnd().split("\n");
    return [`${String(at + 1).padStart(3)}  ${head}`, ...below.map((line) => `     ${line}`)].join("\n");
  });
  const last = told === "" ? [] : [told];
  const room = [...last, question].reduce((left, line) => left - rowsOf(line, columns), rows - 1);
  const fits = (count: number): boolean =>
    hanging(lines.slice(0, count).join("\n"), columns).split("\n").length <= room;
  let count = lines.length;
  while (count > 1 && !fits(count)) count -= 1;
  const shown = sessions.slice(0, count);
  const more = sessions.length - shown.length;
  const tail = more === 0 ? [] : [`     and ${more} more: search for them`];
  return { shown, text: [...lines.slice(0, count), ...tail, ...last].join("\n") };
}
