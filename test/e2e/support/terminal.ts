/** The command on a real terminal, which tmux provides; skipped if there is no tmux. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, test } from "vitest";
import type { Script } from "../../../src/testing/index.ts";
import { commandWords, createWorld, type World } from "../command.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

let world: World | undefined;
let socket = "";
export const tmux = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync("tmux", ["-S", socket, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
  return stdout;
};
export const screen = (): string => tmux("capture-pane", "-p", "-J", "-t", "pawl", "-S", "-200").trimEnd();
export const keys = (...names: string[]): string => tmux("send-keys", "-t", "pawl", ...names);

/** Waits until the screen shows the text. Fails after 800 looks, with what the screen showed. */
export async function shows(text: string | RegExp): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const now = screen();
    if (typeof text === "string" ? now.includes(text) : text.test(now)) return;
    if (tries > 800) throw new Error(`the screen never showed ${text}:\n${now}`);
    // Each look starts a process.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function open(
  script: Script,
  args: string[] = [],
  env: Record<string, string> = { NO_COLOR: "1" },
  before?: (world: World) => Promise<void>,
  begin: "as it is" | "from a shell" = "as it is",
): Promise<World> {
  world = await createWorld(script);
  await before?.(world);
  socket = join(world.home, "tmux");
  // A new session of tmux has its client's PATH, whatever it is given.
  const quoted = ["env", `PATH=${world.env["PATH"]}`, process.execPath, ...commandWords(), ...args].map(
    (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  // Otherwise a shell that is ended would write its history into a home that is being removed.
  const environment = Object.entries({ ...world.env, HISTFILE: "", ...env }).flatMap(([name, value]) => [
    "-e",
    `${name}=${value}`,
  ]);
  const command = quoted.join(" ");
  const shell = begin === "as it is" ? ["-c", `${command}; echo "left with $?"; exec sleep 1000`] : ["--norc", "-i"];
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    "pawl",
    "-x",
    "100",
    "-y",
    "40",
    "-c",
    world.folder,
    ...environment,
    "bash",
    ...shell,
  );
  // In a subshell, as if a script ran the command.
  if (begin === "from a shell") keys(`(${command}; echo "left with $?")`, "Enter");
  return world;
}

export function onTerminal(name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    if (!hasTmux) context.skip("tmux is not installed");
    await body();
  });
}

/** Call once a test file. */
export function endAfterEach(): void {
  afterEach(async () => {
    if (socket !== "") spawnSync("tmux", ["-S", socket, "kill-server"]);
    socket = "";
    await world?.close();
    world = undefined;
  });
}
