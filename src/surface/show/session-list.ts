/** Formats sessions as lines for a terminal. */
import { formatAge } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { ListedSession } from "../../session/sessions/desk.ts";

/** Returns ids just long enough to distinguish the sessions, and to name one. */
function shortIds(sessions: readonly ListedSession[]): Map<string, string> {
  const ids = sessions.map(({ sessionId }) => sessionId);
  for (const length of [8, 13, 18, 23]) {
    const short = ids.map((id) => id.slice(0, length));
    if (new Set(short).size === ids.length) return new Map(ids.map((id, at) => [id, short[at] ?? id]));
  }
  return new Map(ids.map((id) => [id, id]));
}

/** Shown if a list takes a while. */
export const readingSessionsText = "reading new session data, which takes a while the first time";

/** `now` is in ms since the epoch. `withFolder`: show each session's folder. */
export function sessionListText(sessions: readonly ListedSession[], now: number, withFolder: boolean): string {
  const ids = shortIds(sessions);
  return sessions
    .map(({ sessionId, lastModified, summary, tag, cwd = "", match, archived }) => {
      const name = summary === "" ? "(nothing said)" : oneLine(summary, 70);
      const marks = [tag === undefined ? "" : ` [${oneLine(tag, 30)}]`, archived === true ? " (archived)" : ""].join(
        "",
      );
      const head = `${ids.get(sessionId) ?? sessionId}  ${formatAge(now - lastModified).padEnd(11)}  ${name}${marks}`;
      const below = [
        ...(match === undefined ? [] : [`    ${oneLine(match, 160)}`]),
        ...(withFolder ? [`    ${oneLine(cwd, 160)}`] : []),
      ];
      return [head, ...below].map((line) => `${line}\n`).join("");
    })
    .join("");
}
