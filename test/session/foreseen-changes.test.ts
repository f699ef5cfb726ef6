// Nobody is asked about a change of a file that cannot come about.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { PermissionQuestion } from "../../src/protocol/permission.ts";
import type { Part } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const read: Part = { tool: "Read", input: { file_path: "a.txt" } };
const edit = (from: string, to: string): Part => ({
  tool: "Edit",
  input: { file_path: "a.txt", old_string: from, new_string: to },
});

/** What was asked, and what the model was told of its calls. `steps`: the calls of each answer. */
async function ran(steps: Part[][], options: EngineOptions = {}) {
  const ground = layGround();
  const path = join(ground.work, "a.txt");
  writeFileSync(path, "one\none\ntwo\n");
  writeFileSync(join(ground.work, "n.ipynb"), notebook);
  const model = scripted({ steps: [...steps.map((content) => ({ content })), "Done."] });
  const asked: string[] = [];
  const ask = async ({ input }: PermissionQuestion) => {
    asked.push(String(input["old_string"] ?? input["content"] ?? input["new_source"]));
    return { behavior: "allow" } as const;
  };
  const engine = await openOn(ground, model, { headless: false, ask, ...options });
  const { result } = await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  const told = JSON.stringify(calls(model).at(-1)?.body?.messages);
  return { asked, told, left: readFileSync(path, "utf8"), denials: result.permission_denials };
}

test.each<[what: string, steps: Part[][], told: string]>([
  ["that was not read", [[edit("two", "2")]], "a.txt has not been read yet. Read it first, then try again."],
  ["that does not contain the text", [[read], [edit("three", "3")]], "old_string was not found in a.txt"],
  ["that contains the text twice", [[read], [edit("one", "1")]], "old_string occurs 2 times in a.txt (lines 1, 2)"],
  [
    "that Write would replace unread",
    [[{ tool: "Write", input: { file_path: "a.txt", content: "new" } }]],
    "a.txt has not been read yet. Read it first, then try again.",
  ],
])("an edit of a file %s is refused without asking", async (_, steps, told) => {
  const ended = await ran(steps);
  expect(ended).toMatchObject({ asked: [], left: "one\none\ntwo\n", denials: [] });
  expect(ended.told).toContain(told);
});

const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [{ id: "first", cell_type: "code", metadata: {}, source: ["1"], outputs: [], execution_count: null }],
});
const readNotebook: Part = { tool: "Read", input: { file_path: "n.ipynb" } };
const editNotebook = (cell: string, more: object = {}): Part => ({
  tool: "NotebookEdit",
  input: { notebook_path: "n.ipynb", cell_id: cell, new_source: `2 of ${cell}`, ...more },
});

test.each<[what: string, steps: Part[][], asked: string[], told: string]>([
  ["that was not read", [[editNotebook("first")]], [], "n.ipynb has not been read yet."],
  ["without the cell", [[readNotebook], [editNotebook("third")]], [], 'n.ipynb has no cell \\"third\\"'],
  [
    "without the cell to insert behind",
    [[readNotebook], [editNotebook("third", { edit_mode: "insert", cell_type: "code" })]],
    [],
    'n.ipynb has no cell \\"third\\"',
  ],
  ["with the cell", [[readNotebook], [editNotebook("first")]], ["2 of first"], "Replaced cell first of n.ipynb."],
])("an edit of a notebook %s is judged before it is asked about", async (_, steps, asked, told) => {
  const ended = await ran(steps, { tools: ["Read", "NotebookEdit"] });
  expect(ended.asked).toEqual(asked);
  expect(ended.told).toContain(told);
});

test("a person asked about one of several edits is asked about the file as that edit will find it", async () => {
  const { asked, left } = await ran([[read], [edit("two", "three"), edit("three", "four")]]);
  expect([asked, left]).toEqual([["two", "three"], "one\none\nfour\n"]);
});

test("without anybody to ask, a call is refused for the missing permission first", async () => {
  const { told } = await ran([[edit("two", "2")]], { ask: undefined, headless: true });
  expect(told).toContain("permission");
  expect(told).not.toContain("has not been read");
});

test.each<[what: string, options: EngineOptions, told: string]>([
  ["a rule refuses", { disallowedTools: ["Edit(a.txt)"] }, "Permission "],
  ["the mode refuses", { permissionMode: "plan" }, "plan mode"],
  ["the mode dontAsk refuses", { permissionMode: "dontAsk" }, "Permission "],
])("an edit that %s is refused for that, not for an unread file", async (_, options, refusal) => {
  const { asked, told } = await ran([[edit("two", "2")]], options);
  expect(asked).toEqual([]);
  expect(told).not.toContain("has not been read");
  expect(told).toContain(refusal);
});

describe('a PreToolUse hook that answers "ask" for allowed calls', () => {
  const asking = (updatedInput?: Record<string, unknown>): EngineOptions => {
    const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision: "ask", updatedInput };
    const hooks = { PreToolUse: [{ matcher: "Edit", callback: async () => ({ hookSpecificOutput }) }] };
    return { permissionMode: "acceptEdits", hooks };
  };

  test("asks only about calls that can succeed", async () => {
    const unread = await ran([[edit("two", "2")]], asking());
    expect(unread).toMatchObject({ asked: [], denials: [] });
    expect(unread.told).toContain("a.txt has not been read yet. Read it first, then try again.");
    const ended = await ran([[read], [edit("three", "3")], [edit("two", "2")]], asking());
    expect(ended).toMatchObject({ asked: ["two"], left: "one\none\n2\n" });
    expect(ended.told).toContain("old_string was not found in a.txt");
  });

  test("gets the error for the input as it changed it", async () => {
    const changed = { file_path: "a.txt", old_string: "three", new_string: "3" };
    const { asked, told } = await ran([[read], [edit("two", "2")]], asking(changed));
    expect(asked).toEqual([]);
    expect(told).toContain("A PreToolUse hook changed the input, and: old_string was not found in a.txt");
  });

  test("does not override a denial by a rule or by a mode in which nobody is asked", async () => {
    for (const options of [{ disallowedTools: ["Edit(a.txt)"] }, { permissionMode: "dontAsk" as const }]) {
      const { told } = await ran([[edit("two", "2")]], { ...asking(), allowedTools: ["Edit"], ...options });
      expect(told).toContain("Permission ");
      expect(told).not.toContain("has not been read");
    }
  });
});
