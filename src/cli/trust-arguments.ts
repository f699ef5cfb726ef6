/** The words after `pawl trust`. */
import { UsageError } from "../lib/usage-error.ts";

export interface TrustArguments {
  verb: "add" | "list" | "revoke" | "status";
  folder?: string;
}

const verbs = ["add", "list", "revoke", "status"] as const;
export const trustHelp = `Usage: pawl trust [add|list|revoke|status] [folder]

A folder's own settings (.claude/, .pawl/) may always deny things, but must be
trusted to allow or run anything. Trust covers their present content: it is
asked for again when settings, hooks, a status line, MCP servers, or skills,
commands and agents that would allow or run something change.

  pawl trust            what this folder's settings would do
  pawl trust add        trust it as it is now
  pawl trust list       which folders are trusted
  pawl trust revoke     stop trusting it
`;

export function parseTrust([verb = "status", folder, ...more]: readonly string[]): TrustArguments {
  const known = verbs.find((name) => name === verb);
  if (known === undefined || more.length > 0 || folder?.startsWith("-") === true)
    throw new UsageError(
      `pawl trust takes add, list, revoke or status, then optionally a folder; pawl trust --help says more.`,
    );
  return { verb: known, ...(folder === undefined ? {} : { folder }) };
}
