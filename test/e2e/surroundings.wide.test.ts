// Files and variables found in folder, home and environment: none of them runs, leaks, or stops the run.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atWire, calls, resultsIn, says } from "./support/ask.ts";
import type { Place } from "./support/place.ts";
import { blocksOf } from "./support/strict.ts";
import type { WireServer } from "./support/wire.ts";

function contextOf(server: WireServer): string {
  return String(blocksOf(server.requests.at(-1)!.body.messages[0]!)[0]?.["text"]);
}

describe("an instruction file does not stop the run", () => {
  const at = (place: Place): string => join(place.folder, "CLAUDE.md");
  test.each<[what: string, make: (place: Place) => void, told: RegExp | null, text: RegExp | null]>([
    ["plain", (place) => void place.write("CLAUDE.md", "Be brief."), null, /Be brief\./],
    ["of ten megabytes", (place) => void place.write("CLAUDE.md", "line\n".repeat(2_000_000)), /larger than/, null],
    ["binary", (place) => void place.write("CLAUDE.md", Buffer.from([0, 255, 1])), /not text/, null],
    ["a pipe without a writer", (place) => void spawnSync("mkfifo", [at(place)]), /not a regular file/, null],
    ["a link to endless bytes", (place) => symlinkSync("/dev/zero", at(place)), /outside the project/, null],
    ["a link to another user's secrets", (place) => symlinkSync("/etc/passwd", at(place)), /outside the project/, null],
    ["a folder", (place) => mkdirSync(at(place)), /not a regular file/, null],
    [
      "a link to itself",
      (place) => symlinkSync("CLAUDE.md", at(place)),
      /is a link to something that does not exist/,
      null,
    ],
    ["with invisible words", (place) => void place.write("CLAUDE.md", "a\u001b[31mb\u202ec"), /invisible/, /a\[31mbc/],
  ])("%s", (_, make, told, text) =>
    atWire([says("ok")], async (place, server) => {
      make(place);
      const { code, stderr } = await place.run(["-p", "x"]);
      expect(code).toBe(0);
      if (told === null) expect(stderr).not.toContain("CLAUDE.md");
      else expect(stderr).toMatch(told);
      if (text === null) expect(contextOf(server)).not.toContain("CLAUDE.md");
      else expect(contextOf(server)).toMatch(text);
    }),
  );
});

test.each<[string[], Record<string, string>]>([
  [["--safe-mode"], {}],
  [[], { CLAUDE_CODE_SAFE_MODE: "1" }],
])("a safe session, by %j and %j, has all tools but no instructions and no hooks", (flags, env) =>
  atWire([says("ok")], async (place, server) => {
    place.write("CLAUDE.md", "MARK-OF-MEMORY");
    const hook = { hooks: [{ type: "command", command: `touch "${place.home}/ran"` }] };
    place.write("../home/.claude/settings.json", JSON.stringify({ hooks: { SessionStart: [hook] } }));
    expect((await place.run(["-p", ...flags, "x"], { env })).code).toBe(0);
    const [{ body }] = server.requests as [WireServer["requests"][number]];
    expect(JSON.stringify(body)).not.toContain("MARK-OF");
    expect(JSON.stringify(body.tools)).toContain('"Glob"');
    expect(readdirSync(place.home)).not.toContain("ran");
  }),
);

test("no program that a repository's git configuration names is run", () =>
  atWire([says("ok")], async (place, server) => {
    const git = (...args: string[]): void => {
      const { status, stderr } = spawnSync("git", args, { cwd: place.folder, encoding: "utf8", env: place.env });
      if (status !== 0) throw new Error(stderr);
    };
    git("init", "-q");
    place.write("tracked", "one");
    git("add", ".");
    git("-c", "user.email=a@b", "-c", "user.name=n", "commit", "-qm", "first commit");
    place.write("tracked", "two");
    place.write(".gitattributes", "* filter=evil diff=evil\n");
    const evil = place.write("../evil.sh", `#!/bin/sh\ntouch "${place.home}/ran"\n`, 0o755);
    const keys = ["core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean", "diff.evil.textconv"];
    for (const key of [...keys, "core.sshCommand", "credential.helper", "gpg.program"]) git("config", key, evil);
    for (const hook of ["post-index-change", "reference-transaction", "fsmonitor-watchman"])
      place.write(`.git/hooks/${hook}`, `#!/bin/sh\n${evil}\n`, 0o755);
    expect((await place.run(["-p", "x"])).code).toBe(0);
    expect(readdirSync(place.home)).not.toContain("ran");
    expect(JSON.stringify(server.requests[0]?.body.system)).toMatch(/first commit/);
  }));

test.each<[what: string, spoil: (place: Place) => void]>([
  ["a .git file that points nowhere", (place) => void place.write(".git", "gitdir: /dev/zero\n")],
  [
    "a .git pipe without a writer",
    (place) => void (place.write(".git/x", ""), spawnSync("mkfifo", [join(place.folder, ".git/HEAD")])),
  ],
])("%s does not hold a run up", (_, spoil) =>
  atWire([says("ok")], async (place) => {
    spoil(place);
    expect((await place.run(["-p", "x"])).stdout).toBe("ok\n");
  }),
);

describe("settings", () => {
  test.each<[what: string, settings: string, told: RegExp]>([
    ["that are not JSON", "{oops", /line 1 is not valid JSON/],
    ["whose file does not exist", "/no/such/file.json", /there is no file/],
    ["that are a list", "[]", /one JSON object/],
    ["whose deny rule cannot be read", '{"permissions":{"deny":["Bash("]}}', /deny rule "Bash\("/],
    ["whose deny list is not a list", '{"permissions":{"deny":"Bash"}}', /should be a list/],
  ])("%s stop pawl before any request", (_, settings, told) =>
    atWire([says("ok")], async (place, server) => {
      const { code, stdout, stderr } = await place.run(["-p", "--settings", settings, "x"]);
      expect([code, stdout, server.requests.length]).toEqual([2, "", 0]);
      expect(stderr).toMatch(told);
    }),
  );

  test("of an untrusted project are ignored, with a notice", () =>
    atWire([calls(["Bash", { command: "touch made" }]), says("ok")], async (place) => {
      place.write(
        ".claude/settings.json",
        '{"permissions":{"allow":["Bash"]},"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:9"}}',
      );
      place.write(".pawl/settings.json", "{oops");
      const { code, stderr } = await place.run(["-p", "x"]);
      expect(code).toBe(0);
      expect(stderr).toMatch(/not trusted[^\n]*1 allow rule[^\n]*\.claude\/settings\.json/);
      expect(stderr).toMatch(/\.pawl\/settings\.json[^\n]*everything but reading is asked about/);
      expect(readdirSync(place.folder)).not.toContain("made");
    }));

  test("of the user run hooks; those of a project run only once it is trusted", () =>
    atWire([calls(["Bash", { command: "ls" }]), says("ok")], async (place) => {
      mkdirSync(join(place.home, ".claude"));
      const guarding = (command: string) => ({
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
      });
      writeFileSync(join(place.home, ".claude/settings.json"), JSON.stringify(guarding("echo not today >&2; exit 2")));
      place.write(".claude/settings.json", JSON.stringify(guarding('touch "$CLAUDE_PROJECT_DIR/ran"')));
      const { stdout } = await place.run(["-p", "x", "--output-format", "stream-json"]);
      expect(stdout).toContain("not today");
      expect(readdirSync(place.folder)).not.toContain("ran");
      expect((await place.run(["trust", "list"])).stdout).toBe(
        "No folder is trusted. pawl trust add trusts the one you are in.\n",
      );
      expect((await place.run(["trust", "add"])).stdout).toContain("is trusted as it is now: 1 hook");
      expect((await place.run(["trust", "list"])).stdout).toContain(`${place.folder} (since `);
    }));

  test("of a trusted project run hooks until the files change", () =>
    atWire(
      [calls(["Bash", { command: "ls" }]), says("ok"), calls(["Bash", { command: "ls" }]), says("ok")],
      async (place) => {
        const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "sh hook.sh" }] }] };
        place.write(".claude/settings.json", JSON.stringify({ hooks }));
        place.write("hook.sh", "touch first");
        await place.run(["trust", "add"]);
        await place.run(["-p", "x"]);
        expect(readdirSync(place.folder)).toContain("first");
        place.write("hook.sh", "touch second");
        expect((await place.run(["-p", "x"])).stderr).toContain("is not trusted");
        expect(readdirSync(place.folder)).not.toContain("second");
      },
    ));
});

test("commands see no key, and no kept or shown text holds one", () =>
  atWire([calls(["Bash", { command: "env" }]), says("ok")], async (place, server) => {
    const secrets = {
      ANTHROPIC_AUTH_TOKEN: "tok-0123456789",
      ANTHROPIC_CUSTOM_HEADERS: "X-Secret: hidden-0123456789",
      CLAUDE_CODE_OAUTH_TOKEN: "oauth-0123456789",
    };
    const log = join(place.home, "debug.log");
    const end = await place.run(["-p", "--verbose", "--debug-file", log, "--allowed-tools", "Bash", "--", "x"], {
      env: secrets,
    });
    expect(end.code).toBe(0);
    const kept = spawnSync("grep", ["-rlE", "(wild|tok|hidden|oauth)-0123456789", place.home], { encoding: "utf8" });
    expect(kept.stdout).toBe("");
    expect(resultsIn(server.requests[1])[0]).toMatch(/^PATH=/m);
    expect([resultsIn(server.requests[1])[0], end.stdout, end.stderr].join()).not.toContain("0123456789");
  }));
