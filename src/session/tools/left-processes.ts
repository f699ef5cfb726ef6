/** In a resumed session: processes of its commands that still run because the earlier process was killed. They are reported, not ended. */
import { basename } from "node:path";
import type { Attachment, Message } from "../../protocol/message.ts";
import { isRepairResult } from "../../transcript/index.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { leftTaskReminders } from "./left-tasks.ts";

const maxNamed = 5;

/**
 * The returned function reports them once. `hasCutOffTeammates`: teammates were at work when the earlier process died, of whose calls the
 * conversation knows nothing. Reports nothing if the session is not locked: the process that runs them may be alive.
 */
export function createLeftProcesses(
  { transcript, sessionId, forkedFrom }: Pick<Store, "transcript" | "sessionId" | "forkedFrom">,
  messages: readonly Message[],
  { machine }: Pick<Surroundings, "machine">,
): (hasCutOffTeammates: boolean) => Attachment[] {
  let isUnreported = transcript !== null;
  const isCutOff = mayHaveLeftProcesses(messages);
  // The commands of a copied conversation belong to the original.
  const owner = forkedFrom === undefined ? sessionId : basename(forkedFrom, ".jsonl");
  return (hasCutOffTeammates) => {
    if (!isUnreported || !(isCutOff || hasCutOffTeammates)) return [];
    isUnreported = false;
    return leftProcessReminders(machine.processesOf(owner));
  };
}

function leftProcessReminders(left: readonly string[]): Attachment[] {
  if (left.length === 0) return [];
  const namedProcesses = left.slice(0, maxNamed).join("; ");
  const more = left.length > maxNamed ? `; and ${left.length - maxNamed} more` : "";
  const text = `An earlier run of this session was killed, and what its commands began still runs: ${namedProcesses}${more}. It may change files meanwhile, or hold a port; kill ends what is not wanted.`;
  return [{ kind: "reminder", name: "processes_left", text }];
}

/** Whether a call was cut off, or a background task has no reported end. Only then is the slow search of all processes worthwhile. */
function mayHaveLeftProcesses(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) => message.type === "user");
  const isCutOff = last?.content.some((block) => block.type === "tool_result" && isRepairResult(block)) === true;
  return isCutOff || leftTaskReminders(messages, () => new Map()).length > 0;
}
