/** What the loop asks of a session beyond its rooms: the defences of its window, the end of its turns, summaries of its calls. */
import type { LoopPorts } from "../loop/ports.ts";
import { composeContext, type ContextPartsOptions } from "./context-parts.ts";
import type { Joined } from "./joined.ts";
import { createReattach } from "./reattach.ts";
import { countSavings, type CountedContext } from "./savings.ts";
import { toolUseSummaries } from "./tool-use-summary.ts";
import { composeTurnEnd } from "./turn-end-parts.ts";

type Rooms = Omit<ContextPartsOptions, "ports" | "reattach"> & Pick<Joined, "options">;

export function completedPorts(
  rooms: Rooms,
  ports: ContextPartsOptions["ports"],
): { context: CountedContext; ports: LoopPorts } {
  const { around, tools, options, store } = rooms;
  const reattach = createReattach(around, tools.shared);
  const context = countSavings(composeContext({ ...rooms, ports, reattach }));
  const turnEnd = composeTurnEnd({ ...ports, options, store });
  return { context, ports: { ...ports, turnEnd, context, summary: toolUseSummaries({ ...rooms, ...ports }) } };
}
