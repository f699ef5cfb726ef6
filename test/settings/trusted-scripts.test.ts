// Which files trust in a folder is of: the scripts that its hooks name, however they name them, and not what they write.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { loadSettings } from "../../src/settings/load.ts";
import { put } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, "home"));
});

/** Of all that the folder's one hook would run. */
function hashWith(hook: object, cwd: string): string | undefined {
  put(join(cwd, ".claude/settings.json"), { hooks: { Stop: [{ hooks: [{ type: "command", ...hook }] }] } });
  return hashOf(cwd);
}

function hashOf(cwd: string): string | undefined {
  return loadSettings({ env: {}, home: join(root, "home"), cwd, policyFolders: [join(root, "etc")] }).project?.hash;
}

/** Whether it is the same with that file. */
function outlasts(hook: object, file: string, before = "echo one", after = "echo two", name = "repo"): boolean {
  const cwd = join(root, name);
  put(join(cwd, file), before);
  const hash = hashWith(hook, cwd);
  expect(hash).toBeDefined();
  put(join(cwd, file), after);
  return hash === hashWith(hook, cwd);
}

// Seen: the way the convention's own examples name a script, with the folder alone in quotes, left it out.
test.each([
  '"$CLAUDE_PROJECT_DIR"/tools/check.sh',
  '"${CLAUDE_PROJECT_DIR}"/tools/check.sh',
  '"${CLAUDE_PROJECT_DIR:-.}"/tools/check.sh',
  'bash "$CLAUDE_PROJECT_DIR""/tools/check.sh"',
  "./tools/'check.sh'",
  "$PWD/tools/check.sh",
  "$(git rev-parse --show-toplevel)/tools/check.sh",
  'ROOT=$(pwd); "$ROOT"/tools/check.sh',
  "$ROOT/tools/check.sh",
  'sh "${PLACE:-tools}/check.sh"',
  "sh ${PLACE=tools}/check.sh",
  'cd "${ROOT:-.}/${PLACE:-tools}" && sh check.sh',
  "sh ${A:-${B:-tools}}/check.sh",
  "cd tools && sh check.sh",
  "pushd tools && sh check.sh",
  "cd -P -- tools && sh check.sh",
  '"cd" tools && sh check.sh',
  String.raw`\cd tools && sh check.sh`,
  '"cd" .. && cd repo/tools && sh check.sh',
  'c""d .. && cd repo/tools && sh check.sh',
  'cd "`git rev-parse --show-toplevel`/tools" && ./check.sh',
  "cd `git rev-parse --show-toplevel`/tools && ./check.sh",
  'cd "$(dirname "$(git rev-parse --git-dir)")/tools" && ./check.sh',
  "cd $(dirname $(git rev-parse --git-dir))/tools && ./check.sh",
  'cd "$(git rev-parse --show-toplevel)/tools" && ./check.sh',
  'cd "$(git rev-parse --show-toplevel)"/tools && ./check.sh',
  "cd $(git rev-parse --show-toplevel)/tools && ./check.sh",
  `sh -c 'cd tools && sh check.sh'`,
  "cd .. && cd repo/tools && sh check.sh",
  'cd "$CLAUDE_PROJECT_DIR/tools"; ./check.sh',
  "date > log.txt; sh tools/check.sh",
  "awk -ftools/check.sh log.txt",
  "ruby -r./tools/check.sh -e 1",
  "sed -nftools/check.sh log.txt",
  "ruby -wr./tools/check.sh -e 1",
  "echo '>' tools/check.sh",
  'cat > tools/check.sh; sh "tools/check.sh"',
  "rm -f log.txt; [ -f tools/check.sh ] && tools/check.sh",
  `sh -c '. "$1"; touch log.txt' - tools/check.sh`,
  "sh <> tools/check.sh",
  "tee >(sh tools/check.sh)",
])("a change to a script that a hook names ends the trust: %s", (command) => {
  expect(outlasts({ command }, "tools/check.sh")).toBe(false);
});

test.each([
  ["a folder", 'sh "$CLAUDE_PROJECT_DIR"/tools/check.sh'],
  ["repo", 'sh "$CLAUDE_PROJECT_DIR/my tools/check.sh"'],
  ["repo", 'cd "my tools" && sh check.sh'],
  ["repo", String.raw`cd my\ tools && sh check.sh`],
  ["repo", `sh -c 'cd "my tools"; ./check.sh'`],
  ["repo", String.raw`sh -c "cd \"$CLAUDE_PROJECT_DIR/my tools\" && ./check.sh"`],
  ["repo", `# don't stop\nsh "my tools/check.sh"`],
  ["repo", `sh -c "sh 'my tools/check.sh'"`],
  ["repo", `sh -c 'sh "my tools/check.sh" -v'`],
  ["repo", String.raw`sh -c "sh -x \"$CLAUDE_PROJECT_DIR/my tools/check.sh\" -v"`],
])("a change to a script in a path with a blank ends the trust: %s, %s", (name, command) => {
  const file = /my\\? tools/u.test(command) ? "my tools/check.sh" : "tools/check.sh";
  expect(outlasts({ command }, file, "echo one", "echo two", name)).toBe(false);
});

test("a change to a script that is an argument of a hook ends the trust", () => {
  expect(outlasts({ command: "bash", args: ["${CLAUDE_PROJECT_DIR}/tools/check.sh"] }, "tools/check.sh")).toBe(false);
});

// Seen: a hook that keeps a log in the folder ended the trust in it with its first line, in each session again.
test.each([
  "jq -c . >> .claude/audit.jsonl",
  'jq -c . >>"$CLAUDE_PROJECT_DIR"/.claude/audit.jsonl',
  'cat >> "${CLAUDE_PROJECT_DIR}/.claude/audit.jsonl" 2>&1',
  "make check &> .claude/audit.jsonl || exit 2",
  "date | tee -a .claude/audit.jsonl",
  "touch .claude/audit.jsonl",
  "sort -o.claude/audit.jsonl log.txt",
  "sort -uo.claude/audit.jsonl log.txt",
  "if true; then rm -f .claude/audit.jsonl; fi",
  '[ -f .claude/audit.jsonl ] || date > ".claude/audit.jsonl"',
])("a change to a file that a hook only writes does not end the trust: %s", (command) => {
  expect(outlasts({ command }, ".claude/audit.jsonl", "{}", "{}\n{}")).toBe(true);
});

test.each([
  ["settings.json", { command: "sh", args: ["check.sh"], cwd: "tools" }],
  ["mcp", { command: "sh", args: ["check.sh"], cwd: "./tools/" }],
  ["mcp", { command: "sh", args: ["check.sh"], cwd: "${CLAUDE_PROJECT_DIR}/tools" }],
  ["mcp", { command: "sh", args: ["check.sh"], cwd: "${ROOT:-.}/${PLACE:-tools}" }],
  ["mcp", { command: "./check.sh", cwd: "${PLACE:-${OTHER:-tools}}" }],
  ["mcp", { command: "sh", args: ["${PLACE:-tools}/check.sh"] }],
  ["mcp", { command: "sh", args: ["../tools/check.sh"], cwd: "docs" }],
])("a change to a script of a server that starts in another folder ends the trust: %s, %j", (where, server) => {
  const cwd = join(root, "repo");
  const file = where === "mcp" ? ".mcp.json" : ".claude/settings.json";
  put(join(cwd, file), { mcpServers: { one: server } });
  put(join(cwd, "tools/check.sh"), "echo one");
  const hash = hashOf(cwd);
  expect(hash).toBeDefined();
  put(join(cwd, "tools/check.sh"), "echo two");
  expect(hashOf(cwd)).not.toBe(hash);
});
