// Settings that people write in the wrong place, and how long a hook may take.
import { expect, test } from "vitest";
import { readHookConfig } from "../../src/hooks/config.ts";

const command = (line: string, more: object = {}) => ({
  PreToolUse: [{ hooks: [{ type: "command", command: line, ...more }] }],
});

test.each([
  [{ Stop: [{ timeout: 5, hooks: [] }] }, 'timeout has no effect there: it belongs in each entry of "hooks"'],
  [{ PreToolUse: [{ if: "Bash(git *)", hooks: [] }] }, "if has no effect there"],
  [{ PreToolUse: [{ matcher: "Edit|Bash(git *)", hooks: [] }] }, '"Bash(git *)" matches nothing'],
  // Seen: a guard for "bash" never ran, and nothing was said.
  [{ PreToolUse: [{ matcher: "Edit|bash", hooks: [] }] }, 'matcher: "bash" is not the tool Bash'],
  // Seen in templates that are copied a lot: a guard that looks there for what is dangerous never finds it.
  [
    command('echo "$CLAUDE_TOOL_INPUT" | grep -q "rm -rf" && exit 2'),
    "names $CLAUDE_TOOL_INPUT, which hooks are not given",
  ],
  // Seen: without a word, a guard let everything pass that it was written to stop.
  [
    command('if echo "$TOOL_INPUT" | grep -q "[.]env"; then exit 2; fi'),
    "names $TOOL_INPUT, which hooks are not given",
  ],
  [
    command('TOOL_NAME=$(jq -r .tool_name); log "$TOOL_NAME" "${TOOL_OUTPUT}"'),
    "names $TOOL_OUTPUT, which hooks are not given",
  ],
  [command('grep -rl . src | grep -qF "$TOOL_INPUT"'), "names $TOOL_INPUT, which hooks are not given"],
  [command("npx prettier --write ${CLAUDE_FILE_PATHS}"), "names $CLAUDE_FILE_PATHS, which hooks are not given"],
  // Seen: the answer was that it needs a command.
  [{ Stop: [{ hooks: [{ type: "command", command: ["sh", "a.sh"] }] }] }, 'has a list as "command"'],
  // Seen: nobody learned that only one of the two counts.
  [command("new", { comand: "old" }), 'comand is ignored: only "command", which is there too, counts'],
  [command("x", { timeout: 5, timout: 9 }), 'timout is ignored: only "timeout", which is there too, counts'],
  [
    { Stop: [{ matcher: "", mather: "x", hooks: [] }] },
    'mather is ignored: only "matcher", which is there too, counts',
  ],
  // Seen in settings that are copied a lot: one that hangs holds each call up for as long.
  [command("sound", { timeout: 5_000 }), "the timeout of a hook is in seconds: 5000 are 83 minutes"],
])("reports %j", (hooks, text) => {
  const { problems } = readHookConfig(hooks, "user", "s");
  expect(problems).toMatchObject([{ level: "notice", text: expect.stringContaining(text) as string }]);
});

test.each([
  { PreToolUse: [{ matcher: "Bash|Edit,my_bash", hooks: [] }] },
  { PreToolUse: [{ matcher: "[Bb]ash", hooks: [] }] },
  // One file for several programs, of which some write their tools small.
  { PreToolUse: [{ matcher: "Bash|bash", hooks: [] }] },
  { Notification: [{ matcher: "read", hooks: [] }] },
  { "// PreToolUse": "guards the secrets", _comment: ["x"], PreToolUse: [] },
  command('CLAUDE_TOOL_INPUT=$(cat); echo "$CLAUDE_TOOL_INPUT" | jq .'),
  command('INPUT=${CLAUDE_TOOL_INPUT:-$(cat)}; echo "$INPUT" | jq .'),
  command('read -r TOOL_NAME TOOL_INPUT < <(jq -r ".tool_name, .tool_input"); echo "$TOOL_INPUT"'),
  command("jq -n --arg TOOL_NAME x '$TOOL_NAME'"),
  command('. ./common.sh && check "$TOOL_INPUT"'),
  command('if [ -f x ]; then . ./x; fi; (source common.sh; check "$TOOL_INPUT")'),
  command('mapfile -t TOOL_INPUT < input; printf -v TOOL_NAME %s x; log "$TOOL_INPUT $TOOL_NAME"'),
  command('for TOOL_NAME in Bash Edit; do log "$TOOL_NAME"; done'),
  command("jq -r '.tool_name as $TOOL_NAME | $TOOL_NAME'"),
  command('export TOOL_INPUT="$(cat)"; check "$TOOL_INPUT" "$MY_TOOL_NAME"'),
  command("npm test", { timeout: 3_600 }),
  command("npm test", {
    description: "d",
    name: "n",
    notes: "x",
    title: "t",
    _command: "old",
    $comand: "c",
    "//comand": 1,
  }),
  { Stop: [{ description: "At the end", _matcher: "x", comment: "y", hooks: [] }] },
  // Seen: for each of thirty hooks with a note, a message said that the note should be called "command".
  command("npm test", { comment: "after each edit", once: false }),
  command("npm test", { id: "tests", timeout: 36_000 }),
  { Stop: [{ hooks: [{ type: "prompt", prompt: "Is it done?", comment: "for all of us" }] }] },
  command('"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh "$CLAUDE_TOOLS" "${CLAUDE_TOOL_NAMES}"'),
])("does not report %j", (hooks) => {
  expect(readHookConfig(hooks, "user", "s").problems).toEqual([]);
});

test.each([{ headers: { "x-a": 5 } }, { headers: { "x-a": "b\r\nx-c: d" } }, { headers: ["x-a: b"] }])(
  "rejects and reports an HTTP hook with %j, because it would fail at every call",
  (more) => {
    const hook = { type: "http", url: "http://127.0.0.1:9/", ...more };
    const { hooks, problems } = readHookConfig({ PreToolUse: [{ hooks: [hook] }] }, "user", "s");
    expect(hooks).toEqual([]);
    expect(problems).toMatchObject([{ text: expect.stringContaining('should have texts as "headers"') as string }]);
  },
);

test("allows a timeout of several days for a person to answer", () => {
  const hook = { type: "command", command: "true", timeout: 345_600 };
  const { hooks, problems } = readHookConfig({ PermissionRequest: [{ hooks: [hook] }] }, "user", "s");
  expect(problems).toEqual([]);
  expect(hooks).toMatchObject([{ handler: { timeout: 345_600 } }]);
});

// Seen: a guard with "args": null, as programs with types write it, was left out.
test("treats null fields as absent", () => {
  const hook = { type: "command", command: "guard" };
  const absent = { if: null, args: null, shell: null, timeout: null, async: null, onFailure: null, once: null };
  const given = { PreToolUse: [{ matcher: null, hooks: [{ ...absent, statusMessage: null, ...hook }] }] };
  expect(readHookConfig(given, "user", "s")).toEqual(readHookConfig({ PreToolUse: [{ hooks: [hook] }] }, "user", "s"));
});

// Seen: "PreToolUse": null in settings ended the start of each session, and "PreToolUse:" with nothing below it that of its skill.
test("accepts null and empty values for hooks and events", () => {
  for (const none of [null, {}, { PreToolUse: null, Stop: null }])
    expect(readHookConfig(none, "user", "s")).toEqual({ hooks: [], problems: [] });
});

test("treats default values and values that do not count as absent", () => {
  const read = (more: object) =>
    readHookConfig({ PreToolUse: [{ hooks: [{ type: "command", command: "guard", ...more }] }] }, "user", "s").hooks;
  for (const more of [{ onFailure: "continue" }, { once: true }, { once: false }, { async: false }, { timeout: 0 }])
    expect(read(more), JSON.stringify(more)).toEqual(read({}));
  expect(read({ onFailure: "block" })).not.toEqual(read({}));
});
