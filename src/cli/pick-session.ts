/** Which session goes on, asked on the terminal: a number of the list, words to search by, or nothing. */
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { UsageError } from "../lib/usage-error.ts";
import type { ListedSession } from "../session/sessions/desk.ts";
import type { StopDesk } from "../surface/stop.ts";
import { listText } from "./sessions-text.ts";

/** More than this scrolls the first ones away. */
const mostShown = 20;

export interface PickWorld {
  cwd: string;
  env: Record<string, string | undefined>;
  /** ms since the epoch. */
  now: () => number;
  input: Readable;
  output: Writable;
  stop: StopDesk;
}

/** A session's id; undefined where nobody wants one any more. Throws `UsageError` where there is none to go on with. */
export async function pickSession(world: PickWorld): Promise<string | undefined> {
  const { SessionDesk } = await import("../session/sessions/desk.ts");
  const desk = new SessionDesk(world);
  const listed = async (search?: string): Promise<ListedSession[]> =>
    (await desk.list({ everywhere: false, ...(search === undefined ? {} : { search }) })).filter(
      ({ archived }) => archived !== true,
    );
  const all = await listed();
  if (all.length === 0)
    throw new UsageError(
      "There are no sessions of this folder to go on with; pawl sessions --all lists every folder's.",
    );
  return await asked(world, all, listed);
}

async function asked(
  { input, output, stop, now }: PickWorld,
  all: ListedSession[],
  listed: (search: string) => Promise<ListedSession[]>,
): Promise<string | undefined> {
  const leaving = new AbortController();
  const leave = stop.attend(() => leaving.abort());
  // Not as a terminal of its own: line editing and Ctrl+C stay the terminal's.
  const lines = createInterface({ input, output, terminal: false });
  lines.on("close", () => leaving.abort());
  output.on("error", () => leaving.abort());
  try {
    for (let shown = all; ;) {
      output.write(numbered(shown, now()));
      const answer = await lines.question("A number, words to search by, or Enter to leave: ", {
        signal: leaving.signal,
      });
      const wish = answer.trim();
      if (wish === "") return undefined;
      const picked = /^\d{1,3}$/u.test(wish) ? shown[Number(wish) - 1] : undefined;
      if (picked !== undefined) return picked.sessionId;
      const found = await listed(wish);
      if (found.length > 0) shown = found;
      else output.write(`No session of this folder says "${wish.slice(0, 60)}".\n`);
    }
  } catch (error) {
    if (leaving.signal.aborted) return undefined;
    throw error;
  } finally {
    leave();
    lines.close();
  }
}

function numbered(sessions: readonly ListedSession[], now: number): string {
  const shown = sessions.slice(0, mostShown);
  const lines = shown.map((session, at) => {
    const [head = "", ...below] = listText([session], now, false).trimEnd().split("\n");
    return [`${String(at + 1).padStart(3)}  ${head}`, ...below.map((line) => `     ${line}`)].join("\n");
  });
  const more = sessions.length - shown.length;
  return `${lines.join("\n")}\n${more === 0 ? "" : `     and ${more} more: search for them\n`}`;
}
