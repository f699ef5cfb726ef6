/** Of a session that goes on: processes of its commands that still run, since whoever ran them was killed. They are told, not ended. */
import { readdirSync, readFileSync } from "node:fs";
import { isRecord } from "../../lib/is-record.ts";
import { hasOwnProc } from "../../lib/own-proc.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import { isRepair } from "../../transcript/index.ts";
import type { Store } from "../store/store-shape.ts";

const mostNamed = 5;
const longestCommand = 200;

/** Nothing where the session is not locked: whoever runs them may be alive. */
export function processesLeft(
  { transcript, sessionId }: Pick<Store, "transcript" | "sessionId">,
  messages: readonly Message[],
): Attachment[] {
  if (transcript === null || !mayHaveLeft(messages) || !hasOwnProc()) return [];
  const left = readdirSync("/proc").flatMap((entry) => leftProcess(Number(entry), sessionId) ?? []);
  if (left.length === 0) return [];
  const named = left.slice(0, mostNamed).join("; ");
  const more = left.length > mostNamed ? `; and ${left.length - mostNamed} more` : "";
  const text = `An earlier run of this session was killed, and what its commands began still runs: ${named}${more}. It may change files meanwhile, or hold a port; kill ends what is not wanted.`;
  return [{ kind: "reminder", name: "processes_left", text }];
}

/** A call was cut off, or a command went to the background. */
function mayHaveLeft(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) => message.type === "user");
  if (last?.content.some((block) => block.type === "tool_result" && isRepair(block)) === true) return true;
  return messages.some(
    ({ type, ...message }) =>
      type === "user" &&
      "toolUseResult" in message &&
      isRecord(message.toolUseResult) &&
      typeof message.toolUseResult["backgroundTaskId"] === "string",
  );
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
