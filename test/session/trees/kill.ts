// A death by SIGKILL in the middle of a snapshot or a rewind, and what the next process makes of it.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { keepTrees, makePlace, pictureOf, run, type Place } from "./support.ts";

function lay({ work }: Place): void {
  for (const name of ["a", "b/c", "b/d/e", "f/g"]) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), `content of ${name}\n`.repeat(500));
  }
  symlinkSync("a", join(work, "link"));
  mkdirSync(join(work, "empty"));
}

function change({ work }: Place): void {
  for (const name of ["b", "link", "empty"]) rmSync(join(work, name), { recursive: true });
  appendFileSync(join(work, "a"), "more\n");
  chmodSync(join(work, "f"), 0o500);
  for (const name of ["b", "new/x/y"]) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), "new\n");
  }
}

/** Answers how many steps it made; undefined: it was killed. */
async function child(place: Place, args: string[]): Promise<number | undefined> {
  const program = fileURLToPath(new URL("./kill-child.ts", import.meta.url));
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, ["--no-warnings", program, dirname(place.work), ...args], (error, stdout, stderr) => {
      if (error === null) resolve(Number(stdout));
      else if (error.signal === "SIGKILL") resolve(undefined);
      else reject(new Error(stderr));
    });
  });
}

/** In the middle of the second snapshot of a session, at that step: a later rewind to before the first one is whole. */
export async function diesInSnapshot(step: number): Promise<number | undefined> {
  const place = makePlace();
  try {
    lay(place);
    const before = pictureOf(place.work);
    const sessionId = randomUUID();
    const first = keepTrees(place, { sessionId });
    const uuid = await run(first, () => change(place));
    first.transcript.close();
    const steps = await child(place, [sessionId, "snapshot", "-", String(step)]);
    const next = keepTrees(place, { sessionId });
    await run(next, () => writeFileSync(join(place.work, "later"), ""));
    const told = await next.checkpoints.rewind(uuid, { dryRun: true });
    expect(await next.checkpoints.rewind(uuid)).toEqual(told);
    next.transcript.close();
    expect(next.notices).toEqual([]);
    const { "/never": _never, ...after } = pictureOf(place.work);
    expect(after).toEqual(before);
    return steps;
  } finally {
    place.remove();
  }
}

/** In the middle of a rewind, at that step: the next process does the rest. */
export async function diesInRewind(step: number): Promise<number | undefined> {
  const place = makePlace();
  try {
    lay(place);
    const before = pictureOf(place.work);
    const sessionId = randomUUID();
    const first = keepTrees(place, { sessionId });
    const uuid = await run(first, () => change(place));
    first.transcript.close();
    const steps = await child(place, [sessionId, "rewind", uuid, String(step)]);
    const next = keepTrees(place, { sessionId });
    const { skipped } = await next.checkpoints.rewind(uuid);
    next.transcript.close();
    expect(skipped).toEqual([]);
    expect(pictureOf(place.work)).toEqual(before);
    return steps;
  } finally {
    place.remove();
  }
}
