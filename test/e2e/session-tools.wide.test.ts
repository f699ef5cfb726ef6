// `pawl sessions` over what real runs of the command left.
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { runSessions } from "../../src/cli/sessions-command.ts";
import { UsageError } from "../../src/lib/usage-error.ts";
import { atWire, calls, says } from "./support/ask.ts";
import type { Place } from "./support/place.ts";
import { messageEvents, type Answer } from "./support/wire.ts";

const idOf = (n: number): string => `${n}a0a0a0a-1111-4222-8333-444444444444`;
const answers = (_: unknown, at: number): Answer =>
  at === 0 ? calls(["Glob", { pattern: "*.md" }]) : says(`It is \u001b[31mred\u001b[0m, heron ${at}.`);

function transcript(place: Place, n: number): string {
  const root = join(place.home, ".pawl", "projects");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  return join(root, files.find((file) => file.endsWith(`${idOf(n)}.jsonl`)) ?? "none");
}

interface Answered {
  code: number;
  stdout: string;
  stderr: string;
}

/** As the command answers, in this process: one of its own for each would take most of the test's time. */
async function asked(place: Place, ...words: string[]): Promise<Answered> {
  const stdout = new PassThrough();
  const notices: string[] = [];
  const env = { ...place.env };
  try {
    const command = parseArguments(["sessions", ...words]);
    if (command.kind !== "sessions") throw new Error(command.kind);
    const world = { cwd: place.folder, env, now: () => Date.now(), onNotice: (text: string) => notices.push(text) };
    const [code, text] = await Promise.all([
      runSessions(command.sessions, world, stdout).finally(() => stdout.end()),
      stdout.toArray(),
    ]);
    return { code, stdout: Buffer.concat(text as Buffer[]).toString(), stderr: notices.join("\n") };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: 2, stdout: "", stderr: [error.message, ...error.choices].join("\n") };
  }
}

async function ran(place: Place, ...words: string[]): Promise<Answered> {
  const answered = await asked(place, ...words);
  expect([words, answered.code, answered.stderr]).toEqual([words, 0, ""]);
  return answered;
}

async function refused(place: Place, ...words: string[]): Promise<string> {
  const { code, stderr } = await asked(place, ...words);
  expect([words, code]).toEqual([words, 2]);
  return stderr;
}

describe("pawl sessions", () => {
  test("lists, searches, renames, tags, archives and shows sessions", () =>
    atWire(answers, async (place) => {
      await place.run(["-p", "--session-id", idOf(1), "Which notes are there?"]);
      await place.run(["-p", "--session-id", idOf(2), "--name", "Second one", "Tidy up"]);
      expect((await ran(place)).stdout).toMatch(
        /^2a0a0a0a {2}just now {5}Second one\n1a0a0a0a {2}just now {5}Which notes are there\?\n$/,
      );
      expect((await ran(place, "--search", "NOTES heron")).stdout).toMatch(/^1a0a0a0a .*\n {4}.*notes/i);
      expect((await asked(place, "--search", "stork")).stderr).toContain("No session matches in this folder");
      await ran(place, "rename", "1a0a", "The", "notes");
      await ran(place, "tag", "The notes", "keep");
      const list = JSON.parse((await ran(place, "list", "--json", "--tag", "keep")).stdout) as object[];
      expect(list).toEqual([expect.objectContaining({ sessionId: idOf(1), customTitle: "The notes", tag: "keep" })]);
      await ran(place, "untag", "1a0a");
      await ran(place, "archive", "2a0a");
      expect((await ran(place)).stdout).not.toContain("Second one");
      expect((await ran(place, "list", "--all")).stdout).toContain("Second one (archived)");
      expect((await ran(place, "show", "The notes")).stdout).toMatch(/title +The notes\n[^]*prompts +1\n[^]*cost +\$/);
      expect(await refused(place, "show", "nothing")).toContain("No conversation found");
      expect((await ran(place, "reindex")).stdout).toBe("2 sessions are in the index.\n");
    }));

  test("lists the candidates if a title fits several sessions", () =>
    atWire(answers, async (place) => {
      for (const n of [1, 2]) await place.run(["-p", "--session-id", idOf(n), "--name", "Same", "x"]);
      const told =
        /^pawl: Several sessions have the title "Same"[^\n]*\npawl: {3}2a0a[^\n]*Same[^\n]*\npawl: {3}1a0a[^\n]*\n$/;
      expect(await refused(place, "show", "Same")).toMatch(/^Several[^\n]*\n2a0a[^\n]*Same[^\n]*\n1a0a[^\n]*$/);
      const { code, stderr } = await place.run(["-p", "--resume", "Same", "y"]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(told)]);
    }));

  test("copies a session up to a message, and the copy can be resumed", () =>
    atWire(answers, async (place, server) => {
      await place.run(["-p", "--session-id", idOf(1), "Which notes are there?"]);
      const lines = readFileSync(transcript(place, 1), "utf8").split("\n");
      const call = JSON.parse(lines.find((line) => line.includes('"type":"tool_use"')) ?? "") as { uuid: string };
      const copy = (await ran(place, "fork", "1a0a", "--at", call.uuid, "--title", "From here")).stdout.trim();
      const ended = await place.run(["-p", "--resume", "From here", "And?"]);
      expect(ended.code).toBe(0);
      const sent = server.requests.at(-1)!.body.messages;
      expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(existsSync(transcript(place, 1).replace(idOf(1), copy))).toBe(true);
      expect(await refused(place, "fork", "1a0a", "--at", "nobody")).toContain("has no message nobody");
      const again = await place.run(["-p", "--resume", "1a0a", "--resume-session-at", call.uuid, "Once more"]);
      expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("goes on after the message")]);
    }));

  test("exports a session as Markdown and as JSON", () =>
    atWire(answers, async (place) => {
      await place.run(["-p", "--session-id", idOf(1), "Which ```notes``` are there?"]);
      const markdown = (await ran(place, "export", "1a0a")).stdout;
      expect(markdown).toMatch(
        /^# Which ```notes``` are there\?\n[^]*## User\n\nWhich[^]*## Assistant\n[^]*\*\*Glob\*\*[^]*Result of Glob:[^]*heron 1/,
      );
      expect(markdown).not.toContain("\u001b");
      await ran(place, "export", "1a0a", "--format", "json", "-o", join(place.folder, "talk.json"));
      const file = join(place.folder, "talk.json");
      const said = JSON.parse(readFileSync(file, "utf8")) as {
        session: object;
        messages: { type: string; uuid: string }[];
      };
      expect(said.session).toMatchObject({ sessionId: idOf(1) });
      expect(said.messages.map(({ type }) => type)).toEqual(expect.arrayContaining(["user", "assistant", "system"]));
      expect(new Set(said.messages.map(({ uuid }) => uuid)).size).toBe(said.messages.length);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(await refused(place, "export", "1a0a", "-o", join(place.folder, "talk.json"))).toContain(
        "is there already, and is not replaced: name another file, or give --force.",
      );
      await ran(place, "export", "1a0a", "-o", join(place.folder, "talk.json"), "--force");
      expect(readFileSync(file, "utf8")).toBe(markdown);
      const full = join(place.folder, "full");
      symlinkSync("/dev/full", full);
      const onFull = await place.run(["sessions", "export", "1a0a", "-o", full, "--force"]);
      expect([onFull.code, onFull.stderr]).toEqual([
        2,
        `pawl: ${full} cannot be written: the disk is full (ENOSPC).\n`,
      ]);
      expect(readlinkSync(full)).toBe("/dev/full");
      expect(await refused(place, "export", "1a0a", "-o", join(place.folder, "no/where.md"))).toContain(
        "cannot be written: there is no such file or folder (ENOENT).",
      );
    }));

  test("removes old sessions, but none that is open", () => {
    const opening = messageEvents([{ type: "text", text: "x" }]).slice(0, 3);
    const hanging = { kind: "stream", events: opening, last: "hang" } as const;
    return atWire(
      (_, at) => (at === 2 ? hanging : says("ok")),
      async (place, server) => {
        for (const n of [1, 2]) await place.run(["-p", "--session-id", idOf(n), `prompt ${n}`]);
        const open = place.start(["-p", "--session-id", idOf(3), "prompt 3"]);
        await server.whenAsked(3);
        const long = Date.now() / 1000 - 40 * 24 * 3600;
        for (const n of [1, 3]) utimesSync(transcript(place, n), long, long);
        const dry = await asked(place, "prune", "--older-than", "30d", "--dry-run");
        expect(dry.stdout).toMatch(/prompt 1\n1 session would be removed\.\n$/);
        expect(dry.stderr).toContain(`${idOf(3)} is kept`);
        expect(existsSync(transcript(place, 1))).toBe(true);
        expect(await refused(place, "delete", "3a0a")).toContain(`process ${open.child.pid}`);
        const pruned = await asked(place, "prune", "--older-than", "30d");
        expect(pruned.stdout).toMatch(/1 session was removed\.\n$/);
        expect(existsSync(transcript(place, 3))).toBe(true);
        open.child.kill("SIGKILL");
        await open.ended;
        expect((await ran(place, "delete", "2a0a", idOf(3))).stdout).toBe(`deleted ${idOf(2)}\ndeleted ${idOf(3)}\n`);
        expect((await asked(place)).stderr).toContain("There are no sessions in this folder");
        expect(
          readdirSync(join(place.home, ".pawl", "projects"), { recursive: true, encoding: "utf8" }).filter((name) =>
            name.includes("a0a0a0a"),
          ),
        ).toEqual([]);
      },
    );
  });

  test("works in parallel and over a damaged index, and explains wrong arguments", () =>
    atWire(answers, async (place) => {
      await place.run(["-p", "--session-id", idOf(1), "x"]);
      const both = await Promise.all([1, 2, 3].map(() => place.run(["sessions", "--search", "x"])));
      expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ""],
        [0, ""],
        [0, ""],
      ]);
      expect(new Set(both.map(({ stdout }) => stdout)).size).toBe(1);
      writeFileSync(join(place.home, ".pawl", "projects", ".index", "sessions.sqlite"), "garbage");
      expect((await ran(place)).stdout).toContain("1a0a0a0a");
      expect(await refused(place, "sing")).toContain('not "sing"');
      expect(await refused(place, "prune")).toContain("needs --older-than");
      expect(await refused(place, "prune", "--older-than", "old")).toContain("an age such as 30d");
      expect(await refused(place, "show", "1a0a", "--at", "x")).toContain("pawl sessions show does not take --at");
    }));
});
