/** A skill that a person starts and an agent carries out: the agent's work is shown as it comes, and its answer is told to the model. */
import { Doorbell, rung } from "../../lib/doorbell.ts";
import type { AgentMessageEvent, WaitingEvent } from "../../protocol/event.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { ToolResult } from "../../protocol/tool.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { ForkedSkill } from "./skill-desk.ts";

const shownAfterMs = 100;
const limitMs = 24 * 60 * 60_000;

/** Ends with the turn, also if its reader leaves. */
export async function* followFork(
  name: string,
  fork: (show: ForkedSkill["show"]) => Promise<ToolResult>,
  clock: ClockPort,
  cancel: Cancel,
): AsyncGenerator<AgentMessageEvent | WaitingEvent, ToolResult> {
  const bell = new Doorbell();
  const messages: SDKMessage[] = [];
  const take = (): AgentMessageEvent[] => messages.splice(0).map((message) => ({ type: "agent_message", message }));
  let isLate = false;
  const stop = clock.timer(shownAfterMs, () => {
    isLate = true;
    bell.ring();
  });
  const forkEnd = fork((message) => {
    messages.push(message);
    bell.ring();
  });
  let isLeft = true;
  try {
    for (let isNamed = false; ;) {
      const outcome = await bell.wait(forkEnd);
      if (isLate && !isNamed && outcome === rung) {
        isNamed = true;
        yield { type: "waiting", key: `t0.${name}`, on: "agent", name, limitMs };
      }
      yield* take();
      if (outcome === rung) continue;
      isLeft = false;
      return outcome;
    }
  } finally {
    stop();
    if (isLeft) cancel.cancel("consumer");
    await forkEnd;
  }
}
