// What sessions kept of files, and share, goes with the last of them that is removed.
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { deleteSession } from "../../src/index.ts";
import { StoredSessionsDesk } from "../../src/session/sessions/desk.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** A session that ran a command, and kept what was there before it. Answers its id and transcript. */
async function past(ground: Ground): Promise<{ id: string; path: string }> {
  const model = scripted({
    fallback: ({ turns }) =>
      turns === 0 ? { content: [{ tool: "Bash", input: { command: "echo new > notes.txt" } }] } : "Done.",
  });
  const options = { allowedTools: ["Bash"], enableFileCheckpointing: true };
  const engine = await openOn(ground, model, options);
  await turn(engine, "Write it.");
  await engine.dispose();
  return { id: engine.getSessionId(), path: engine.getTranscriptPath()! };
}

/** All was used `hours` ago. */
function age(folder: string, hours: number): string[] {
  const at = Date.now() / 1_000 - hours * 60 * 60;
  const names = readdirSync(folder);
  for (const name of names) utimesSync(join(folder, name), at, at);
  return names;
}

// Seen: deleting sessions freed no space for a month, and the contents of deleted files stayed as long.
test.each(["delete", "prune"] as const)(
  "%s frees a session's stored file contents, except those that another session relies on",
  async (how) => {
    const ground = layGround();
    writeFileSync(join(ground.work, "notes.txt"), "a secret");
    const first = await past(ground);
    const second = await past(ground);
    const folder = join(dirname(first.path), "snapshots");
    const env = { HOME: ground.home, PAWL_HOME: ground.pawlHome };
    const remove = async ({ id, path }: { id: string; path: string }): Promise<void> => {
      const desk = new StoredSessionsDesk({ cwd: ground.work, env, now: () => Date.now() });
      if (how === "delete") return await deleteSession(id, { dir: ground.work, home: ground.home, env });
      const hour = 60 * 60;
      const old = Date.now() / 1_000 - 2 * hour;
      utimesSync(path, old, old);
      const asked = { olderThan: hour * 1_000, everywhere: false };
      await desk.prune({ ...asked, dryRun: true });
      expect((await desk.prune({ ...asked, dryRun: false })).removed).toHaveLength(1);
    };
    expect(age(folder, 2).length).toBeGreaterThan(1);
    await remove(first);
    // The other one began from what the first one kept.
    expect(readdirSync(folder).some((name) => name.endsWith(".pack"))).toBe(true);
    age(folder, 2);
    await remove(second);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("recently stored contents stay, because a running session may be about to rely on them", async () => {
  const ground = layGround();
  writeFileSync(join(ground.work, "notes.txt"), "a text");
  const { id, path } = await past(ground);
  const folder = join(dirname(path), "snapshots");
  const kept = age(folder, 0.5);
  await deleteSession(id, { dir: ground.work, home: ground.home, env: {} });
  expect(readdirSync(folder)).toEqual(kept);
});
