/** The Sandbox port: whether a command is confined, how it is then started, and what its confinement had to do with its end. */

export type Confinement =
  | {
      kind: "confined";
      /** The user wants no question about what is confined. */
      isFree: boolean;
    }
  /** Runs as it would without a sandbox: the user's settings name it. */
  | { kind: "excluded" }
  /** The call asks to be let out, which a person must approve. */
  | { kind: "leaving" }
  /** The call asks to be let out, which the settings forbid. */
  | { kind: "refused" };

export interface SandboxInput {
  command: string;
  dangerouslyDisableSandbox?: boolean;
}

export interface SandboxCall {
  input: SandboxInput;
  toolUseId: string;
  /** Where the command starts. Absolute. */
  cwd: string;
  /** The shell and its arguments. */
  file: string;
  args: readonly string[];
}

export interface SandboxEnd {
  /** Null: it goes on in the background. */
  exitCode: number | null;
  /** The beginning of what it complained of, as it came. */
  stderr: string;
}

/** A command made ready to run confined. `release` must be called once nothing of it runs any more, or where it never ran. */
export interface ConfinedCommand {
  file: string;
  args: readonly string[];
  environment(own: Record<string, string>): Record<string, string>;
  /** For the model: what was refused, and what would allow it. Undefined where the sandbox had no part in the end. */
  explain(end: SandboxEnd): string | undefined;
  release(): void;
}

export interface SandboxPort {
  /** A call may ask to run outside, and a person is then asked. */
  readonly mayLeave: boolean;
  confinementOf(input: SandboxInput): Confinement;
  /** For a call that is confined. Rejects where it cannot be: then it must not run. */
  enter(call: SandboxCall): Promise<ConfinedCommand>;
  /** Ends what the sandbox itself holds, and removes its folders. */
  dispose(): void;
}
