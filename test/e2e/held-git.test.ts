// A git that is slow to describe the repository: the terminal does not wait for it, and it ends with pawl.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { holdGit, type HeldGit } from "../support/held-git.ts";
import { isAlive } from "../tools/support.ts";
import { createWorld, type World } from "./command.ts";
import { endAfterEach, keys, onTerminal, open, screen, shows } from "./support/terminal.ts";

endAfterEach();

function hold({ home, folder, env }: World): HeldGit {
  const git = holdGit(join(home, "bin"), folder);
  env["PATH"] = git.path;
  return git;
}

/** The terminal as it is while git, which has been started, waits. */
async function openHeld(): Promise<{ world: World; git: HeldGit }> {
  let git: HeldGit | undefined;
  const world = await open(
    { fallback: "Hello there." },
    [],
    { NO_COLOR: "1" },
    async (begun) => void (git = hold(begun)),
  );
  await shows(/^>$/mu);
  await expectStarted(git!);
  expect(git!.pids().filter((pid) => !isAlive(pid))).toEqual([]);
  return { world, git: git! };
}

const expectStarted = (git: HeldGit): Promise<void> =>
  vi.waitFor(() => expect(git.pids().length).toBeGreaterThan(0), { timeout: 10_000 });

const expectEnded = (git: HeldGit): Promise<void> =>
  vi.waitFor(() => expect(git.pids().filter(isAlive)).toEqual([]), { timeout: 10_000 });

function parentOf(pid: number): number {
  return Number(/^PPid:\t(\d+)$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

describe("while git is held, the terminal", () => {
  onTerminal("has its prompt and takes words, which are sent once git has answered", async () => {
    const { world, git } = await openHeld();
    keys("hi", "Enter");
    await shows(/^> hi$/mu);
    expect(world.server.requests).toEqual([]);
    git.release();
    await shows("Hello there.");
    expect(JSON.stringify(world.server.requests[0]?.body)).toContain(String.raw`Status:\n M held.txt`);
    keys("C-d");
    await shows("left with 0");
  });

  onTerminal("takes Esc at once for a prompt that waits, and asks git anew for the next one", async () => {
    const { world, git } = await openHeld();
    keys("hi", "Enter");
    await shows(/^> hi$/mu);
    keys("Escape");
    await shows("Interrupted");
    await expectEnded(git);
    expect(world.server.requests).toEqual([]);
    git.release();
    keys("again", "Enter");
    await shows("Hello there.");
    expect(JSON.stringify(world.server.requests[0]?.body)).toContain(String.raw`Status:\n M held.txt`);
  });

  onTerminal("can be left at once, and leaves no git", async () => {
    const { git } = await openHeld();
    keys("C-d");
    await shows("left with 0");
    await expectEnded(git);
  });

  onTerminal("ends at SIGTERM, also with a prompt that waits, and leaves no git", async () => {
    const { world, git } = await openHeld();
    keys("hi", "Enter");
    await shows(/^> hi$/mu);
    process.kill(parentOf(git.pids()[0]!), "SIGTERM");
    await shows("left with 143");
    await expectEnded(git);
    expect(world.server.requests).toEqual([]);
    expect(screen()).toContain("resume with: pawl --resume");
  });
});

test("pawl -p that is ended while git is held leaves no git", async () => {
  const world = await createWorld({ fallback: "Hello there." });
  onTestFinished(() => world.close());
  const git = hold(world);
  const { child, done } = world.start(["-p", "hi"]);
  await expectStarted(git);
  child.kill("SIGTERM");
  expect(await done).toMatchObject({ code: 143 });
  await expectEnded(git);
});
