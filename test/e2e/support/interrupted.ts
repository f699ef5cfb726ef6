/** Runs a session of the real command against the wild model, stops it at random instants, and resumes it each time. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { makePlace } from "./place.ts";
import { checkMarks, lay } from "./soak.ts";
import { createRandom, Wild } from "./wild.ts";
import { startWire } from "./wire.ts";

const session = "0a0a0a0a-1111-4222-8333-444444444444";
const signals = ["SIGKILL", "SIGINT", "SIGTERM"] as const;

export async function interrupted({
  seed,
  turns,
  stops,
}: {
  seed: number;
  turns: number;
  stops: number;
}): Promise<number> {
  const random = createRandom(seed + 77);
  const wild = new Wild({ seed, turns, faults: 0.1, pauses: false });
  const server = await startWire((asked) => wild.answer(asked));
  const place = makePlace(server.url);
  let stopped = 0;
  try {
    lay(place);
    for (;;) {
      const way = exists(place.home) ? "--resume" : "--session-id";
      const prompt = server.requests.length === 0 ? "task 1" : "go on";
      const flags = ["--allowed-tools", "Bash(./mark *)", "Write", "--", prompt];
      const started = place.start(["-p", way, session, ...flags]);
      const signal = stopped < stops ? signals[Math.floor(random() * signals.length)]! : null;
      const timer = setTimeout(() => signal !== null && started.child.kill(signal), 120 + random() * 500);
      const end = await started.ended;
      clearTimeout(timer);
      const where = `seed ${seed}, stop ${stopped}: ${end.stderr}`;
      expect(wild.violations, where).toEqual([]);
      // A signal that arrives before the command listens ends the process directly.
      const wasStopped = end.signal !== null || end.code === 130 || end.code === 143;
      if (!wasStopped) {
        expect(end.code, where).toBe(0);
        break;
      }
      stopped++;
      wild.clientDied();
    }
    checkMarks(place.folder, server.requests, wild, true);
    expect(readFileSync(join(place.folder, "marks"), "utf8")).not.toBe("");
    return stopped;
  } finally {
    await server.close();
    place.clear();
  }
}

/** Whether the session exists. A stop may come before that, or before the first request. */
function exists(home: string): boolean {
  const projects = join(home, ".pawl", "projects");
  if (!existsSync(projects)) return false;
  return readdirSync(projects, { recursive: true, encoding: "utf8" }).some((file) => file.endsWith(`${session}.jsonl`));
}
