// Messages of MCP servers that say more, or less, than most.
import { afterEach, expect, test, vi } from "vitest";
import { createSdkMcpServer, type McpServerConfig, type McpServerInstance } from "../../src/index.ts";
import { adaptTransport, connectInstance } from "../../src/mcp/in-process.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function toldOf(errors: Record<string, object>, more: Record<string, unknown> = {}): Promise<string[]> {
  const names = Object.keys(errors);
  const messages = Object.fromEntries(names.map((name) => [name, { jsonrpc: "2.0", error: errors[name] }]));
  const mcpServers = { test: serverOf({ tools: names.map((name) => toolNamed(name)), messages, ...more }) };
  const script = calling(...names.map((name) => ({ tool: `mcp__test__${name}` })));
  const { engine, model } = await openSession(script, { mcpServers, allowedTools: ["mcp__test"] });
  await turn(engine, "call them");
  const sent = calls(model).at(-1)?.body?.messages ?? [];
  return sent.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) => (block.type === "tool_result" ? [String(block.content)] : [])),
  );
}

test("shows the data of an error beside its message", async () => {
  const told = await toldOf({
    listed: { code: -32_602, message: "Invalid params", data: { errors: [{ path: "limit", is: "too large" }] } },
    words: { code: -32_000, message: "Refused", data: "only on weekdays" },
    repeated: { code: -32_000, message: "Refused: only on weekdays", data: "only on weekdays" },
    nothing: { code: -32_000, message: "Refused", data: {} },
    blank: { code: -32_001, message: "" },
    meant: { code: -32_001, message: " ", data: { detail: "no such table" } },
    long: { code: -32_000, message: "Refused", data: "x".repeat(50_000) },
  });
  const failed = "The MCP server test failed: ";
  expect(told.slice(0, 6)).toEqual([
    `${failed}Invalid params\n{"errors":[{"path":"limit","is":"too large"}]}`,
    `${failed}Refused\nonly on weekdays`,
    `${failed}Refused: only on weekdays`,
    `${failed}Refused`,
    `${failed}it answered with the error -32001`,
    `${failed}it answered with the error -32001\n{"detail":"no such table"}`,
  ]);
  expect(told[6]).toMatch(/Refused\nx{1000,}/u);
  expect(told[6]!.length).toBeLessThan(4_500);
});

test("a host's transport that fails is a server that did not start, without an unhandled rejection", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const broken = (what: string) => () => {
    throw new Error(what);
  };
  const ways: Record<string, object> = {
    throws: { send: broken("no line"), close: broken("no line to close") },
    rejects: { send: async () => broken("no line")(), close: async () => broken("no line to close")() },
    later: Promise.resolve({ send: () => undefined, close: () => undefined }),
    endless: { send: () => undefined },
    fails: Promise.reject(new Error("no way")),
  };
  const mcpServers = Object.fromEntries(
    Object.entries(ways).map(([name, way]) => [name, { type: "transport", open: () => way } as McpServerConfig]),
  );
  const connect = async (transport: Parameters<McpServerInstance["connect"]>[0]): Promise<void> => {
    await createSdkMcpServer({ name: "own" }).instance.connect(transport);
    transport.onclose = broken("no end");
  };
  mcpServers["own"] = { type: "sdk", name: "own", instance: { connect } };
  const { engine } = await openSession(calling(), { mcpServers });
  await turn(engine, "hi");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  const none = "its open() did not return a transport, an object with the functions send and close.";
  expect(engine.mcpServerStatus()).toMatchObject([
    { name: "throws", status: "failed", error: "no line." },
    { name: "rejects", status: "failed", error: "no line." },
    { name: "later", status: "failed", error: none },
    { name: "endless", status: "failed", error: none },
    { name: "fails", status: "failed", error: none },
    { name: "own", status: "connected" },
  ]);
  await engine.dispose();
});

test("does not wait without end for a host's transport or server that hangs", async () => {
  const never = (): Promise<void> => new Promise(() => undefined);
  const limits: number[] = [];
  const clock = {
    elapsed: () => 0,
    timer(ms: number, onFire: () => void) {
      limits.push(ms);
      onFire();
      return () => undefined;
    },
  };
  await adaptTransport({ send: () => undefined, close: never }, clock).close();
  expect(limits).toEqual([1_000]);
  const ends: Parameters<McpServerInstance["connect"]>[0][] = [];
  const hanging = { connect: (theirs: (typeof ends)[number]) => (ends.push(theirs), never()) };
  await expect(connectInstance(hanging, AbortSignal.abort())).rejects.toThrow("it was cancelled");
  // What comes late is kept for nobody.
  await expect(ends[0]?.send({ method: "late" } as never)).rejects.toThrow("the connection is closed");
  const closing = { connect: async (theirs: { onclose?: () => unknown }) => void (theirs.onclose = never) };
  await (await connectInstance(closing, new AbortController().signal)).close();
});

test("an error in a host's server becomes the answer to the call", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const failing = {
    async connect(theirs: { onmessage?: (message: never) => unknown; start(): Promise<void> }) {
      theirs.onmessage = ({ method }: { method: string }) => {
        if (method === "at once") throw new Error("no table");
        return Promise.reject(new Error("no such table"));
      };
      await theirs.start();
    },
  };
  const way = await connectInstance(failing as McpServerInstance, new AbortController().signal);
  const answers: object[] = [];
  way.onmessage = (answer) => void answers.push(answer);
  await way.start();
  for (const message of [{ id: 1, method: "at once" }, { id: 2, method: "later" }, { method: "told" }, { id: 3 }])
    await way.send(message);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  expect(answers).toMatchObject([
    { id: 1, error: { code: -32_603, message: "no table" } },
    { id: 2, error: { code: -32_603, message: "no such table" } },
  ]);
});
