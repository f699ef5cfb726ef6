/** Asks on the terminal which session to continue: a number of the list, words to search by, or nothing. */
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { notifyIfSlow } from "../lib/notify-if-slow.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { ListedSession } from "../session/sessions/desk.ts";
import type { StopDesk } from "../surface/stop-desk.ts";
import type { TerminalSize } from "../surface/line/screen.ts";
import { readingSessionsText } from "../surface/show/session-list.ts";
import { wrapHanging } from "../surface/show/wrap-hanging.ts";

export interface PickContext {
  cwd: string;
  env: Record<string, string | undefined>;
  /** ms since the epoch. */
  now: () => number;
  input: Readable;
  output: Writable & Partial<TerminalSize>;
  stop: StopDesk;
}

/** Returns the session's id, or undefined if the user chose none. Throws `UsageError` if the folder has no sessions. */
export async function pickSession(context: PickContext): Promise<string | undefined> {
  const { StoredSessionsDesk } = await import("../session/sessions/desk.ts");
  const desk = new StoredSessionsDesk(context);
  const listSessions = async (search?: string): Promise<ListedSession[]> =>
    (await desk.list({ everywhere: false, ...(search === undefined ? {} : { search }) })).filter(
      ({ archived }) => archived !== true,
    );
  const all = await notifyIfSlow(listSessions(), () => void context.output.write(`${readingSessionsText}\n`));
  if (all.length === 0)
    throw new UsageError("This folder has no sessions to continue; pawl sessions --all lists those of every folder.");
  return await askForSession(context, all, listSessions);
}

async function askForSession(
  { input, output, stop, now }: PickContext,
  sessions: ListedSession[],
  list: (search?: string) => Promise<ListedSession[]>,
): Promise<string | undefined> {
  const [{ sizeOf }, { pickFromList }] = await Promise.all([
    import("../surface/line/screen.ts"),
    import("../surface/line/session-picker.ts"),
  ]);
  const leaving = new AbortController();
  const { signal } = leaving;
  const unsubscribe = stop.onStop(() => leaving.abort());
  // With `terminal: false`, line editing and Ctrl+C are left to the terminal itself.
  const lines = createInterface({ input, output, terminal: false });
  lines.on("close", () => leaving.abort());
  output.on("error", () => leaving.abort());
  try {
    const show = (text: string): void => void output.write(`${wrapHanging(text, sizeOf(output).columns)}\n`);
    const ask = (prompt: string): Promise<string> => lines.question(prompt, { signal });
    return await pickFromList(sessions, { list, show, ask, size: () => sizeOf(output), now });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    unsubscribe();
    lines.close();
  }
}
