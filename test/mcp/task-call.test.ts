import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { SDKMessage } from "../../src/index.ts";
import { callAsTask } from "../../src/mcp/task-call.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const required = { execution: { taskSupport: "required" } };
const working = (statusMessage: string) => ({ status: "working", statusMessage, pollInterval: 1 });

function withTasks(
  tasks: object[] | undefined,
  tool: string,
  input: Record<string, string> = {},
  more: Record<string, unknown> = required,
) {
  return openSession(calling({ tool: `mcp__test__${tool}`, input }), {
    mcpServers: { test: serverOf({ tools: [toolNamed(tool, more)], ...(tasks === undefined ? {} : { tasks }) }) },
    allowedTools: ["mcp__test"],
  });
}

const progressIn = (messages: readonly SDKMessage[]): unknown[] =>
  messages.flatMap((message) => (message.type === "tool_progress" ? [message.text] : []));

describe("a tool that its server runs only as a task", () => {
  test("is started, polled and answered", async () => {
    const looks = [working("one"), working("one"), working("two"), { status: "completed" }];
    const { engine } = await withTasks(looks, "echo", { text: "done" });
    const { messages, result } = await turn(engine, "call it");
    expect(result).toMatchObject({ result: "It said: done" });
    expect(progressIn(messages)).toEqual(["one\n", "two\n"]);
  });

  test.each([["failed"], ["input_required"]])("has its result requested if its status is %s", async (status) => {
    const { engine } = await withTasks([{ status }], "fails");
    expect((await turn(engine, "call it")).result).toMatchObject({ result: "It said: it went wrong" });
  });

  test("is cancelled with its call", async () => {
    const path = join(layGround().work, "cancelled");
    const { engine } = await withTasks([working("begun")], "write", { path });
    const stream = engine.submitMessage("call it");
    for await (const message of stream) if (message.type === "tool_progress") engine.interrupt();
    expect(readFileSync(path, "utf8")).toBe("t1");
  });

  test("is called without a task if the task is optional or not supported", async () => {
    for (const [tasks, more] of [
      [[working("no")], { execution: { taskSupport: "optional" } }],
      [undefined, required],
    ] as const) {
      const { engine } = await withTasks(tasks as object[] | undefined, "echo", { text: "plain" }, more);
      expect((await turn(engine, "call it")).result).toMatchObject({ result: "It said: plain" });
    }
  });

  test("is polled at the server's interval, within limits", async () => {
    const looks = [{ pollInterval: 1 }, { pollInterval: 3_000 }, { pollInterval: 1e9 }, { pollInterval: "x" }, {}];
    const waits: number[] = [];
    const timer = (ms: number, onFire: () => void) => {
      waits.push(ms);
      setImmediate(onFire);
      return () => {};
    };
    const request = async ({ method }: { method: string }) => {
      if (method === "tools/call") return { task: { taskId: "t" } };
      return method === "tasks/get" ? (looks.shift() ?? { status: "completed" }) : { content: "done" };
    };
    const watch = { clock: { elapsed: () => 0, timer }, onActivity: () => {}, onProgress: () => {} };
    expect(await callAsTask({ request } as never, { name: "a" }, {}, watch)).toEqual({ content: "done" });
    expect(waits).toEqual([100, 3_000, 10_000, 1_000, 1_000]);
  });
});
