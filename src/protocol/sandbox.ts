/** The Sandbox port: whether a command is confined, how it is started then, and whether the sandbox caused its failure. */

export type Confinement =
  | {
      kind: "confined";
      /** The user wants no permission question for confined commands. */
      isFree: boolean;
    }
  /** Runs as it would without a sandbox, because the user's settings exclude it. */
  | { kind: "excluded" }
  /** The call asks to run outside the sandbox, which a person must approve. */
  | { kind: "leaving" }
  /** The call asks to run outside the sandbox, which the settings forbid. */
  | { kind: "refused" };

export interface SandboxInput {
  command: string;
  dangerouslyDisableSandbox?: boolean;
}

export interface SandboxCall {
  input: SandboxInput;
  toolUseId: string;
  /** The command's working directory. Absolute. */
  cwd: string;
  /** The shell and its arguments. */
  file: string;
  args: readonly string[];
}

export interface SandboxEnd {
  /** Null: the command continues in the background. */
  exitCode: number | null;
  /** The beginning of the command's error output, exactly as it came. */
  stderr: string;
}

/** A command prepared to run confined. `release` must be called once none of its processes runs any more, or if it never ran. */
export interface ConfinedCommand {
  file: string;
  args: readonly string[];
  environment(own: Record<string, string>): Record<string, string>;
  /** Explains to the model what the sandbox refused and what would allow it. Undefined if the command's end was not the sandbox's doing. */
  explain(end: SandboxEnd): string | undefined;
  release(): void;
}

export interface SandboxPort {
  /** Whether a call may ask to run outside; a person is then asked. */
  readonly mayLeave: boolean;
  confinementOf(input: SandboxInput): Confinement;
  /** Prepares a confined call. Rejects if the command cannot be confined: it must not run then. */
  enter(call: SandboxCall): Promise<ConfinedCommand>;
  /** Ends the sandbox's own processes and removes its folders. */
  dispose(): void;
}
