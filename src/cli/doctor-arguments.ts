/** The words after `pawl doctor`. */
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface DoctorArguments {
  json: boolean;
  trust: boolean;
}

export const doctorHelp = `Usage: pawl doctor [--json] [--trust]

Shows what a session here would find: settings and what is wrong with them,
whether the folder is trusted, and memory files, skills, commands, agents, hooks
and MCP servers, each with its file and, if it would not count, why. Calls no
model and runs nothing.

  --json   as JSON
  --trust  as if the folder were trusted
`;

export function parseDoctor(words: readonly string[]): DoctorArguments {
  const unknown = words.find((word) => word !== "--json" && word !== "--trust");
  if (unknown !== undefined)
    throw new UsageError(`pawl doctor takes --json and --trust, not "${oneLine(unknown, 60)}".`);
  return { json: words.includes("--json"), trust: words.includes("--trust") };
}
