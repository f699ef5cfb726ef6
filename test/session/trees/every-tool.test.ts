// Each way of changing a file, in one prompt: tools of files, commands, servers' tools, and files in folders that git ignores.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { clearGrounds, disposeAll, layGround, openOn, scripted, turn } from "../support.ts";
import { serverOf, toolNamed } from "../../mcp/support.ts";
import { pictureOf } from "./support.ts";

afterEach(async () => {
  await disposeAll();
  clearGrounds();
});

const uuid = "aaaaaaaa-0000-4000-8000-000000000001";
const notebook = (source: string): string =>
  JSON.stringify({
    cells: [{ cell_type: "code", id: "c1", metadata: {}, source, outputs: [], execution_count: null }],
    metadata: { language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  });

test("a rewind undoes the changes of every tool, in whichever order they were made", async () => {
  const ground = layGround();
  const at = (name: string): string => join(ground.work, name);
  execFileSync("git", ["-c", "init.defaultBranch=main", "init", "-q"], { cwd: ground.work });
  ground.file(".gitignore", "dist/\n");
  mkdirSync(at("dist"));
  for (const name of ["dist/edited", "dist/written", "plain", "served"]) ground.file(name, `${name} before\n`);
  ground.file("n.ipynb", notebook("1"));
  const before = pictureOf(ground.work);

  const edit = (name: string) => ({
    tool: "Edit",
    input: { file_path: at(name), old_string: "before", new_string: "after" },
  });
  const read = (name: string) => ({ tool: "Read", input: { file_path: at(name) } });
  const write = (name: string) => ({ tool: "Write", input: { file_path: at(name), content: "made\n" } });
  const cell = { notebook_path: at("n.ipynb"), cell_id: "c1", new_source: "2" };
  const steps = [
    { content: [read("dist/edited"), read("dist/written"), read("plain"), read("n.ipynb")] },
    { content: [edit("dist/edited"), write("dist/made"), write("deep/er/made")] },
    { content: [{ tool: "Bash", input: { command: "rm plain dist/edited; echo x >> dist/made; mkdir empty" } }] },
    { content: [write("dist/written"), { tool: "NotebookEdit", input: cell }] },
    { content: [{ tool: "mcp__test__write", input: { path: at("served"), text: "by a server\n" } }] },
    { content: ["Done."] },
  ];
  const engine = await openOn(ground, scripted({ steps }), {
    permissionMode: "bypassPermissions",
    enableFileCheckpointing: true,
    tools: ["Bash", "Edit", "NotebookEdit", "Read", "Write"],
    mcpServers: { test: serverOf({ tools: [toolNamed("write")] }) },
  });
  const { messages } = await turn(engine, "Go.", { uuid });
  expect(JSON.stringify(messages)).not.toContain('"is_error":true');
  expect(readFileSync(at("served"), "utf8")).toBe("by a server\n");
  expect(readFileSync(at("n.ipynb"), "utf8")).toContain('"2"');
  const after = pictureOf(ground.work);

  const told = await engine.rewindFiles(uuid, { dryRun: true });
  expect(pictureOf(ground.work)).toEqual(after);
  const names = "deep/er/made dist/edited dist/made dist/written n.ipynb plain served".split(" ");
  expect(told.filesChanged?.toSorted()).toEqual(names.map(at));
  expect(await engine.rewindFiles(uuid)).toEqual(told);
  expect(pictureOf(ground.work)).toEqual(before);
});

test("a rewind removes a folder outside the project that Write created, together with its file", async () => {
  const ground = layGround();
  const outside = join(ground.home, "outside");
  const write = { tool: "Write", input: { file_path: join(outside, "deep/made"), content: "made\n" } };
  const steps = [{ content: [{ tool: "Bash", input: { command: "touch within" } }, write] }, { content: ["Done."] }];
  const all = { permissionMode: "bypassPermissions", enableFileCheckpointing: true } as const;
  const engine = await openOn(ground, scripted({ steps }), all);
  await turn(engine, "Go.", { uuid });
  expect(existsSync(join(outside, "deep/made"))).toBe(true);
  await engine.rewindFiles(uuid);
  expect(existsSync(outside)).toBe(false);
});
