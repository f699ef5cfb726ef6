/** Processes that commands of a session began, by what the system tells of their environment. */
import { readFileSync } from "node:fs";
import { entriesOf } from "../../lib/disk-look.ts";
import { hasOwnProc } from "../../lib/own-proc.ts";
import { oneLine } from "../../lib/sanitize.ts";

const longestCommand = 200;

/** Those whose session's process is dead, each for people; none where the system does not tell. */
export function processesOf(sessionId: string): string[] {
  if (!hasOwnProc()) return [];
  return entriesOf("/proc").flatMap(({ name }) => leftProcess(Number(name), sessionId) ?? []);
}

/** Undefined for all that are not, and where it cannot be told. */
function leftProcess(pid: number, sessionId: string): string | undefined {
  if (!Number.isInteger(pid) || pid === process.pid) return undefined;
  const environment = readProcess(pid, "environ");
  const valueOf = (name: string) => environment.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  if (valueOf("CLAUDE_CODE_SESSION_ID") !== sessionId || valueOf("PAWL_TASK") === undefined) return undefined;
  const owner = Number(valueOf("CLAUDE_PID"));
  if (!Number.isInteger(owner) || owner === process.pid || readProcess(owner, "stat").length > 0) return undefined;
  // What the program itself wraps a command in says nothing of it.
  const words = readProcess(pid, "cmdline").map((word) => (word.includes("_pawl") ? "…" : word));
  return `${pid} (${oneLine(words.join(" "), longestCommand)})`;
}

/** Nothing of those that are gone or are not ours to look into. */
function readProcess(pid: number, what: "environ" | "cmdline" | "stat"): string[] {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8")
      .split("\0")
      .filter((each) => each !== "");
  } catch {
    return [];
  }
}
