// Hooks that reformat a file after each call that writes it.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { HookInput } from "../../src/protocol/hook.ts";
import type { Part } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const file_path = "a.txt";
const edit = (old_string: string, new_string: string): Part => ({
  tool: "Edit",
  input: { file_path, old_string, new_string },
});
const write = (content: string): Part => ({ tool: "Write", input: { file_path, content } });

/** Every call of a file's tools is followed by `format`. */
async function edited(
  format: (path: string) => void,
  steps: Part[][],
  event: "PostToolUse" | "PreToolUse" | "PostToolBatch",
) {
  const ground = layGround();
  const path = join(ground.work, file_path);
  writeFileSync(path, "one\ntwo\nthree\n");
  const model = scripted({ steps: steps.map((content) => ({ content })), fallback: "Done." });
  const callback = async ({ tool_calls = [] }: HookInput) => {
    if (!tool_calls.some(({ tool_name }) => tool_name === "Read")) format(path);
    return undefined;
  };
  const matcher = event === "PostToolBatch" ? {} : { matcher: "Edit|Write" };
  const hooks = { [event]: [{ ...matcher, callback }] } as EngineOptions["hooks"];
  const engine = await openOn(ground, model, { hooks, permissionMode: "acceptEdits" });
  await turn(engine, "Go.");
  return { text: readFileSync(path, "utf8"), sent: JSON.stringify(model.requests.at(-1)?.body) };
}

const read: Part[] = [{ tool: "Read", input: { file_path } }];
const end = (path: string): void => appendFileSync(path, "// formatted\n");

// Seen: with a formatter after each edit, all edits of a file but the first were refused, again after each read.
test("a second edit works after a hook reformatted the file, in the same message and in the next", async () => {
  const { text } = await edited(end, [read, [edit("one", "1"), edit("two", "2")], [edit("three", "3")]], "PostToolUse");
  expect(text).toBe("1\n2\n3\n// formatted\n// formatted\n// formatted\n");
});

// Seen: with the formatter after all calls of a message, the first edit of each message but the first was refused.
test("a second edit works after a PostToolBatch hook reformatted the file", async () => {
  const steps = [read, [edit("one", "1"), edit("two", "2")], [edit("three", "3")]];
  const { text } = await edited(end, steps, "PostToolBatch");
  expect(text).toBe("1\n2\n3\n// formatted\n// formatted\n");
});

test("a change by a command of the same message does not count as the hook's", async () => {
  const command: Part = { tool: "Bash", input: { command: `sed -i s/two/2/ ${file_path}` } };
  const { text, sent } = await edited(
    () => {},
    [read, [edit("one", "1"), command], [edit("three", "3")]],
    "PostToolBatch",
  );
  expect(text).toBe("1\n2\nthree\n");
  expect(sent).toContain("has changed since it was read");
});

// Seen: each formatted file had its first edit of a resumed session refused.
test("a second edit works in a resumed session, too", async () => {
  const ground = layGround();
  const path = ground.file(file_path, "one\ntwo\n");
  const steps = [read, [edit("one", "1")], ["Done."], [edit("two", "2")]].map((content) => ({ content }));
  const model = scripted({ steps, fallback: "Done." });
  const hooks = { PostToolUse: [{ matcher: "Edit", callback: async () => end(path) as undefined }] };
  const options: EngineOptions = { hooks, permissionMode: "acceptEdits" };
  const engine = await openOn(ground, model, options);
  await turn(engine, "Go.");
  await engine.dispose();
  await turn(await openOn(ground, model, { ...options, resume: engine.getSessionId() }), "Go on.");
  expect(readFileSync(path, "utf8")).toBe("1\n2\n// formatted\n// formatted\n");
});

test("a file that hooks reformatted has to be read before it is replaced as a whole", async () => {
  const steps = [read, [edit("one", "1")], [write("all")]];
  const { text, sent } = await edited(end, steps, "PostToolUse");
  expect(text).toBe("1\ntwo\nthree\n// formatted\n");
  expect(sent).toContain("has changed since it was read");
});

test("what a hook changes before the call counts as somebody else's change", async () => {
  const { text, sent } = await edited(end, [read, [edit("one", "1")]], "PreToolUse");
  expect(text).toBe("one\ntwo\nthree\n// formatted\n");
  expect(sent).toContain("has changed since it was read");
});

// Seen: with a formatter after it, each cell needed another Read of the notebook.
test("a second edit of a notebook cell works after a hook reformatted the file", async () => {
  const ground = layGround();
  const cell = (id: string) => ({
    cell_type: "code",
    id,
    metadata: {},
    source: [id],
    outputs: [],
    execution_count: null,
  });
  const notebook = { cells: [cell("a"), cell("b")], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  const path = ground.file("n.ipynb", JSON.stringify(notebook));
  const change = (id: string): Part => ({
    tool: "NotebookEdit",
    input: { notebook_path: "n.ipynb", cell_id: id, new_source: `new ${id}` },
  });
  const steps = [[{ tool: "Read", input: { file_path: "n.ipynb" } }], [change("a")], [change("b")]];
  const model = scripted({ steps: steps.map((content) => ({ content })), fallback: "Done." });
  const callback = async () => appendFileSync(path, "\n") as undefined;
  const hooks = { PostToolUse: [{ matcher: "NotebookEdit", callback }] } as EngineOptions["hooks"];
  const tools = ["Read", "NotebookEdit"];
  await turn(await openOn(ground, model, { hooks, tools, permissionMode: "acceptEdits" }), "Go.");
  expect(readFileSync(path, "utf8")).toMatch(/"new a"[^]*"new b"/u);
});
