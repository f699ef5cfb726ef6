/** What the observers of a session's parts report with. */
import type { Failure } from "../../protocol/stop.ts";
import type { Attributes } from "../../telemetry/record.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Actor } from "./actor.ts";

export interface TelemetryReporter {
  readonly telemetry: Telemetry;
  /** UUID of the prompt being answered, or of the last one. */
  promptId: string | undefined;
  /** ms since some moment of this process. */
  readonly elapsed: () => number;
  /** Attributes must not have unbounded values: a data point is kept for each value. */
  count(name: Parameters<Telemetry["count"]>[0], value: number, attributes: Attributes): void;
  /** Default actor: the session itself. */
  event(name: string, attributes: Attributes, actor?: Actor): void;
  /** The attributes common to events and spans. */
  common(actor: Actor): Attributes;
  /** Returns the error text, if it may be reported: a server may quote the request, so its words are content as well. */
  errorOf(failure: Failure): string;
  /** Keeps a defect in an observer from affecting the session. */
  guarded(work: () => void): void;
}
