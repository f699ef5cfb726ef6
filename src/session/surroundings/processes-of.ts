/** Processes that commands of a session started, recognized by the environment that the system reports. */
import { readFileSync } from "node:fs";
import { entriesOf } from "../../lib/path-status.ts";
import { hasOwnProc } from "../../lib/own-proc.ts";
import { oneLine } from "../../lib/sanitize.ts";

const maxCommandChars = 200;

/** Returns those whose session's process is dead, as text for people; empty if the system does not tell. */
export function processesOf(sessionId: string): string[] {
  if (!hasOwnProc()) return [];
  return entriesOf("/proc").flatMap(({ name }) => describeLeftProcess(Number(name), sessionId) ?? []);
}

/** Returns undefined for all other processes, and if it cannot be determined. */
function describeLeftProcess(pid: number, sessionId: string): string | undefined {
  if (!Number.isInteger(pid) || pid === process.pid) return undefined;
  const environment = readProcess(pid, "environ");
  const valueOf = (name: string) => environment.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  if (valueOf("CLAUDE_CODE_SESSION_ID") !== sessionId || valueOf("PAWL_TASK") === undefined) return undefined;
  const owner = Number(valueOf("CLAUDE_PID"));
  if (!Number.isInteger(owner) || owner === process.pid || readProcess(owner, "stat").length > 0) return undefined;
  // The program's own wrapping of a command says nothing about it.
  const words = readProcess(pid, "cmdline").map((word) => (word.includes("_pawl") ? "…" : word));
  return `${pid} (${oneLine(words.join(" "), maxCommandChars)})`;
}

/** Returns nothing for a process that is gone or may not be inspected. */
function readProcess(pid: number, entry: "environ" | "cmdline" | "stat"): string[] {
  try {
    return readFileSync(`/proc/${pid}/${entry}`, "utf8")
      .split("\0")
      .filter((each) => each !== "");
  } catch {
    return [];
  }
}
