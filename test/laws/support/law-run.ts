// Runs a scenario with one injection, at a point that was counted in an undisturbed run.
import fc from "fast-check";
import type { CancelCause } from "../../../src/protocol/stop.ts";
import { createHarness, type Harness, type Ran } from "../../loop/support/harness.ts";
import { idle } from "../../loop/support/virtual-clock.ts";
import type { FaultKind, PortCall } from "../../loop/support/world.ts";
import { optionsOf, scenarios, type Scenario } from "./scenario.ts";

export const causes = ["user", "interrupt", "terminate", "consumer"] as const satisfies CancelCause[];

export type Injection =
  | { kind: "none" }
  /** Cancels at a yield point; with `consumer`, the reader leaves there. */
  | { kind: "cancel"; at: number; cause: (typeof causes)[number] }
  /** Cancels while a port is being called. */
  | { kind: "cancel_in_call"; at: number; cause: CancelCause }
  | { kind: "fault"; at: number; fault: FaultKind };

export interface LawRun extends Ran {
  scenario: Scenario;
  injection: Injection;
  /** The undisturbed run of the same scenario. */
  counted: LawRun | null;
  /** What the generator threw; always a defect. */
  thrown: unknown;
  isAbandoned: boolean;
}

export async function lawRun(
  scenario: Scenario,
  injection: Injection = { kind: "none" },
  counted: LawRun | null = null,
): Promise<LawRun> {
  const options = optionsOf(scenario);
  if (injection.kind === "fault") options.fault = { at: injection.at, kind: injection.fault };
  const harness = createHarness(options);
  if (injection.kind === "cancel_in_call")
    harness.world.onCall = (call: PortCall) => {
      if (call.at === injection.at) harness.cancel.cancel(injection.cause);
    };
  let thrown: unknown = null;
  const driven = await harness.run(consumerOf(harness, injection)).catch((error: unknown) => {
    thrown = error;
    return { events: [], early: [], terminal: null };
  });
  await idle();
  const transcriptFailed = harness.world.faulted?.name === "transcript.append";
  const isAbandoned = injection.kind === "cancel" && injection.cause === "consumer";
  return { ...harness, ...driven, harness, transcriptFailed, scenario, injection, counted, thrown, isAbandoned };
}

function consumerOf(harness: Harness, injection: Injection) {
  return (_event: unknown, at: number): void | "return" => {
    if (injection.kind !== "cancel" || at !== injection.at) return;
    if (injection.cause === "consumer") return "return";
    harness.cancel.cancel(injection.cause);
  };
}

/** Lists every injection that is possible in a counted run. */
export function injectionsOf(counted: LawRun): Injection[] {
  const injections: Injection[] = [{ kind: "none" }];
  for (let at = 0; at < counted.events.length; at++)
    for (const cause of causes) injections.push({ kind: "cancel", at, cause });
  for (const call of counted.world.calls) {
    injections.push({ kind: "fault", at: call.at, fault: "throw" });
    if (call.hasFailureValue) injections.push({ kind: "fault", at: call.at, fault: "failure" });
    if (call.isAsync) injections.push({ kind: "fault", at: call.at, fault: "hang" });
    if (call.isAsync || call.signal !== undefined || call.name === "budget.admit")
      injections.push({ kind: "cancel_in_call", at: call.at, cause: "user" });
  }
  return injections;
}

/** A scenario and a share of its injections: in a smaller scenario, the same share falls on a similar place. */
export const subjects = fc.record({ scenario: scenarios, place: fc.double({ min: 0, max: 0.999_999, noNaN: true }) });

export async function runAt({ scenario, place }: { scenario: Scenario; place: number }): Promise<LawRun> {
  const counted = await lawRun(scenario);
  const injections = injectionsOf(counted);
  return lawRun(scenario, injections[Math.floor(place * injections.length)], counted);
}
