/** What those who look at a session's rooms have to tell it with. */
import type { Failure } from "../../protocol/stop.ts";
import type { Attributes } from "../../telemetry/record.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Actor } from "./actor.ts";

export interface Telling {
  readonly telemetry: Telemetry;
  /** UUID of the prompt that is answered, or was last. */
  promptId: string | undefined;
  /** ms since some moment of this process. */
  readonly elapsed: () => number;
  /** Names with figures only: a point is kept for each of their values. */
  count(name: Parameters<Telemetry["count"]>[0], value: number, attributes: Attributes): void;
  /** Default: of the session itself. */
  event(name: string, attributes: Attributes, actor?: Actor): void;
  /** Of events and spans. */
  common(actor: Actor): Attributes;
  /** A server may quote what it was asked: its words are as much content as that. */
  errorOf(failure: Failure): string;
  /** A defect of what looks on is none of the session. */
  guarded(work: () => void): void;
}
