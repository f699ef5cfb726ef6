/** Asks which session to continue: a number of a list, words to search by, or nothing. */
import { toHalfWidth } from "../../lib/half-width.ts";
import { stripControls } from "../../lib/sanitize.ts";
import type { ListedSession } from "../../session/sessions/desk.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import { sessionListText } from "../show/session-list.ts";
import { maxRowCount, type TerminalSize } from "./screen.ts";

const maxShown = 20;
const question = "A number, words to search by, or Enter to cancel: ";

export interface SessionPickerContext {
  list: (search?: string) => Promise<ListedSession[]>;
  /** Shows complete lines, without the last line end. */
  show: (text: string) => void;
  /** Resolves to undefined if nobody answers. */
  ask: (prompt: string) => Promise<string | undefined>;
  size: () => TerminalSize;
  /** ms since the epoch. */
  now: () => number;
}

/** Returns the session's id, or undefined if the person chose none. `sessions` is not empty. */
export async function pickFromList(
  sessions: readonly ListedSession[],
  { list, show, ask, size, now }: SessionPickerContext,
): Promise<string | undefined> {
  let found = sessions;
  let shownSessions: readonly ListedSession[] = [];
  let rowsSinceList = 0;
  let listColumns = 0;
  const showList = (note: string): void => {
    const numbered = numberedList(found, now(), size(), note);
    shownSessions = numbered.shownSessions;
    listColumns = size().columns;
    rowsSinceList = shownRowCount(numbered.text, listColumns);
    show(numbered.text);
  };
  for (showList(""); ;) {
    const typed = await ask(question);
    // If the terminal itself edits the line, Esc and the arrow keys are characters in it.
    const wish = stripControls(typed ?? "").trim();
    if (wish === "") return undefined;
    // A number that is not in the list, such as an issue or a port, is a word to search by.
    const number = toHalfWidth(wish);
    const picked = /^\d{1,3}$/u.test(number) ? shownSessions[Number(number) - 1] : undefined;
    if (picked !== undefined) return picked.sessionId;
    const others = await list(wish);
    if (others.length > 0) {
      found = others;
      showList("");
      continue;
    }
    const note = `No session of this folder contains "${wish.slice(0, 60)}".`;
    const { rows, columns } = size();
    rowsSinceList += maxRowCount(question + wish, columns) + maxRowCount(note, columns);
    // The list is not repeated while its top stays on the screen above the next question. At another width its rows are unknown.
    if (columns === listColumns && rowsSinceList + maxRowCount(question, columns) <= rows) show(note);
    else showList(note);
  }
}

/** Shows as many sessions as fit on the screen, so that the newest, which is first, stays visible. `note` is shown below them. */
function numberedList(
  sessions: readonly ListedSession[],
  now: number,
  { rows, columns }: TerminalSize,
  note: string,
): { shownSessions: readonly ListedSession[]; text: string } {
  const lines = sessions.slice(0, maxShown).map((session, at) => {
    const [head = "", ...below] = sessionListText([session], now, false).trimEnd().split("\n");
    return [`${String(at + 1).padStart(3)}  ${head}`, ...below.map((line) => `     ${line}`)].join("\n");
  });
  const last = note === "" ? [] : [note];
  const room = [...last, question].reduce((rowsLeft, line) => rowsLeft - maxRowCount(line, columns), rows - 1);
  const fits = (count: number): boolean => shownRowCount(lines.slice(0, count).join("\n"), columns) <= room;
  let count = lines.length;
  while (count > 1 && !fits(count)) count -= 1;
  const shownSessions = sessions.slice(0, count);
  const more = sessions.length - shownSessions.length;
  const tail = more === 0 ? [] : [`     and ${more} more: search for them`];
  return { shownSessions, text: [...lines.slice(0, count), ...tail, ...last].join("\n") };
}

/** Returns the most rows the text can take. The terminal breaks a word that is longer than a row. */
function shownRowCount(text: string, columns: number): number {
  const rows = wrapHanging(text, columns).split("\n");
  return rows.reduce((count, row) => count + maxRowCount(row, columns), 0);
}
