/** Runs commands from settings that print for the terminal: like hooks, ended with the session. Loaded only if there are any. */
import { runCommand } from "../../hooks/command-hook.ts";
import { runHookProcess, type HookExit } from "../../hooks/command-process.ts";
import { errorText } from "../../lib/error-text.ts";
import { PendingWork } from "../../lib/pending-work.ts";
import { hookWorld } from "../hooks/settings-hooks.ts";
import type { Joined } from "../joined.ts";
import type { CommandRunner, SettingsCommand } from "../settings/settings-command.ts";

const limitMs = 5_000;

export class SettingsCommands implements CommandRunner {
  readonly #joined: Joined;
  readonly #closing = new AbortController();
  /** Processes that are being ended. */
  readonly #endingProcesses = new PendingWork();
  readonly #loggedLines = new Set<string>();

  constructor(joined: Joined) {
    this.#joined = joined;
  }

  async run({ name, command, input, variables }: SettingsCommand, signal: AbortSignal): Promise<string> {
    const { around, store, tools } = this.#joined;
    const limit = new AbortController();
    const stop = around.clock.timer(limitMs, () => limit.abort());
    const anyAbort = AbortSignal.any([signal, limit.signal, this.#closing.signal]);
    const own = { ending: (work: Promise<void>) => this.#endingProcesses.add(work), follow: () => undefined };
    const { command: places } = hookWorld({ ...this.#joined, sessionId: store.sessionId, cwd: tools.cwd });
    // The command may be ended at any moment: a leftover git lock that nobody asked for would block people who work there.
    const hookPlaces = { ...places, variables: { ...variables, GIT_OPTIONAL_LOCKS: "0" } };
    try {
      const exit = await runCommand({ command }, input, hookPlaces, (process) =>
        runHookProcess(process, anyAbort, around.clock, own),
      );
      if (exit.code === 0) return exit.stdout;
      this.#logOnce(name, failureText(exit));
    } catch (error) {
      signal.throwIfAborted();
      if (!this.#closing.signal.aborted)
        this.#logOnce(name, limit.signal.aborted ? `was ended after ${limitMs / 1_000} s` : errorText(error));
    } finally {
      stop();
    }
    return "";
  }

  /** Resolves once nothing is left of the commands. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#endingProcesses.settled();
  }

  /** Logs each message once: the command may run after every answer. */
  #logOnce(name: string, what: string): void {
    const line = `${name} ${what}`;
    if (this.#loggedLines.has(line)) return;
    this.#loggedLines.add(line);
    this.#joined.options.debug?.(line);
  }
}

function failureText({ code, signal, stderr }: HookExit): string {
  const how = code === null ? `signal ${signal ?? "unknown"}` : `exit ${code}`;
  return `failed: ${how} stderr=${JSON.stringify(stderr.slice(0, 1_000))}`;
}
