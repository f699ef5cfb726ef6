// A command waits until what it may change has been kept, while its shell gets ready.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { ToolContext, ToolResult } from "../../src/protocol/tool.ts";
import { setWaitBeforeCommand } from "../../src/tools/shell/wait-before-command.ts";
import { createBashTool } from "../../src/tools/bash.ts";
import { openToolBox, type ToolBox } from "./support.ts";

function begin(
  box: ToolBox,
  command: string,
  beforeAnything: () => Promise<void>,
  { signal }: AbortController = new AbortController(),
): Promise<ToolResult> {
  const context = { toolUseId: "toolu_1", cwd: box.root, signal } as ToolContext;
  setWaitBeforeCommand(context, beforeAnything);
  return createBashTool(box.dependencies).call({ command }, context, () => undefined);
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

// The first command of a session makes its pipes, the next one is given them.
test("a command starts only after the files it may change were saved, in the first call and the next", async () => {
  const box = openToolBox();
  const seen: boolean[] = [];
  const beforeAnything = async (): Promise<void> => {
    await turns(500);
    seen.push(existsSync(box.path("done")));
  };
  await begin(box, "touch done", beforeAnything);
  seen.push(existsSync(box.path("done")));
  await begin(box, "rm done", beforeAnything);
  seen.push(existsSync(box.path("done")));
  expect(seen).toEqual([false, true, true, false]);
});

test("an abort while files are being saved ends the call at once, and the command never runs", async () => {
  const box = openToolBox();
  const stop = new AbortController();
  const beforeAnything = async (): Promise<void> => {
    stop.abort("user");
    await new Promise(() => undefined);
  };
  const result = await begin(box, "touch done", beforeAnything, stop);
  expect(result).toMatchObject({ isError: true, content: "It did not run: it was stopped before it began." });
  await box.dependencies.background.dispose(0);
  expect(existsSync(box.path("done"))).toBe(false);
});

test("an abort while its shell starts ends the call, and the command never runs", async () => {
  const box = openToolBox();
  const stop = new AbortController();
  const result = box.call("Bash", { command: "touch done" }, { signal: stop.signal });
  stop.abort("user");
  expect(await result).toMatchObject({
    isError: true,
    content: "It did not run: it was stopped before it began.",
    output: { interrupted: true },
  });
  expect(existsSync(box.path("done"))).toBe(false);
});

test("a session that is disposed while files are being saved starts no command", async () => {
  const box = openToolBox();
  const { promise: kept, resolve } = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const beforeAnything = (): Promise<void> => {
    called.resolve();
    return kept;
  };
  const result = begin(box, "touch done", beforeAnything);
  await called.promise;
  const disposed = box.dependencies.background.dispose(0);
  resolve();
  await disposed;
  expect(await result).toMatchObject({ isError: true, content: expect.stringContaining("closing") });
  expect(existsSync(box.path("done"))).toBe(false);
});
