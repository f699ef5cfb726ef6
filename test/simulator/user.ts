// The person: prompts, reads slowly, interrupts, leaves, submits in the middle of a turn, ends the program.
import { SessionError } from "../../src/lib/session-error.ts";
import type { CancelCause } from "../../src/protocol/stop.ts";
import { actDuringTurn } from "./user-actions.ts";
import { checkTurn } from "./turn-checks.ts";
import type { Seat } from "./seat.ts";
import { neverResolves, type World } from "./world.ts";

type Interruption = CancelCause | "leave" | "dispose";

const interruptions: readonly Interruption[] = [
  "user",
  "interrupt",
  "leave",
  "terminate",
  "user",
  "dispose",
  "shutdown",
];

/** One user turn, to its end. Never resolves where the process dies in it. */
export async function takeTurn(world: World, seat: Seat, prompt: string, uuid: string): Promise<void> {
  const { choices, scheduler, trace } = world;
  const turn = seat.beginTurn(uuid, prompt);
  trace.add(`${seat.tag} turn ${turn.number}`, prompt);
  const act = choices.chance(world.plan.moods.interrupt) ? choices.pick(interruptions) : null;
  let leaves = false;
  const disposed: Promise<void>[] = [];
  if (act !== null)
    scheduler.schedule(whenToAct(world), `the user acts: ${act}`, seat.process, () => {
      if (turn.isOver) return;
      world.count("act", act);
      if (act === "terminate") turn.isTerminated = true;
      if (act === "leave") leaves = true;
      else if (act === "dispose") {
        seat.turnCancelled("shutdown");
        disposed.push(seat.engine.dispose());
      } else if (seat.engine.interrupt(act)) seat.turnCancelled(act);
    });
  for (let left = choices.chance(world.plan.moods.submit) ? choices.pick([1, 2, 3]) : 0; left > 0; left--) {
    const text = `also ${world.ids.uuid()}`;
    scheduler.schedule(world.latency(), "the user submits in the middle", seat.process, () => {
      const queued = { uuid: world.ids.uuid(), text };
      try {
        seat.engine.enqueue(text, queued.uuid);
      } catch (error) {
        const mayBeClosed = turn.isOver || disposed.length > 0;
        if (mayBeClosed && error instanceof SessionError && error.code === "session_closed") return;
        throw error;
      }
      seat.queued.push(queued);
      world.count("act", "enqueue");
    });
  }
  for (let left = choices.chance(world.plan.moods.aside) ? choices.pick([1, 2, 3]) : 0; left > 0; left--)
    actDuringTurn(world, seat);
  const isSlow = choices.chance(10);
  const generator = seat.engine.submitMessage(prompt, { uuid });
  for (;;) {
    const step = await generator.next();
    if (seat.process.isDead) return neverResolves();
    if (step.done === true) break;
    seat.sawMessage(step.value);
    if (leaves) {
      seat.turnCancelled("left");
      turn.hasLeft = true;
      await generator.return();
      if (seat.process.isDead) return neverResolves();
      break;
    }
    if (isSlow && choices.chance(30)) {
      const wait = choices.pick([5, 300, 20_000]);
      turn.heldMs += wait;
      await scheduler.pause(wait, "the reader takes its time", seat.process);
    }
  }
  turn.isOver = true;
  await Promise.all(disposed);
  if (seat.process.isDead) return neverResolves();
  checkTurn(seat, turn);
}

function whenToAct(world: World): number {
  return world.choices.pick([0, 1, 3, 10, 50, 150, 400, 1_000, 6_000, 100_000]);
}
