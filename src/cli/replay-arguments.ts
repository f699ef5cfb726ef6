/** The words after `pawl replay`. */
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import { asksForHelp } from "./tokenise.ts";

export interface ReplayArguments {
  /** An id, a title or a file; null: all of `folder`. */
  session: string | null;
  /** Undefined: that of this project. */
  folder?: string;
  json: boolean;
}

export const replayHelp = `Usage: pawl replay SESSION [--json]
       pawl replay --all [FOLDER] [--json]

Plays a recorded session to today's loop, with what the model answered and what
tools, hooks and permissions came to, and says where it would decide otherwise.
Needs no key and no network; nothing is executed, written or sent.

  SESSION       its id, the beginning of it, its title, or the file of its
                transcript
  --all         all sessions of this folder, or those of a folder of transcripts
  --json        the whole report as JSON

Exit codes: 0 all the same, 1 something differs, 2 nothing differs, but
something cannot be replayed.
`;

export function replayArguments(
  words: readonly string[],
): { kind: "help"; text: string } | { kind: "replay"; replay: ReplayArguments } {
  if (asksForHelp(words)) return { kind: "help", text: replayHelp };
  return { kind: "replay", replay: parseReplay(words) };
}

function parseReplay(words: readonly string[]): ReplayArguments {
  const flags = words.filter((word) => word.startsWith("-"));
  const [first, ...more] = words.filter((word) => !word.startsWith("-"));
  const unknown = flags.find((flag) => flag !== "--json" && flag !== "--all");
  if (unknown !== undefined) throw new UsageError(`pawl replay takes --all and --json, not "${oneLine(unknown, 60)}".`);
  if (more.length > 0) throw new UsageError("pawl replay takes one session; --all takes a folder of them.");
  const json = flags.includes("--json");
  if (flags.includes("--all")) return { session: null, json, ...(first === undefined ? {} : { folder: first }) };
  if (first === undefined)
    throw new UsageError("pawl replay needs a session: its id, its title or its file. --all takes all of this folder.");
  return { session: first, json };
}
