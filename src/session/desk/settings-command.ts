/** A command of settings that prints something for the terminal, and who runs such commands. */
export interface SettingsCommand {
  /** The key it stands under. */
  name: string;
  command: string;
  /** Told on its standard input. */
  input: Record<string, unknown>;
  /** Further ones for its environment. */
  variables?: Readonly<Record<string, string>>;
}

export interface CommandRunner {
  /** What it printed; empty where it failed, which the debug log is told. Rejects where `signal` aborts. */
  run(command: SettingsCommand, signal: AbortSignal): Promise<string>;
  /** Ends those that run. */
  close(): Promise<void>;
}
