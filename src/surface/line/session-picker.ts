/** Which session goes on: a number of a list, words to search by, or nothing. */
import { stripControls } from "../../lib/sanitize.ts";
import type { ListedSession } from "../../session/sessions/desk.ts";
import { listText } from "../show/session-list.ts";

/** More than this scrolls the first ones away. */
const mostShown = 20;

export interface PickerWorld {
  list: (search?: string) => Promise<ListedSession[]>;
  /** Of whole lines, without the last line end. */
  show: (text: string) => void;
  /** Undefined where nobody answers. */
  ask: (prompt: string) => Promise<string | undefined>;
  /** ms since the epoch. */
  now: () => number;
}

/** A session's id; undefined where nobody wants one any more. `all`: not empty. */
export async function pickOf(
  all: readonly ListedSession[],
  { list, show, ask, now }: PickerWorld,
): Promise<string | undefined> {
  for (let shown = all; ;) {
    show(numbered(shown, now()));
    const typed = await ask("A number, words to search by, or Enter to leave: ");
    // Where the terminal edits the line itself, Esc and the arrows are characters of it.
    const wish = stripControls(typed ?? "").trim();
    if (wish === "") return undefined;
    // A number that is none of the list is a word to search by: of an issue, or a port.
    const picked = /^\d{1,3}$/u.test(wish) ? shown.slice(0, mostShown)[Number(wish) - 1] : undefined;
    if (picked !== undefined) return picked.sessionId;
    const found = await list(wish);
    if (found.length > 0) shown = found;
    else show(`No session of this folder says "${wish.slice(0, 60)}".`);
  }
}

function numbered(sessions: readonly ListedSession[], now: number): string {
  const shown = sessions.slice(0, mostShown);
  const lines = shown.map((session, at) => {
    const [head = "", ...below] = listText([session], now, false).trimEnd().split("\n");
    return [`${String(at + 1).padStart(3)}  ${head}`, ...below.map((line) => `     ${line}`)].join("\n");
  });
  const more = sessions.length - shown.length;
  return [...lines, ...(more === 0 ? [] : [`     and ${more} more: search for them`])].join("\n");
}
