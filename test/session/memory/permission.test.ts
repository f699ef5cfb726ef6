// A fork that keeps notes cannot get out of its folder: not by a path, a link, a race, a size or another tool.
import { linkSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { maxNoteBytes, memoryPermission, memoryTools, maxNotes } from "../../../src/session/forks/memory-tools.ts";
import { createTools } from "../../../src/tools/registry.ts";
import { openToolBox } from "../../tools/support.ts";
import type { Tool } from "../../../src/protocol/tool.ts";
import type { ToolDependencies } from "../../../src/tools/dependencies.ts";
import type { PermissionDecision } from "../../../src/protocol/permission.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = temporaryFolder();
  folder = join(root, "memory");
  mkdirSync(folder);
  writeFileSync(join(root, "secret.md"), "secret");
  writeFileSync(join(folder, "note.md"), "note\n");
});

let shared: ToolDependencies;
let tools: Tool[];
beforeEach(() => {
  shared = openToolBox().dependencies;
  tools = createTools(shared);
});

async function judged(toolName: string, input: Record<string, unknown>): Promise<PermissionDecision> {
  const tool = tools.find(({ name }) => name === toolName);
  const subjects = tool?.permissionSubjects?.(input, folder) ?? [{ kind: "tool" as const }];
  const request = { toolName, toolUseId: "t", input, isReadOnly: false, subjects, cwd: folder, key: "k" };
  return await memoryPermission(folder).decide(request, new AbortController().signal);
}

const behavior = async (toolName: string, input: Record<string, unknown>) => (await judged(toolName, input)).behavior;
const write = (path: string, content = "x") => behavior("Write", { file_path: path, content });

test("allows reading, searching, writing and editing notes", async () => {
  expect(await behavior("Read", { file_path: join(folder, "note.md") })).toBe("allow");
  expect(await behavior("Glob", { pattern: "*.md" })).toBe("allow");
  expect(await behavior("Grep", { pattern: "x", path: folder })).toBe("allow");
  expect(await write(join(folder, "new.md"))).toBe("allow");
  expect(await write(join(folder, "sub", "..", "new.md"))).toBe("allow");
  expect(await behavior("Edit", { file_path: join(folder, "note.md"), old_string: "note", new_string: "n" })).toBe(
    "allow",
  );
});

test("denies every other tool, whatever its input", async () => {
  for (const { name } of tools) {
    if (["Read", "Glob", "Grep", "Write", "Edit"].includes(name)) continue;
    expect(
      await behavior(name, { command: "ls", todos: [], task_id: "x", notebook_path: join(folder, "n.ipynb") }),
    ).toBe("deny");
  }
  expect(await behavior("mcp__anything__write", { file_path: join(folder, "note.md") })).toBe("deny");
});

test("denies reading, searching and writing outside the notes folder", async () => {
  symlinkSync(join(root, "secret.md"), join(folder, "link.md"));
  symlinkSync(root, join(folder, "out"));
  symlinkSync(join(root, "nowhere.md"), join(folder, "dangling.md"));
  for (const path of [
    join(root, "secret.md"),
    join(folder, "..", "secret.md"),
    join(folder, "link.md"),
    join(folder, "out", "secret.md"),
    "/etc/passwd",
  ])
    expect(await behavior("Read", { file_path: path })).toBe("deny");
  for (const path of [root, join(folder, "out"), "/"]) {
    expect(await behavior("Glob", { pattern: "*", path })).toBe("deny");
    expect(await behavior("Grep", { pattern: "s", path })).toBe("deny");
  }
  mkdirSync(join(folder, "sub"));
  for (const path of [
    join(root, "new.md"),
    join(folder, "..", "new.md"),
    join(folder, "link.md"),
    join(folder, "dangling.md"),
    join(folder, "out", "new.md"),
    join(folder, "sub", "new.md"),
    join(folder, "run.sh"),
    join(folder, ".state.json"),
    join(folder, ".hidden.md"),
    folder,
  ])
    expect([path, await write(path)]).toEqual([path, "deny"]);
});

test("keeps every allowed path inside the folder, whatever its shape", async () => {
  const segment = fc.constantFrom("..", ".", "", "memory", "out", "sub", "note.md", "secret.md", "/", "~", "a\u0000b");
  symlinkSync(root, join(folder, "out"));
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 6 }), fc.boolean(), async (segments, isAbsolute) => {
      const path = `${isAbsolute ? `${folder}/` : ""}${segments.join("/")}`;
      const decision = await judged("Write", { file_path: path, content: "x" }).catch(() => null);
      if (decision?.behavior !== "allow") return;
      const [subject] = tools.find(({ name }) => name === "Write")!.permissionSubjects!({ file_path: path }, folder);
      if (subject?.kind !== "write") throw new Error("Write writes.");
      expect(realpathSync(dirname(subject.path))).toBe(folder);
    }),
    { numRuns: 200 },
  );
});

test("limits the size and the number of notes", async () => {
  const long = "x".repeat(maxNoteBytes + 1);
  expect(await write(join(folder, "new.md"), long)).toBe("deny");
  expect(await write(join(folder, "new.md"), "ü".repeat(maxNoteBytes / 2 + 1))).toBe("deny");
  writeFileSync(join(folder, "big.md"), "x".repeat(maxNoteBytes - 1));
  const edit = { file_path: join(folder, "big.md"), old_string: "x", new_string: "yy" };
  expect(await behavior("Edit", edit)).toBe("deny");
  expect(await behavior("Edit", { ...edit, file_path: join(folder, "note.md"), replace_all: true })).toBe("deny");
  for (let count = 2; count < maxNotes; count++) writeFileSync(join(folder, `n${count}.md`), "x");
  expect(await write(join(folder, "one-more.md"))).toBe("deny");
  expect(await write(join(folder, "note.md"))).toBe("allow");
});

test("checks the target again at the write, and leaves the other name of a hard link unchanged", async () => {
  const kept = memoryTools(folder, shared);
  const context = {
    sessionId: "s",
    key: "k",
    toolUseId: "t",
    signal: new AbortController().signal,
    cwd: folder,
    registerTurnEnd: () => undefined,
  };
  const call = (name: string, input: Record<string, unknown>) => kept.find(name)!.call(input, context, () => undefined);
  symlinkSync(join(root, "secret.md"), join(folder, "raced.md"));
  await call("Read", { file_path: join(folder, "raced.md") });
  await expect(call("Write", { file_path: join(folder, "raced.md"), content: "gone" })).rejects.toThrow(
    "Only Markdown",
  );
  expect(readFileSync(join(root, "secret.md"), "utf8")).toBe("secret");
  linkSync(join(root, "secret.md"), join(folder, "hard.md"));
  await call("Read", { file_path: join(folder, "hard.md") });
  await call("Write", { file_path: join(folder, "hard.md"), content: "gone" });
  expect(readFileSync(join(root, "secret.md"), "utf8")).toBe("secret");
  expect(kept.find("Bash")).toBeUndefined();
});
