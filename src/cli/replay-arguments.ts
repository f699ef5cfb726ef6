/** The words after `pawl replay`. */
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface ReplayArguments {
  /** A session's id, title or file; null: all sessions of `folder`. */
  session: string | null;
  /** A folder of transcripts. Undefined: this project's. */
  folder?: string;
  json: boolean;
}

export const replayHelp = `Usage: pawl replay SESSION [--json]
       pawl replay --all [FOLDER] [--json]

Replays a recorded session through this version's loop, with the recorded model
answers and results of tools, hooks and permissions, and shows where the loop
would decide otherwise. Needs no key and no network; nothing is executed,
written or sent.

  SESSION       the session's id, the start of its id, its title, or its
                transcript file
  --all         all sessions of this folder, or of the folder of transcripts
                that FOLDER names
  --json        the whole report as JSON

Exit codes: 0 all decisions are the same, 1 some differ, 2 none differ, but some
turns cannot be replayed.
`;

export function parseReplay(words: readonly string[]): ReplayArguments {
  const flags = words.filter((word) => word.startsWith("-"));
  const [first, ...more] = words.filter((word) => !word.startsWith("-"));
  const unknown = flags.find((flag) => flag !== "--json" && flag !== "--all");
  if (unknown !== undefined) throw new UsageError(`pawl replay takes --all and --json, not "${oneLine(unknown, 60)}".`);
  if (more.length > 0) throw new UsageError("pawl replay takes one session; --all takes a folder of them.");
  const json = flags.includes("--json");
  if (flags.includes("--all")) return { session: null, json, ...(first === undefined ? {} : { folder: first }) };
  if (first === undefined)
    throw new UsageError(
      "pawl replay needs a session: its id, its title or its file. --all replays every session of this folder.",
    );
  return { session: first, json };
}
