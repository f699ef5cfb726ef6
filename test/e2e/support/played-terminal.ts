/** The command on a terminal that the test plays: it reads what the command writes, and answers as it likes. Needs `script` of util-linux. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { afterEach, test } from "vitest";
import type { Script } from "../../../src/testing/index.ts";
import { commandWords, createWorld, type World } from "../command.ts";

const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

export interface PlayedTerminal {
  world: World;
  /** All that the terminal got so far. */
  written: () => string;
  /** Waits until the terminal has got the text. Fails with all that it got. */
  gets: (text: string) => Promise<void>;
  /** What the terminal sends: keys and answers. */
  send: (bytes: string) => void;
}

/** In milliseconds: for a machine that is busy. */
const patienceMs = 20_000;

const open: { child: ChildProcess; world: World }[] = [];

/**
 * Runs the command, and after it a shell that reads a line and prints it as `shell got <...>`: what is left of the input belongs to that line.
 * `before` runs first, and returns variables. The terminal is of a kind that can be asked for its colours.
 */
export async function playTerminal(
  script: Script,
  args: readonly string[] = [],
  before: (world: World) => Record<string, string> = () => ({}),
): Promise<PlayedTerminal> {
  const world = await createWorld(script);
  const env = before(world);
  const words = [process.execPath, ...commandWords(), ...args].map(
    (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  const line = `stty cols 80 rows 24; ${words.join(" ")}; echo "left with $?"; IFS= read -r line; printf 'shell got <%q>\\n' "$line"`;
  const child = spawn("script", ["--quiet", "--flush", "--command", line, "/dev/null"], {
    cwd: world.folder,
    env: { ...world.env, TERM: "xterm-256color", SHELL: "/bin/bash", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  open.push({ child, world });
  let text = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (const listener of listeners) listener();
  });
  const gets = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (text.includes(wanted)) resolve();
      };
      const fail = (): void =>
        reject(new Error(`the terminal never got ${JSON.stringify(wanted)}:\n${JSON.stringify(text)}`));
      listeners.add(look);
      // Not `exit`: its last output may be read after that.
      child.once("close", fail);
      setTimeout(fail, patienceMs).unref();
      look();
    });
  return { world, written: () => text, gets, send: (bytes) => void child.stdin.write(bytes) };
}

export function onPlayedTerminal(name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    if (!hasScript) context.skip("script of util-linux is not installed");
    await body();
  });
}

/** Call once a test file. */
export function endPlayedTerminals(): void {
  afterEach(async () => {
    for (const { child, world } of open.splice(0)) {
      const ended = new Promise((resolve) => child.once("close", resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await ended;
      }
      await world.close();
    }
  });
}
