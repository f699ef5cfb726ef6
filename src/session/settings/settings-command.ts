/** Commands from settings that print something for the terminal, and their runner. */
export interface SettingsCommand {
  /** The settings key that holds the command. */
  name: string;
  command: string;
  /** Passed on its standard input. */
  input: Record<string, unknown>;
  /** Additional variables for its environment. */
  variables?: Readonly<Record<string, string>>;
}

export interface CommandRunner {
  /** Returns the output; empty if the command failed, which the debug log says. Rejects if `signal` aborts. */
  run(command: SettingsCommand, signal: AbortSignal): Promise<string>;
  /** Ends running commands. */
  close(): Promise<void>;
}
