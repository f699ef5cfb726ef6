// What need not wait for the turn that runs, in stream-json input.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { DrivenEngine } from "../../../src/surface/engine-port.ts";
import { runStdio } from "../../../src/surface/stdio/run.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { fakeEngine, success, type Turn } from "../support/messages.ts";
import { Collector, settled } from "../support/sink.ts";
import { drive, says } from "./client.ts";

const line = (content: string): string => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;

test("a side question is replayed and answered during the running turn", async () => {
  const stdin = new PassThrough();
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const turn: Turn = async function* () {
    await held;
    yield success("done");
  };
  const engine = fakeEngine(turn);
  async function* beside() {
    yield success("a heron");
  }
  engine.submitBeside = (prompt) => (prompt === "/btw which?" ? beside() : undefined);
  const stdout = new Collector();
  const running = runStdio({
    open: async () => engine as unknown as DrivenEngine,
    stdin,
    asksClient: false,
    replaysUserMessages: true,
    env: {},
    mayBypass: false,
    version: "1.2.3",
    stdout,
    stderr: new Collector(),
    stop: new StopDesk(),
    newId: () => "new-id",
  });
  stdin.write(line("one"));
  await settled();
  stdin.end(line("/btw which?") + line("two"));
  await settled();
  expect(stdout.text).toContain("a heron");
  go();
  expect(await running).toBe(0);
  expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  const told = stdout.text
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as { result?: string; message?: { content: string } });
  expect(told.map(({ result, message }) => result ?? message?.content)).toEqual([
    "/btw which?",
    "a heron",
    "done",
    "done",
  ]);
});

// Seen: the result of /status came in the middle of the turn, and a client took it for that turn's.
test("a command that shows something waits for its turn, so that results come in the order of the messages", () => {
  const first = Promise.withResolvers<ReturnType<typeof says>>();
  return drive(
    () => first.promise,
    {},
    async (client) => {
      client.sendPrompt("go");
      await client.server.whenAsked(1);
      client.sendPrompt("/status");
      client.sendPrompt([{ type: "text", text: "/permissions" }]);
      await client.request("get_binary_version");
      first.resolve(says("done"));
      await client.result(3);
      const turns = client.messages.flatMap(({ type, subtype, local_command: command }) =>
        type === "result" ? [command ?? "answer"] : subtype === "init" ? ["init"] : [],
      );
      expect(turns).toEqual(["init", "answer", "init", "status", "init", "permissions"]);
    },
  );
});
