// What hooks write to CLAUDE_ENV_FILE is in the environment of the commands that follow.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const bash = (command: string): Part => ({ tool: "Bash", input: { command } });
const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];

async function run(hooks: object, commands: string[], options: EngineOptions = {}, ground = layGround()) {
  const model = scripted({ steps: commands.map((command) => ({ content: [bash(command)] })), fallback: "Done." });
  const notices: string[] = [];
  const engine = await openOn(ground, model, {
    settings: JSON.stringify({ hooks }),
    permissionMode: "bypassPermissions",
    onNotice: (text) => void notices.push(text),
    ...options,
  });
  const { result } = await turn(engine, "Go.");
  expect(result.subtype).toBe("success");
  const text = (name: string): string => readFileSync(join(ground.work, name), "utf8");
  return { ground, engine, notices, text };
}

test("commands get the variables that a SessionStart hook exports, except secrets and lines of others", async () => {
  const lines = [
    "export GREETING='hello there'",
    'export PATH="$PATH:/opt/own/bin"',
    'export TWICE="$GREETING $GREETING"',
    "export API_TOKEN=secret",
    "export BASH_ENV=/tmp/evil",
    "echo noise; false",
  ].join("\n");
  const { text, engine } = await run(
    { SessionStart: hook(`cat >> "$CLAUDE_ENV_FILE" <<'END'\n${lines}\nEND\necho "$CLAUDE_ENV_FILE" > place`) },
    ['echo "export SNEAKED=1" >> "$(cat place)"; env > seen', 'echo "$TWICE|$SNEAKED|$CLAUDE_ENV_FILE" > after'],
  );
  const seen = text("seen").split("\n");
  expect(seen).toContain("GREETING=hello there");
  expect(seen.find((line) => line.startsWith("PATH="))).toMatch(/:\/opt\/own\/bin$/u);
  expect(text("seen")).not.toMatch(/API_TOKEN|BASH_ENV/u);
  expect(text("after")).toBe("hello there hello there||\n");
  const place = text("place").trim();
  expect([statSync(place).mode & 0o777, statSync(dirname(place)).mode & 0o777]).toEqual([0o600, 0o700]);
  await engine.dispose();
  expect(existsSync(dirname(place))).toBe(false);
});

test("files of parallel hooks stay separate, whether unterminated, invalid or replaced", async () => {
  const writes = (how: string, line: string) => ({
    type: "command",
    command: `printf '${line}' ${how} "$CLAUDE_ENV_FILE"`,
  });
  const hooks = [
    writes(">>", "export ONE=1"),
    writes(">>", 'export TORN="x'),
    writes(">", "export TWO=2"),
    writes(">>", "export THREE=3 # and no more"),
    writes(">>", "export FOUR=4"),
  ];
  const { text, notices } = await run({ SessionStart: [{ hooks }] }, ['echo "<$ONE|$TWO|$THREE|$FOUR|$TORN>" > seen']);
  expect(text("seen")).toBe("<1|2|3|4|>\n");
  expect(notices.filter((told) => told.includes("not valid shell from some line on"))).not.toEqual([]);
});

// Seen: one of them ended its lines with exit, and the variables of all others were missing.
test("exit in the file of a hook ends only that file's lines, and another end of the shell is reported", async () => {
  const writing = (lines: string) => hook(`printf '${lines}' >> "$CLAUDE_ENV_FILE"`)[0]!;
  const first = "declare -x ONE=1\\nif true; then exit 0; fi\\nexport LOST=1\\n";
  const second = "export TWO=2\\nstop() { exit 3; }; stop; (exit 1)\\nexport THREE=3\\n";
  const show = 'echo "$ONE|$TWO|$THREE|$LOST|$PAWL_HOOK" > seen';
  const { text, notices } = await run({ SessionStart: [writing(first), writing(second)] }, [show]);
  expect([text("seen"), notices]).toEqual(["1|2|3||\n", []]);
  const ended = await run({ SessionStart: [writing("export ONE=1\\nset -e\\nfalse\\n")] }, [show]);
  expect(ended.text("seen")).toBe("1||||\n");
  expect(ended.notices).toEqual([expect.stringContaining("lines of a hook end their shell; later lines")]);
});

// Seen: published plugins call their hooks by the same line, and shared a file.
test("hooks of several plugins with the same command line write separate files", async () => {
  const ground = layGround();
  const hooks = { SessionStart: hook('printf "export $(cat "$CLAUDE_PLUGIN_ROOT/name")=1" >> "$CLAUDE_ENV_FILE"') };
  const pluginDirs = ["ONE", "TWO"].map((name) => {
    const folder = join(ground.home, name);
    put(join(folder, ".claude-plugin/plugin.json"), { name: name.toLowerCase() });
    put(join(folder, "hooks/hooks.json"), { hooks });
    put(join(folder, "name"), name);
    return folder;
  });
  const { text } = await run({}, ['echo "<$ONE|$TWO>" > seen'], { pluginDirs }, ground);
  expect(text("seen")).toBe("<1|1>\n");
});

test("variables from a CwdChanged hook apply to the commands after it", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "below"));
  const { text } = await run(
    { CwdChanged: hook('sleep 0.3; echo "export HERE=$(pwd)" >> "$CLAUDE_ENV_FILE"') },
    ["cd below", 'echo "$HERE" > seen; mv seen ..'],
    {},
    ground,
  );
  expect(text("seen")).toBe(`${join(ground.work, "below")}\n`);
});

test("lines that a hook appends repeatedly without a line feed do not run together", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "below/deeper"), { recursive: true });
  const { text } = await run(
    { CwdChanged: hook('printf "export HERE=%s SET=1" "$(pwd)" >> "$CLAUDE_ENV_FILE"') },
    ["cd below", "cd deeper", 'echo "$HERE $SET" > ../../seen'],
    {},
    ground,
  );
  expect(text("seen")).toBe(`${join(ground.work, "below/deeper")} 1\n`);
});

test("hooks of events that export nothing get no environment file", async () => {
  const { text } = await run({ PreToolUse: hook('echo "[$CLAUDE_ENV_FILE]" > given') }, ["true"]);
  expect(text("given")).toBe("[]\n");
});

test("a command started after a watched file changed waits for its hook's variables", async () => {
  const { text } = await run(
    {
      FileChanged: [
        { matcher: ".envrc", hooks: [{ type: "command", command: 'sleep 0.3; cat .envrc >> "$CLAUDE_ENV_FILE"' }] },
      ],
    },
    ["echo export KIND=new > .envrc", 'echo "$KIND" > seen'],
  );
  expect(text("seen")).toBe("new\n");
});

test("of two hooks that set a variable, the one that ran last wins", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "below"));
  const sets = (kind: string) => `echo export KIND=${kind} >> "$CLAUDE_ENV_FILE"`;
  const { text } = await run(
    {
      CwdChanged: hook(sets("folder")),
      FileChanged: [{ matcher: ".envrc", hooks: [{ type: "command", command: sets("file") }] }],
    },
    ["cd below", "cd ..", "touch .envrc", 'echo "$KIND" > first', "cd below", 'echo "$KIND" > ../second'],
    {},
    ground,
  );
  expect([text("first"), text("second")]).toEqual(["file\n", "folder\n"]);
});

test("a command that waits for a hook does not run if the turn is interrupted", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "below"));
  const model = scripted({
    steps: [{ content: [bash("cd below")] }, { content: [bash("touch ran")] }],
    fallback: "Done.",
  });
  const engine = await openOn(ground, model, {
    settings: JSON.stringify({ hooks: { CwdChanged: hook("until [ -e ../go ]; do sleep 0.02; done") } }),
    permissionMode: "bypassPermissions",
  });
  for await (const message of engine.submitMessage("Go."))
    if (message.type === "assistant" && JSON.stringify(message).includes("touch ran")) engine.interrupt();
  writeFileSync(join(ground.work, "go"), "");
  expect(existsSync(join(ground.work, "below/ran"))).toBe(false);
  expect(model.requests).toHaveLength(2);
});

test.each([
  ["too much", 'head -c 200000 /dev/zero | tr "\\0" x >> "$CLAUDE_ENV_FILE"', "larger than"],
  [
    "lines that are not shell code",
    'echo "if" >> "$CLAUDE_ENV_FILE"',
    "not valid shell from some line on (line 2: syntax error",
  ],
  ["a script that hangs", 'echo "export A=1; sleep 60" >> "$CLAUDE_ENV_FILE"', "could not be read"],
])("%s is reported and ignored", async (name, command, why) => {
  // Of the others a busy machine may take its time.
  const hangs = name === "a script that hangs";
  const { text, notices } = await run({ SessionStart: hook(command) }, ['echo "<$A>" > seen'], {
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      timestamp: () => new Date().toISOString(),
      timer(ms, fire) {
        const timer = setTimeout(fire, hangs && ms === 10_000 ? 300 : ms);
        return () => clearTimeout(timer);
      },
    },
  });
  expect(text("seen")).toBe("<>\n");
  expect(notices.join()).toContain(why);
});

test("a hook from an untrusted folder sets no variables", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, ".claude"));
  const hooks = { SessionStart: hook('echo "export SET=1" >> "$CLAUDE_ENV_FILE"') };
  writeFileSync(join(ground.work, ".claude/settings.json"), JSON.stringify({ hooks }));
  const { text } = await run({}, ['echo "<$SET>" > seen'], {}, ground);
  expect(text("seen")).toBe("<>\n");
});

test("folders of killed processes are removed, but not those of running or unknown ones", async () => {
  const ground = layGround();
  const temporary = join(ground.home, "temporary");
  const lay = (name: string, owner: unknown): void => {
    mkdirSync(join(temporary, name), { recursive: true });
    writeFileSync(join(temporary, name, "owner.json"), JSON.stringify(owner));
  };
  const { pid, host, space } = nodeProcesses;
  const gone = { pid: 2 ** 22 + 1, host, space };
  lay("pawl-hooks-dead", gone);
  lay("pawl-hooks-reused", { pid, host, space, started: "long ago" });
  lay("pawl-hooks-alive", { pid, host, space, started: nodeProcesses.startTimeOf(pid) });
  // Of containers that share the folder and the host's name: the first may be at work, the other is gone with its container.
  lay("pawl-hooks-contained", { ...gone, space: "pid:[1]" });
  lay("pawl-hooks-contained-once", { ...gone, space: "pid:[1]" });
  utimesSync(join(temporary, "pawl-hooks-contained-once"), 1, 1);
  lay("pawl-hooks-elsewhere", { ...gone, host: "another" });
  lay("pawl-hooks-unknown", "?");
  lay("others-dead", gone);
  lay("linked", gone);
  symlinkSync(join(temporary, "linked"), join(temporary, "pawl-hooks-link"));
  const env = { CLAUDE_CODE_TMPDIR: temporary };
  const { engine } = await run({ SessionStart: hook("true") }, [], { env }, ground);
  const there = readdirSync(temporary).filter((name) => name.startsWith("pawl-hooks-"));
  expect(there).toHaveLength(6);
  await engine.dispose();
  expect(readdirSync(temporary)).toEqual([
    "linked",
    "others-dead",
    "pawl-hooks-alive",
    "pawl-hooks-contained",
    "pawl-hooks-elsewhere",
    "pawl-hooks-link",
    "pawl-hooks-unknown",
  ]);
});
