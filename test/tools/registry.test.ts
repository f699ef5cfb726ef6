import { describe, expect, test } from "vitest";
import { createTools, defaultToolNames, findTool, pickTools } from "../../src/tools/registry.ts";
import { openToolBox, textOf } from "./support.ts";

describe("the set of tools", () => {
  test("is sorted, and serialises to the same bytes each time", () => {
    const { dependencies } = openToolBox();
    const write = (): string =>
      JSON.stringify(
        createTools(dependencies).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      );
    const names = createTools(dependencies).map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining([...defaultToolNames]));
    expect(write()).toBe(write());
  });

  test("has the same schema objects in every session with the same options", () => {
    const [one, other] = [openToolBox(), openToolBox()].map(({ dependencies }) => createTools(dependencies));
    const distinct = one!.filter(({ inputSchema }, index) => inputSchema !== other![index]!.inputSchema);
    expect(distinct.map(({ name }) => name)).toEqual([]);
  });

  test("takes less than 6,500 bytes of a request", () => {
    const { dependencies } = openToolBox();
    const tools = createTools(dependencies).filter(({ name }) => defaultToolNames.includes(name));
    const bytes = tools.map(
      ({ name, description, inputSchema }) => JSON.stringify({ name, description, input_schema: inputSchema }).length,
    );
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(6500);
  });

  test("is searched by older names too, and filtered by lists", () => {
    const { dependencies } = openToolBox();
    const tools = createTools(dependencies);
    expect(findTool(tools, "KillBash")?.name).toBe("TaskStop");
    expect(findTool(tools, "Nope")).toBeUndefined();
    const picked = pickTools(tools, ["Write", "Read", "KillShell", "Nope"]);
    expect(picked.tools.map(({ name }) => name)).toEqual(["Read", "TaskStop", "Write"]);
    expect(picked.unknown).toEqual(["Nope"]);
  });
});

describe("a tool's description of a call", () => {
  const { subjectsOf, describeOf, observedOf } = (() => {
    const tool = (name: string): NonNullable<ReturnType<typeof findTool>> => {
      const found = findTool(createTools(openToolBox().dependencies), name);
      if (found === undefined) throw new Error(`no tool ${name}`);
      return found;
    };
    return {
      subjectsOf: (name: string, input: Record<string, unknown>) => tool(name).permissionSubjects?.(input, "/work"),
      describeOf: (name: string, input: Record<string, unknown>) => tool(name).describe?.(input),
      observedOf: (name: string, input: Record<string, unknown>) => tool(name).observableInput?.(input, "/work"),
    };
  })();

  test.each([
    ["Read", { file_path: "a.txt" }, [{ kind: "read", path: "/work/a.txt" }]],
    ["Read", { file_path: "../x/./a.txt" }, [{ kind: "read", path: "/x/a.txt" }]],
    ["Write", { file_path: "/etc/passwd" }, [{ kind: "write", path: "/etc/passwd" }]],
    ["Edit", { file_path: "b/../a" }, [{ kind: "write", path: "/work/a" }]],
    ["Grep", { pattern: "x" }, [{ kind: "read", path: "/work" }]],
    ["Grep", { pattern: "x", path: "/etc" }, [{ kind: "read", path: "/etc" }]],
    ["Glob", { pattern: "*.ts" }, [{ kind: "read", path: "/work" }]],
    ["Glob", { pattern: "/etc/**/*.conf" }, [{ kind: "read", path: "/etc" }]],
    ["Glob", { pattern: "../../etc/*", path: "sub" }, [{ kind: "read", path: "/etc" }]],
    ["Glob", { pattern: "src/**/*.ts", path: "/elsewhere" }, [{ kind: "read", path: "/elsewhere/src" }]],
    ["TodoWrite", { todos: [] }, undefined],
    ["TaskStop", { task_id: "b1" }, undefined],
  ])("contains the right permission subjects for %s %j", (name, input, subjects) => {
    expect(subjectsOf(name, input)).toEqual(subjects);
  });

  test("replaces ~ by the home folder in permission subjects", () => {
    const { dependencies } = openToolBox();
    const read = findTool(createTools(dependencies), "Read");
    expect(read?.permissionSubjects?.({ file_path: "~/.ssh/id" }, "/work")).toEqual([
      { kind: "read", path: `${dependencies.home}/.ssh/id` },
    ]);
    const glob = findTool(createTools(dependencies), "Glob");
    expect(glob?.permissionSubjects?.({ pattern: "~/.ssh/*" }, "/work")).toEqual([
      { kind: "read", path: `${dependencies.home}/.ssh` },
    ]);
  });

  test("shows absolute paths to hooks and clients without changing the input", () => {
    const input = { file_path: "a.txt", offset: 3 };
    expect(observedOf("Read", input)).toEqual({ file_path: "/work/a.txt", offset: 3 });
    expect(input.file_path).toBe("a.txt");
    expect(observedOf("Grep", { pattern: "x" })).toEqual({ pattern: "x" });
  });

  test("contains no control character in the line for people", () => {
    for (const name of ["Read", "Write", "Edit"]) {
      expect(describeOf(name, { file_path: "a\u001b[2J\n\u202eb" })).toBe(`${name} a<U+001B>[2J <U+202E>b`);
    }
    expect(describeOf("TodoWrite", { todos: [1] })).toBe("TodoWrite 1 task");
  });
});

describe("TodoWrite", () => {
  const todo = (content: string, status: string): Record<string, unknown> => ({
    content,
    status,
    activeForm: `${content}ing`,
  });

  test("replaces the list, and returns the old and the new one", async () => {
    const box = openToolBox();
    await box.call("TodoWrite", { todos: [todo("a", "in_progress")] });
    const result = await box.call("TodoWrite", { todos: [todo("a", "completed"), todo("b", "in_progress")] });
    expect(result).toEqual({
      content: "The list is updated.",
      output: { oldTodos: [todo("a", "in_progress")], newTodos: [todo("a", "completed"), todo("b", "in_progress")] },
    });
    expect(box.dependencies.todos.get()).toEqual([todo("a", "completed"), todo("b", "in_progress")]);
  });

  test("gives advice but does not refuse", async () => {
    const box = openToolBox();
    const two = await box.call("TodoWrite", { todos: [todo("a", "in_progress"), todo("b", "in_progress")] });
    expect(two.isError).not.toBe(true);
    expect(textOf(two)).toBe("The list is updated. 2 are in progress: keep it to one at a time.");
    expect(textOf(await box.call("TodoWrite", { todos: [todo("a", "pending")] }))).toMatch(/None is in progress/);
    expect(textOf(await box.call("TodoWrite", { todos: [] }))).toBe("The list is updated.");
  });

  test("drops malformed entries of a saved list", () => {
    const { dependencies } = openToolBox();
    dependencies.todos.set([
      todo("a", "pending"),
      { content: 1 },
      null,
      { ...todo("b", "pending"), extra: true },
      todo("c", "odd"),
    ]);
    expect(dependencies.todos.get()).toEqual([todo("a", "pending"), todo("b", "pending")]);
    dependencies.todos.set("nonsense");
    expect(dependencies.todos.get()).toEqual([]);
  });
});

describe("read state", () => {
  test("survives a round trip through JSON, without what was in the conversation", async () => {
    const box = openToolBox();
    const path = box.put("a.txt", "one\n");
    await box.call("Read", { file_path: path });
    const kept: unknown = JSON.parse(JSON.stringify(box.dependencies.readState.snapshot()));
    const other = openToolBox();
    other.dependencies.readState.restore(kept);
    expect(textOf(await other.call("Read", { file_path: path }))).toBe("1\tone");
    other.dependencies.readState.restore(kept);
    expect((await other.call("Edit", { file_path: path, old_string: "one", new_string: "two" })).isError).not.toBe(
      true,
    );
  });

  test("restores nothing from malformed data", () => {
    const { readState } = openToolBox().dependencies;
    readState.restore([["/a", { mtimeMs: 1, size: 2 }], ["/b", { mtimeMs: "1" }], "x", [1, {}], ["/c", null]]);
    expect(readState.snapshot()).toEqual([["/a", { mtimeMs: 1, size: 2 }]]);
    readState.restore({});
    expect(readState.snapshot()).toEqual([]);
  });

  test("is limited in size, and knows the paths touched last", async () => {
    const { createReadFileState } = await import("../../src/tools/read-state.ts");
    const state = createReadFileState(3);
    for (const path of ["/a", "/b", "/c", "/a", "/d"]) state.set(path, { mtimeMs: 1, size: 1 });
    expect(state.recent(2)).toEqual(["/d", "/a"]);
    expect(state.recent(0)).toEqual([]);
    expect(state.get("/b")).toBeUndefined();
    expect(state.snapshot()).toHaveLength(3);
  });
});
