/** Messages about running hooks, for the reader of the turn. */
import type { StartedHook, HookRecord, PrintedOutput } from "../../hooks/runner.ts";
import { Doorbell } from "../../lib/doorbell.ts";
import type { News } from "../../lib/news-steps.ts";
import { headOf, tailOf } from "../../lib/text-cut.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { SDKHookMessage, SDKHookResponse } from "../../protocol/sdk-hooks.ts";

export interface HookFeedOptions {
  /** Include all events, not only the session's start. */
  includesAll: boolean;
  sessionId: string;
  uuid: () => string;
}

/** Nobody waits for hooks of these events, so only their progress is shown, and the end of async ones. */
const detachedEvents: ReadonlySet<HookEvent> = new Set([
  "Notification",
  "StopFailure",
  "SessionEnd",
  "PreCompact",
  "PostCompact",
]);
const alwaysShownEvents: ReadonlySet<HookEvent> = new Set(["SessionStart", "Setup"]);
/** Most messages held while no reader takes them; the oldest are dropped. */
const maxHeld = 1_000;
const maxCharacters = 10_000;

export class HookFeed implements News<SDKHookMessage> {
  readonly bell = new Doorbell();
  readonly #options: HookFeedOptions;
  #heldMessages: SDKHookMessage[] = [];

  constructor(options: HookFeedOptions) {
    this.#options = options;
  }

  take(): SDKHookMessage[] {
    return this.#heldMessages.splice(0);
  }

  hookStarted(run: StartedHook): void {
    if (!this.#isShown(run) || detachedEvents.has(run.event)) return;
    const { name, statusMessage, isAsync } = run;
    const status = statusMessage === undefined ? {} : { status_message: statusMessage };
    const more = { ...status, ...asyncField(isAsync) };
    this.#add({ ...this.#base(run), subtype: "hook_started", command: headOf(name, maxCharacters), ...more });
  }

  hookProgressed(run: StartedHook, printed: PrintedOutput): void {
    if (!this.#isShown(run)) return;
    const [stdout, stderr] = [tailOf(printed.stdout, maxCharacters), tailOf(printed.stderr, maxCharacters)];
    const more = { stdout, stderr, output: stdout + stderr, ...asyncField(run.isAsync) };
    this.#add({ ...this.#base(run), subtype: "hook_progress", ...more });
  }

  hookEnded(record: HookRecord): void {
    if (!this.#isShown(record) || (detachedEvents.has(record.event) && !record.isAsync)) return;
    const { exitCode, durationMs } = record;
    const [stdout, stderr] = [headOf(record.stdout ?? "", maxCharacters), headOf(record.stderr ?? "", maxCharacters)];
    this.#add({
      ...this.#base(record),
      subtype: "hook_response",
      stdout,
      stderr,
      output: stdout + stderr,
      ...(exitCode === undefined || exitCode === null ? {} : { exit_code: exitCode }),
      outcome: outcomeOf(record),
      duration_ms: durationMs,
    });
  }

  #isShown({ event }: StartedHook): boolean {
    return this.#options.includesAll || alwaysShownEvents.has(event);
  }

  #base({ id, event, subject }: StartedHook) {
    const { sessionId, uuid } = this.#options;
    const name = subject === undefined || subject === "" ? event : `${event}:${headOf(subject, 200)}`;
    const base = { type: "system" as const, uuid: uuid(), session_id: sessionId };
    return { ...base, hook_id: id, hook_name: name, hook_event: event };
  }

  #add(message: SDKHookMessage): void {
    this.#heldMessages.push(message);
    if (this.#heldMessages.length > maxHeld) this.#heldMessages.shift();
    this.bell.ring();
  }
}

function asyncField(isAsync: boolean): { async?: true } {
  return isAsync ? { async: true } : {};
}

function outcomeOf({ outcome, exitCode }: HookRecord): SDKHookResponse["outcome"] {
  if (outcome === "timeout" || outcome === "cancelled") return "cancelled";
  return outcome === "error" || (exitCode ?? 0) !== 0 ? "error" : "success";
}
