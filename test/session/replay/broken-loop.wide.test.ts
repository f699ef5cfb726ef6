// A replay is there to see a loop that decides otherwise: a copy of the source is broken, and replays a sound recording.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { clearGroundsAfterwards, disposeAll } from "../support.ts";
import { recorded, type Recorded } from "./support.ts";
import { sharedTemporaryFolder } from "../../support/temporary-folder.ts";

clearGroundsAfterwards();

const root = join(import.meta.dirname, "../../..");
const copy = sharedTemporaryFolder();
let session: Recorded;

beforeAll(async () => {
  for (const part of ["src", "bin", "package.json"]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const cut = { content: "a", stopReason: "max_tokens" };
  session = await recorded(
    { steps: [{ content: [{ tool: "Bash", input: { command: "echo" } }] }, cut, cut, "rest"], fallback: "Yes." },
    { hooks: { Stop: [{ callback: async () => ({ decision: "block", reason: "not yet" }) }] } },
  );
  await disposeAll();
});

function replayed(): { status: number | null; out: string } {
  const { ground, path } = session;
  const env = { PATH: process.env["PATH"], HOME: ground.home };
  const given = [join(copy, "bin/pawl.js"), "replay", path];
  const { status, stdout, stderr } = spawnSync(process.execPath, given, { cwd: ground.work, env, encoding: "utf8" });
  return { status, out: stdout + stderr };
}

function broken(file: string, from: string, to: string): { status: number | null; out: string } {
  const path = join(copy, "src", file);
  const whole = readFileSync(path, "utf8");
  expect(whole.split(from)).toHaveLength(2);
  writeFileSync(path, whole.replace(from, to));
  try {
    return replayed();
  } finally {
    writeFileSync(path, whole);
  }
}

test("replays the same decisions with the unmodified loop", () => {
  const { status, out } = replayed();
  expect(out).toMatch(/^session .*\n {2}turn 1 {2}same {2}next_turn → max_output_tokens_escalate → /);
  expect(out).toMatch(/\n1 turn: 1 the same\n$/);
  expect(status).toBe(0);
});

test("reports a loop that ignores a block by a stop hook", () => {
  const { status, out } = broken(
    "loop/decide.ts",
    "const verdict = fact.blocking.length > 0 ? afterBlock",
    "const verdict = fact.blocking.length > 1 ? afterBlock",
  );
  expect(out).toMatch(
    /first difference: decision in pass 4\n {6}recorded: .*stop_hook_blocking.*\n {6}today: {4}.*completed\n/,
  );
  expect(out).toMatch(/\n1 turn: 0 the same, 1 differs\n$/);
  expect(status).toBe(1);
});

test("reports a loop that does not ask again with a larger output limit", () => {
  const { status, out } = broken("loop/decide.ts", 'if (fact.cap !== "default" || ', 'if (fact.cap !== "custom" || ');
  expect(out).toMatch(
    /in pass 2\n {6}recorded: .*max_output_tokens_escalate.*\n {6}today: {4}.*max_output_tokens_recovery/,
  );
  expect(status).toBe(1);
});

test("reports a loop that leaves a tool result out of the request", () => {
  const { status, out } = broken(
    "loop/tool-batch.ts",
    "return [...messages, ...batch.notices(), ...batch.results()];",
    "return [...messages, ...batch.notices()];",
  );
  expect(out).toMatch(/DIFFERS/);
  expect(status).toBe(1);
});
