/** What an agent has cost stands in its session's own transcript, which a resume reads, as soon as an answer stands in the agent's. */
import type { RecordWatch } from "../conversation.ts";
import type { AgentSeat } from "../joined.ts";

export function bookedAtOnce({ root }: AgentSeat, watch: RecordWatch | undefined): RecordWatch {
  return {
    recorded: (message) => {
      // A call of a tool that comes next may take hours, and shows nothing before it ends.
      if (message.type === "response_end") root.facts.put("ledger", root.ledger.snapshot());
      watch?.recorded(message);
    },
    noted: (note) => watch?.noted(note),
  };
}
