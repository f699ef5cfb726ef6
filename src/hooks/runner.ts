/** What the engine runs, and what it reports about a run. */
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import type { StoreText } from "./long-texts.ts";
import type { HookOutput } from "./output.ts";

/** One configured hook of any type: a function, a command or another. */
export interface HookRunner {
  /** For people: `function`, a command line, a URL. */
  name: string;
  matcher?: string;
  /** Shown to people while the hook runs. */
  statusMessage?: string;
  timeoutMs: number;
  /** Of several hooks with the same identity, one runs. Absent: the hook is unique. */
  identity?: string;
  /** If present, the hook runs only once per session for this object. */
  once?: object;
  /** Whether the hook concerns this input, beyond its matcher. Absent: it does. */
  meetsCondition?(input: HookInput): boolean | Promise<boolean>;
  /** How long it may hold up the end of the session, ms. Absent: the shared limit. */
  holdsEndMs?: number;
  /** If it does not answer in time, the call or prompt it was asked about is refused. This is the convention for callbacks. */
  refusesOnTimeout?: boolean;
  /** A failure counts as a block: a guard that fails must forbid. */
  blocksOnFailure?: boolean;
  /** The session does not wait for it; its output is for the model's next turn. */
  isAsync?: boolean;
  /** If an async hook exits with 2, the model is told at once. */
  wakes?: boolean;
  /** A text to put before what the model is told then. */
  wakeMessage?: string;
  /** Runs the hook. Must end soon after `signal` aborts. A rejection is a failure of the hook. */
  run(input: HookInput & Record<string, unknown>, signal: AbortSignal, work: HookWork): Promise<HookOutput>;
}

/** What a runner reports besides its output. */
export interface HookWork {
  /** Reports what a process printed and how it ended. */
  report: (run: ProcessResult) => void;
  /** Registers work that continues after the run, such as ending processes: it is awaited before the session ends. */
  ending: (work: Promise<void>) => void;
  /** Registers a function that kills the process at the last moment. Returns a function that unregisters it. */
  killable?: (kill: () => void) => () => void;
  /** Registers how to read what it has printed so far. */
  follow: (printed: () => PrintedOutput) => void;
  /** Declares that the hook continues beside the session, for at most `limitMs`; nobody waits for it any more. */
  detach: (limitMs?: number) => void;
}

/** The output so far. */
export interface PrintedOutput {
  stdout: string;
  stderr: string;
}

export interface ProcessResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A run that has begun, for observers. */
export interface StartedHook {
  id: string;
  event: HookEvent;
  /** The value that its matcher was compared with. */
  subject?: string;
  name: string;
  statusMessage?: string;
  isAsync: boolean;
}

/** A finished run. */
export interface HookRecord extends StartedHook, Partial<ProcessResult> {
  durationMs: number;
  outcome: "success" | "error" | "cancelled" | "timeout";
  decision: "none" | "allow" | "ask" | "defer" | "deny" | "block" | "stop";
  problem?: string;
  /** Fields of its answer that have no effect where they are. */
  hint?: string;
}

export interface HookDependencies {
  clock: { elapsed(): number; timer(ms: number, onFire: () => void): () => void; timestamp(): string };
  ids: { uuid(): string };
  /** `session_id`, `transcript_path`, `cwd`, `permission_mode`, `prompt_id`. */
  common(input: HookInput): Record<string, unknown>;
  /** Matchers whose problems were already reported, here or elsewhere. The set is added to. Absent: none was reported. */
  reportedMatchers?: Set<string>;
  /** Stores long texts. Absent: texts that are too long are cut. */
  storeText?: StoreText;
  /** Whether a call can be deferred: the reader of the result continues the session. */
  canDefer?: boolean;
  /** Receives permitted terminal sequences from hooks. Absent: there is no terminal. */
  toTerminal?: (sequence: string) => void;
  /** Receives hooks' messages for people on events without a place in the conversation. */
  showOutsideConversation?: (text: string) => void;
  /** Informed about hooks that may wake the session: when one begins, when it ends, and when their output was taken. */
  waking?: { noteStart(): void; noteEnd(text: string | undefined): void; noteDelivery(): void } | undefined;
  /** Called when the set of watched files may have changed: by an answer, or by new hooks. */
  onWatchedFilesChange?: () => void;
  /** Called when a run has ended. */
  watch?: (record: HookRecord) => void;
  /** Called when a run begins. */
  onBegin?: (run: StartedHook) => void;
  /** Called every second in which a run has printed something. */
  onProgress?: (run: StartedHook, printed: PrintedOutput) => void;
}
