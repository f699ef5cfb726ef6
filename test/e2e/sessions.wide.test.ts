// Sessions as people use and break them: continued, resumed, forked, shared, damaged, on a disk that is full.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandWords } from "./command.ts";
import { atWire, calls, refusals, says } from "./support/ask.ts";
import type { Ended, Place } from "./support/place.ts";
import { messageEvents, type Answer } from "./support/wire.ts";

const session = "0a0a0a0a-1111-4222-8333-444444444444";
const counting = (_: unknown, at: number): Answer => says(`answer ${at}`);

function transcriptsOf(place: Place): string[] {
  const root = join(place.home, ".pawl", "projects");
  if (!existsSync(root)) return [];
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(root, file));
}

function refusal(end: Ended): string {
  expect([end.code, end.stdout]).toEqual([2, ""]);
  expect(end.stderr).toMatch(/^pawl: [^\n]+\n$/);
  return end.stderr;
}

describe("continuing a session", () => {
  test("works by --continue, --resume and --fork-session, each with its own history", () =>
    atWire(counting, async (place, server) => {
      const said = async (...args: string[]): Promise<string> => (await place.run(["-p", ...args, "--", "x"])).stdout;
      const roles = (): number => server.requests.at(-1)!.body.messages.length;
      expect([await said("--session-id", session), roles()]).toEqual(["answer 0\n", 1]);
      expect([await said("--continue"), roles()]).toEqual(["answer 1\n", 3]);
      expect([await said("--resume", session, "--fork-session"), roles()]).toEqual(["answer 2\n", 5]);
      expect([await said("--resume", session), roles()]).toEqual(["answer 3\n", 5]);
      expect([await said("--resume", session, "--no-session-persistence"), roles()]).toEqual(["answer 4\n", 7]);
      expect([await said("--resume", session), roles()]).toEqual(["answer 5\n", 7]);
      const files = transcriptsOf(place);
      expect(files).toHaveLength(2);
      expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    }));

  test("is refused if the session does not exist or the flags contradict each other", () =>
    atWire(counting, async (place) => {
      await place.run(["-p", "--session-id", session, "x"]);
      const refused = async (...args: string[]): Promise<string> =>
        refusal(await place.run(["-p", ...args, "--", "x"]));
      expect(await refused("--session-id", session)).toContain("exists already");
      expect(await refused("--resume", "0c0c0c0c-1111-4222-8333-444444444444")).toContain("No conversation found");
      expect(await refused("--resume", "../../../etc/passwd")).toContain("No conversation found");
      expect(await refused("--resume", session, "--continue")).toContain("use one");
      expect(await refused("--session-id", "nope")).toContain("UUID");
      mkdirSync(join(place.folder, "elsewhere"));
      const elsewhere = await place.run(["-p", "--continue", "x"], { cwd: join(place.folder, "elsewhere") });
      expect(refusal(elsewhere)).toContain("no session of this folder");
    }));

  test("is refused while another process has it; it may be forked, or resumed once that process is gone", () => {
    const opening = messageEvents([{ type: "text", text: "x" }]).slice(0, 3);
    const answers = [{ kind: "stream", events: opening, last: "hang" } as const, says("two")];
    return atWire(answers, async (place, server) => {
      const first = place.start(["-p", "--session-id", session, "x"]);
      await server.whenAsked(1);
      const second = await place.run(["-p", "--resume", session, "x"]);
      expect(refusal(second)).toContain(`process ${first.child.pid}`);
      expect(refusal(await place.run(["-p", "--continue", "x"]))).toContain(`process ${first.child.pid}`);
      expect((await place.run(["-p", "--resume", session, "--fork-session", "x"])).stdout).toBe("two\n");
      first.child.kill("SIGKILL");
      await first.ended;
      expect((await place.run(["-p", "--resume", session, "x"])).stdout).toBe("two\n");
    });
  });

  test("is not disturbed by six runs at once in one folder", () =>
    atWire(counting, async (place) => {
      const ends = await Promise.all(Array.from({ length: 6 }, () => place.run(["-p", "x"])));
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(transcriptsOf(place)).toHaveLength(6);
    }));
});

describe("a damaged transcript is resumed with what is left, and the damage is reported", () => {
  const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
  const joined = (list: readonly string[]): string => `${list.join("\n")}\n`;
  test.each<[what: string, spoil: (text: string) => string | Buffer, told: RegExp | null]>([
    ["cut in its last line", (text) => text.slice(0, -20), /last line was cut off/],
    ["with a line of rubbish", (text) => joined(lines(text).with(3, "rubbish\u0000")), /1 unreadable line/],
    ["with a line less", (text) => joined(lines(text).toSpliced(5, 1)), /1 gap/],
    ["with every line twice", (text) => joined(lines(text).flatMap((line) => [line, line])), /unreadable lines/],
    ["backwards", (text) => joined(lines(text).toReversed()), /gaps/],
    [
      "with JSON values that are not records around it",
      (text) => `null\n[]\n7\n${text}{}\n"x"\n`,
      /5 unreadable lines/,
    ],
    ["of binary bytes", () => Buffer.alloc(5000, 7), /holds no messages/],
    ["that is empty", () => "", /holds no messages/],
    ["with other line ends", (text) => text.replaceAll("\n", "\r\n"), null],
    ["without its last line end", (text) => text.trimEnd(), null],
  ])("%s", async (_, spoil, told) => {
    const answers = (_asked: unknown, at: number): Answer =>
      at === 0 ? calls(["Glob", { pattern: "*" }]) : says("on");
    await atWire(answers, async (place) => {
      await place.run(["-p", "--session-id", session, "x"]);
      const [file] = transcriptsOf(place) as [string];
      writeFileSync(file, spoil(readFileSync(file, "utf8")));
      const copy = await place.run(["-p", "--resume", session, "--fork-session", "y"]);
      expect([copy.code, copy.stdout]).toEqual([0, "on\n"]);
      if (String(told).includes("unreadable")) expect(copy.stderr).toContain("The transcript was damaged");
      const { code, stdout, stderr } = await place.run(["-p", "--resume", session, "y"]);
      expect([code, stdout]).toEqual([0, "on\n"]);
      if (told === null) expect(stderr).not.toMatch(/damaged|no messages/);
      else expect(stderr).toMatch(told);
      // And once more, from what that run has left.
      expect((await place.run(["-p", "--resume", session, "z"])).code).toBe(0);
    });
  });
});

test("a full disk ends the run, and the session can be resumed once there is room", () => {
  const answers = (_: unknown, at: number): Answer =>
    at < 30 ? calls(["Glob", { pattern: "x".repeat(3_000) }]) : says("done");
  return atWire(answers, async (place, server) => {
    const words = [process.execPath, ...commandWords(), "-p", "--session-id", session, "x"];
    const child = spawn("bash", ["-c", 'ulimit -f 30; "$@"', "bash", ...words], {
      cwd: place.folder,
      env: place.env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const stderr = Buffer.concat(await child.stderr.toArray()).toString();
    expect(stderr).toMatch(/could not be written.*intact/);
    const before = server.requests.length;
    const { code, stdout } = await place.run(["-p", "--resume", session, "go on"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(refusals(server.requests.slice(before))).toEqual([]);
  });
});

test("an unwritable home is reported at once, and does not matter with --no-session-persistence", () =>
  atWire([says("ok")], async (place) => {
    writeFileSync(join(place.home, ".pawl"), "a file");
    expect(refusal(await place.run(["-p", "x"]))).toContain("cannot be kept in");
    expect((await place.run(["-p", "--no-session-persistence", "x"])).stdout).toBe("ok\n");
  }));
