// An input that a PreToolUse hook changed is judged as what it has become, whatever the tool: deny rules hold against hooks.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const notebook = JSON.stringify({
  cells: [{ cell_type: "code", id: "a", source: "", metadata: {}, outputs: [] }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

test.each([
  ["Bash", "Bash(touch *)", { command: "echo harmless" }, { command: "touch secret/made" }],
  ["Bash", "Bash(touch *)", { command: "echo harmless" }, { command: "true && X=1 touch secret/made" }],
  ["Read", "Read(secret/**)", { file_path: "open.txt" }, { file_path: "secret/key.txt" }],
  ["Write", "Edit(secret/**)", { file_path: "new.txt", content: "x" }, { file_path: "secret/made", content: "x" }],
  [
    "Edit",
    "Edit(secret/**)",
    { file_path: "open.txt", old_string: "open", new_string: "x" },
    { file_path: "secret/key.txt", old_string: "hidden", new_string: "x" },
  ],
  ["Glob", "Read(secret/**)", { pattern: "*" }, { pattern: "*", path: "secret" }],
  ["Grep", "Read(secret/**)", { pattern: "open" }, { pattern: "hidden", path: "secret", output_mode: "content" }],
  [
    "NotebookEdit",
    "Edit(secret/**)",
    { notebook_path: "open.ipynb", cell_id: "a", new_source: "x" },
    { notebook_path: "secret/a.ipynb", cell_id: "a", new_source: "x" },
  ],
  ["TodoWrite", "TodoWrite", { todos: [] }, { todos: [{ content: "x", status: "pending", activeForm: "x" }] }],
])("a %s call whose input a hook changes is judged again, under the rule %s", async (tool, rule, asked, changed) => {
  const ground = layGround();
  mkdirSync(join(ground.work, "secret"));
  ground.file("open.txt", "open");
  ground.file("secret/key.txt", "hidden");
  ground.file("open.ipynb", notebook);
  ground.file("secret/a.ipynb", notebook);
  const absolute = (input: object) =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key,
        key.endsWith("_path") ? join(ground.work, String(value)) : value,
      ]),
    );
  const answer = { hookSpecificOutput: { permissionDecision: "allow", updatedInput: absolute(changed) } };
  const model = scripted({ steps: [{ content: [{ tool, input: absolute(asked) }] }], fallback: "Done." });
  const engine = await openOn(ground, model, {
    tools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "NotebookEdit", "TodoWrite"],
    hooks: { PreToolUse: [{ callback: async () => answer }] },
    disallowedTools: [rule],
    permissionMode: "bypassPermissions",
  });
  await turn(engine, "Go.");
  const sent = JSON.stringify(calls(model).at(-1)?.body?.messages ?? []);
  expect(sent).toMatch(/"is_error":true/u);
  expect(sent).not.toContain("hidden");
  expect(existsSync(join(ground.work, "secret/made"))).toBe(false);
});
