// What a killed process left among the system's temporary files, and what that says of the working folder, goes with the next session.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** As a process of this machine leaves it that was killed; `pid` null: of one that lives. */
function left(ground: Ground, name: string, pid?: number | null): string {
  return leftIn(join(ground.home, "t"), name, pid);
}

function leftIn(temporary: string, name: string, pid: number | null = 2 ** 22 + 1): string {
  const folder = join(temporary, name);
  mkdirSync(folder, { recursive: true });
  const { host, space } = nodeProcesses;
  writeFileSync(join(folder, "owner.json"), JSON.stringify({ pid: pid ?? process.pid, host, space }));
  return folder;
}

const command = "seq 1 20000";
const steps = [{ content: [{ tool: "Bash", input: { command } }] }];

test("the output folder of a dead process is removed, but none whose owner is unknown", async () => {
  const ground = layGround();
  const folders = [
    left(ground, "pawl-01234567-1111-4222-8333-444444444444"),
    left(ground, "pawl-76543210-1111-4222-8333-444444444444", null),
    left(ground, "pawl-other-01234567"),
  ];
  const env = { CLAUDE_CODE_TMPDIR: join(ground.home, "t") };
  const options = { env, persistSession: false, permissionMode: "bypassPermissions" as const };
  const engine = await openOn(ground, scripted({ steps, fallback: "Done." }), options);
  expect((await turn(engine, "Count.")).result.subtype).toBe("success");
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true]);
  const own = readdirSync(env.CLAUDE_CODE_TMPDIR).find((name) => !folders.includes(join(env.CLAUDE_CODE_TMPDIR, name)));
  expect(readdirSync(join(env.CLAUDE_CODE_TMPDIR, own ?? ""))).toContain("owner.json");
  await engine.dispose();
  expect(readdirSync(env.CLAUDE_CODE_TMPDIR)).toHaveLength(2);
});

// Seen: 200 sessions of one process each looked at the folders of all the others.
test("leftovers are searched for once per process, however many sessions have long output", async () => {
  const ground = layGround();
  const env = { CLAUDE_CODE_TMPDIR: join(ground.home, "t") };
  const options = { env, persistSession: false, permissionMode: "bypassPermissions" as const };
  const lefts: boolean[] = [];
  for (const name of ["pawl-01234567-1111-4222-8333-444444444444", "pawl-76543210-1111-4222-8333-444444444444"]) {
    const folder = left(ground, name);
    await turn(await openOn(ground, scripted({ steps, fallback: "Done." }), options), "Count.");
    lefts.push(existsSync(folder));
  }
  expect(lefts).toEqual([false, true]);
});

test("empty folders that a sandbox made in place of settings are removed, but nobody else's", async () => {
  const ground = layGround();
  const [ours, theirs, others] = [".claude", ".pawl", "empty"].map((name) => join(ground.work, name));
  for (const folder of [ours, theirs, others]) mkdirSync(folder!);
  writeFileSync(join(theirs!, "settings.json"), "{}");
  // The path of a socket is short: the sandbox has its own in no folder of a long one.
  const short = mkdtempSync("/tmp/pawl-");
  onTestFinished(() => rmSync(short, { recursive: true, force: true }));
  const base = leftIn(short, "pawl-sandbox-01234567");
  writeFileSync(join(base, "kept-empty.json"), JSON.stringify([ours, theirs, others, 7, ".claude"]));
  const settings = JSON.stringify({ sandbox: { enabled: true } });
  const env = { CLAUDE_CODE_TMPDIR: short };
  await openOn(ground, scripted({ fallback: "Done." }), { env, settings });
  expect([ours, theirs, others, base].map((path) => existsSync(path!))).toEqual([false, true, true, false]);
});
