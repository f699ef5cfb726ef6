// A disk that is full or fails at every write of a run, a real one of a few kilobytes, and as few open files as can be.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  expectRecovery,
  expectHandledRefusal,
  listRefusedCalls,
  runWithRefusedCall,
  type RefusedCall,
} from "../support/faults/refused-calls.ts";
import { runPooled } from "../support/faults/pool.ts";
import { forkRun, promptsRun, repairRun, shortRun, toolRun } from "../support/faults/scenarios.ts";
import {
  expectPlainStderr,
  expectSuccess,
  resumeSession,
  initialFiles,
  prepareWorld,
  requestProblems,
  runInShell,
  testSessionId,
  usualArguments,
  type Scenario,
} from "../support/faults/world.ts";
import {
  unprivilegedShellLine,
  mountSmallDisk,
  canNodeRunWithLimit,
  fileLimitShellLine,
} from "../support/faults/system.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

const cases: readonly { scenario: Scenario; codes: string[] }[] = [
  { scenario: toolRun, codes: ["ENOSPC"] },
  { scenario: promptsRun, codes: ["EIO"] },
  { scenario: shortRun, codes: ["EDQUOT", "EMFILE", "EROFS", "EACCES"] },
  { scenario: repairRun, codes: ["ENOSPC"] },
  { scenario: forkRun, codes: ["ENOSPC"] },
];

describe.each(cases)("$codes at every write of $scenario.name", ({ scenario, codes }) => {
  test("is reported in one sentence, and the session can be continued afterwards", { timeout: 3_600_000 }, async () => {
    const list = await listRefusedCalls(scenario, codes, cache);
    const codesSeen: Record<number, number> = {};
    const failures = await runPooled<RefusedCall>(list, 3, async (refusal) => {
      const code = await runWithRefusedCall(refusal, cache);
      codesSeen[code] = (codesSeen[code] ?? 0) + 1;
    });
    console.log(
      `disk: ${scenario.name} ${codes.join(" ")}: ${list.length} refusals, exit codes ${JSON.stringify(codesSeen)}`,
    );
    expect(failures.map(({ error }) => error.message).join("\n\n")).toBe("");
    expect(list.length).toBeGreaterThan(20);
  });
});

describe("a real disk of a few kilobytes", () => {
  const sizes = Array.from({ length: 24 }, (_, step) => 4 + 12 * step);

  test(
    "under the transcripts is reported in one sentence, and the session can be continued once there is room",
    { timeout: 900_000 },
    async ({ skip }) => {
      const codes: Record<number, number> = {};
      for (const size of sizes) {
        const world = await prepareWorld(toolRun, cache);
        const disk = mountSmallDisk(join(world.place.home, ".pawl"), size);
        try {
          if (disk === null) skip("this user may not mount a tmpfs");
          const ended = await world.run(toolRun.args);
          codes[ended.code ?? -1] = (codes[ended.code ?? -1] ?? 0) + 1;
          expectHandledRefusal(ended, `${size} KiB`);
          disk?.grow();
          await expectRecovery(world, toolRun, ended, `${size} KiB`);
        } finally {
          disk?.unmount();
          await world.clear();
        }
      }
      console.log(
        `disk: ${sizes.length} sizes of a real disk under the transcripts, exit codes ${JSON.stringify(codes)}`,
      );
      expect(codes[1]).toBeGreaterThan(5);
    },
  );

  test("under the working folder is reported to the model, which continues", { timeout: 300_000 }, async ({ skip }) => {
    for (const size of [4, 8]) {
      const world = await prepareWorld(shortRun, cache);
      const disk = mountSmallDisk(world.place.folder, size);
      try {
        if (disk === null) skip("this user may not mount a tmpfs");
        writeFileSync(join(world.place.folder, "fill"), Buffer.alloc(size * 1024 - 4096));
        if (size > 4) writeFileSync(join(world.place.folder, "notes.txt"), "a note\n");
        const ended = await world.run([
          ...usualArguments,
          "--max-turns",
          "6",
          "--session-id",
          testSessionId,
          "--",
          "go",
        ]);
        expect(ended.code, ended.stderr).toBe(3);
        expectPlainStderr(ended.stderr, `${size} KiB`);
        expect(JSON.stringify(ended.lines)).toMatch(/ENOSPC|no space|disk is full/);
        disk?.grow();
        writeFileSync(join(world.place.folder, "notes.txt"), "a note\n");
        expectSuccess(await resumeSession(world), `${size} KiB`);
        expect(requestProblems(world.server)).toEqual([]);
      } finally {
        disk?.unmount();
        await world.clear();
      }
    }
  });
});

test("a run with very few open files works, or reports it in one sentence", { timeout: 600_000 }, async () => {
  const codes: Record<string, number> = {};
  for (let most = 12; most <= 40; most++) {
    if (!canNodeRunWithLimit(most)) continue;
    const world = await prepareWorld(toolRun, cache);
    try {
      const where = `${most} open files`;
      const ended = await runInShell(world.place, fileLimitShellLine(most), ["--max-turns", "30", ...toolRun.args], {
        CLAUDE_CODE_MAX_RETRIES: "1",
      });
      codes[`${ended.code}`] = (codes[`${ended.code}`] ?? 0) + 1;
      expectHandledRefusal(ended, where);
      await expectRecovery(world, toolRun, ended, where);
    } finally {
      await world.clear();
    }
  }
  console.log(`handles: limits of 12 to 40 open files, exit codes ${JSON.stringify(codes)}`);
  expect(codes["0"]).toBeGreaterThan(3);
});

describe("a read-only folder", () => {
  test("as the home is reported in one sentence, and does not matter if nothing is kept", async ({ skip }) => {
    const line = unprivilegedShellLine();
    if (line === null) skip("there is no way to be another user here");
    const world = await prepareWorld(shortRun, cache);
    try {
      const { place } = world;
      chmodSync(join(place.folder, ".."), 0o755);
      chmodSync(place.home, 0o555);
      chmodSync(place.folder, 0o777);
      for (const [file] of initialFiles) chmodSync(join(place.folder, file), 0o666);
      const env = { XDG_CACHE_HOME: join(place.home, "cache") };
      const refused = await runInShell(place, line ?? "", shortRun.args, env);
      expectHandledRefusal(refused, "a home that may only be read");
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/^pawl: The session cannot be kept in [^\n]+PAWL_HOME[^\n]+\n$/);
      const unkept = await runInShell(
        place,
        line ?? "",
        [...usualArguments, "--no-session-persistence", "--", "go"],
        env,
      );
      expectSuccess(unkept, "nothing kept");
      expect(requestProblems(world.server)).toEqual([]);
    } finally {
      await world.clear();
    }
  });

  test("as the working folder is reported to the model, and the session is kept", async ({ skip }) => {
    const line = unprivilegedShellLine();
    if (line === null) skip("there is no way to be another user here");
    const world = await prepareWorld(shortRun, cache);
    try {
      const { place } = world;
      chmodSync(join(place.folder, ".."), 0o755);
      chmodSync(place.home, 0o777);
      mkdirSync(join(place.home, ".pawl"), { mode: 0o777 });
      chmodSync(join(place.home, ".pawl"), 0o777);
      chmodSync(place.folder, 0o555);
      const args = [...usualArguments, "--max-turns", "6", "--session-id", testSessionId, "--", "go"];
      const ended = await runInShell(place, line ?? "", args, { XDG_CACHE_HOME: join(place.home, "cache") });
      expect(ended.code, ended.stderr).toBe(3);
      expectPlainStderr(ended.stderr, "read-only folder");
      expect(JSON.stringify(ended.lines)).toMatch(/EACCES|ermission denied/);
      chmodSync(place.folder, 0o777);
      expectSuccess(await resumeSession(world), "writable again");
      expect(requestProblems(world.server)).toEqual([]);
    } finally {
      await world.clear();
    }
  });
});
