/** What the engine runs, and what it tells of a run. */
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import type { KeepText } from "./long-texts.ts";
import type { HookOutput } from "./output.ts";

/** One configured hook, whatever its type: a function now, commands and others beside it. */
export interface HookRunner {
  /** For people: `function`, a command line, a URL. */
  name: string;
  matcher?: string;
  /** What people are shown while it runs. */
  statusMessage?: string;
  timeoutMs: number;
  /** Of several that are the same, one runs. Absent: it is like no other. */
  identity?: string;
  /** Present: it runs one time for each of these, in the life of the session. */
  once?: object;
  /** Whether it concerns this event beyond its matcher. Absent: it does. */
  concerns?(input: HookInput): boolean | Promise<boolean>;
  /** How long the end of a session may be held up for it, ms. Absent: as long as for all. */
  holdsEndMs?: number;
  /** Where it does not answer in time, the call or the prompt it was asked about is refused: the convention for callbacks. */
  refusesOnTimeout?: boolean;
  /** Its failure is a block: what fails to guard forbids. */
  blocksOnFailure?: boolean;
  /** Nobody waits for it; what it says is for the model's next turn. */
  isAsync?: boolean;
  /** Exit 2 of one that nobody waits for is told to the model at once. */
  wakes?: boolean;
  /** Stands before what is told then. */
  wakeMessage?: string;
  /** Must end soon after `signal` aborts. A rejection is its failure. */
  run(input: HookInput & Record<string, unknown>, signal: AbortSignal, own: HookWork): Promise<HookOutput>;
}

/** What a runner tells beside its output. */
export interface HookWork {
  /** What a process printed and how it ended. */
  tell: (run: HookTold) => void;
  /** Work that goes on when the run is over, such as ending what it started: awaited before the session ends. */
  ending: (work: Promise<void>) => void;
  /** What kills it at the last moment of the process; returns the way to say that there is nothing left to kill. */
  killable?: (kill: () => void) => () => void;
  /** How to see what it has printed so far. */
  follow: (printed: () => Printed) => void;
  /** Nobody waits for it any more: it has said that it goes on beside the session, for so many ms at most. */
  goOnBeside: (limitMs?: number) => void;
}

/** Output so far. */
export interface Printed {
  stdout: string;
  stderr: string;
}

export interface HookTold {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A run that has begun, for those who watch. */
export interface BegunHook {
  id: string;
  event: HookEvent;
  /** What its matcher was held against. */
  subject?: string;
  name: string;
  statusMessage?: string;
  isAsync: boolean;
}

/** One run that is over. */
export interface HookRecord extends BegunHook, Partial<HookTold> {
  durationMs: number;
  outcome: "success" | "error" | "cancelled" | "timeout";
  decision: "none" | "allow" | "ask" | "defer" | "deny" | "block" | "stop";
  problem?: string;
  /** What of its answer says nothing where it stands. */
  hint?: string;
}

export interface HookDependencies {
  clock: { elapsed(): number; timer(ms: number, onFire: () => void): () => void; timestamp(): string };
  ids: { uuid(): string };
  /** `session_id`, `transcript_path`, `cwd`, `permission_mode`, `prompt_id`. */
  common(input: HookInput): Record<string, unknown>;
  /** Matchers of which it was said what is wrong with them, here or elsewhere; added to. Absent: none was. */
  toldMatchers?: Set<string>;
  /** Keeps what a hook says at length. Absent: what is too long is cut. */
  keep?: KeepText;
  /** A call can be put off: whoever reads the result takes the session up again. */
  defers?: boolean;
  /** Given what a hook would have the terminal do; it is one that is permitted. Absent: there is no terminal. */
  toTerminal?: (sequence: string) => void;
  /** Told what hooks said for people where the conversation has no place for it. */
  tellBeside?: (text: string) => void;
  /** Told of hooks that may wake the session: that one has begun, has ended, and that what they said was taken. */
  waking?: { begun(): void; ended(said: string | undefined): void; taken(): void } | undefined;
  /** Files that were not named before may be named now: by an answer, or by hooks that have come. */
  onFilesNamed?: () => void;
  /** Told of each run when it is over. */
  watch?: (record: HookRecord) => void;
  /** Told of each run when it begins. */
  onBegin?: (run: BegunHook) => void;
  /** Told of what a run has printed, each second in which it printed something. */
  onProgress?: (run: BegunHook, printed: Printed) => void;
}
