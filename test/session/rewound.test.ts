// What a rewind of single files leaves behind: modes as they were, no folder that tools have made, and no word too many.
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Reply } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const uuid = "aaaaaaaa-0000-4000-8000-000000000001";
const write = (path: string, content: string): Reply => ({
  content: [{ tool: "Write", input: { file_path: path, content } }],
});

test.each([{}, { enableFileCheckpointing: true }])(
  "a rewind removes folders that a tool created for its file, but not in a dry run: %j",
  async (scope) => {
    const ground = layGround();
    const path = join(ground.work, "new/deep/a.txt");
    const { engine } = await openSession(
      { steps: [write(path, "a"), "Done."] },
      { permissionMode: "acceptEdits", ...scope },
      ground,
    );
    await turn(engine, "Go.", { uuid });
    await engine.rewindFiles(uuid, { dryRun: true });
    expect(existsSync(path)).toBe(true);
    const { canRewind, filesChanged, error } = await engine.rewindFiles(uuid);
    expect({ canRewind, filesChanged, error }).toEqual({ canRewind: true, filesChanged: [path], error: undefined });
    expect(existsSync(join(ground.work, "new"))).toBe(false);
  },
);

test("a rewind restores the mode of a file whose content is already as it was", async () => {
  const ground = layGround();
  const path = ground.file("run.sh", "one\n");
  chmodSync(path, 0o755);
  const steps = [{ content: [{ tool: "Read", input: { file_path: path } }] }, write(path, "two\n"), "Done."];
  const { engine } = await openSession({ steps }, { permissionMode: "acceptEdits" }, ground);
  await turn(engine, "Go.", { uuid });
  writeFileSync(path, "one\n");
  chmodSync(path, 0o600);
  expect((await engine.rewindFiles(uuid)).filesChanged).toEqual([path]);
  expect(statSync(path).mode & 0o777).toBe(0o755);
  expect((await engine.rewindFiles(uuid)).filesChanged).toEqual([]);
});
