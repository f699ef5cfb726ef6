/** Asks on the terminal which session to continue: a number of the list, words to search by, or nothing. */
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { tellIfSlow } from "../lib/tell-if-slow.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { ListedSession } from "../session/sessions/desk.ts";
import type { StopDesk } from "../surface/stop.ts";
import type { TerminalSize } from "../surface/line/screen.ts";
import { readingText } from "../surface/show/session-list.ts";
import { hanging } from "../surface/show/hanging.ts";

export interface PickWorld {
  cwd: string;
  env: Record<string, string | undefined>;
  /** ms since the epoch. */
  now: () => number;
  input: Readable;
  output: Writable & Partial<TerminalSize>;
  stop: StopDesk;
}

/** Returns the session's id, or undefined if the user chose none. Throws `UsageError` if the folder has no sessions. */
export async function pickSession(world: PickWorld): Promise<string | undefined> {
  const { SessionDesk } = await import("../session/sessions/desk.ts");
  const desk = new SessionDesk(world);
  const listed = async (search?: string): Promise<ListedSession[]> =>
    (await desk.list({ everywhere: false, ...(search === undefined ? {} : { search }) })).filter(
      ({ archived }) => archived !== true,
    );
  const all = await tellIfSlow(listed(), () => void world.output.write(`${readingText}\n`));
  if (all.length === 0)
    throw new UsageError("This folder has no sessions to continue; pawl sessions --all lists those of every folder.");
  return await asked(world, all, listed);
}

async function asked(
  { input, output, stop, now }: PickWorld,
  all: ListedSession[],
  list: (search?: string) => Promise<ListedSession[]>,
): Promise<string | undefined> {
  const [{ sizeOf }, { pickOf }] = await Promise.all([
    import("../surface/line/screen.ts"),
    import("../surface/line/session-picker.ts"),
  ]);
  const leaving = new AbortController();
  const { signal } = leaving;
  const leave = stop.attend(() => leaving.abort());
  // With `terminal: false`, line editing and Ctrl+C are left to the terminal itself.
  const lines = createInterface({ input, output, terminal: false });
  lines.on("close", () => leaving.abort());
  output.on("error", () => leaving.abort());
  try {
    const show = (text: string): void => void output.write(`${hanging(text, sizeOf(output).columns)}\n`);
    const ask = (prompt: string): Promise<string> => lines.question(prompt, { signal });
    return await pickOf(all, { list, show, ask, size: () => sizeOf(output), now });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    leave();
    lines.close();
  }
}
