// Background commands that outlast the only turn of a headless run: the stream reports how each of them ended.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Script } from "../../src/testing/index.ts";
import { createWorld, type World } from "./command.ts";

let world: World | undefined;
afterEach(() => world?.close());

const begun = (command: string) => ({ content: [{ tool: "Bash", input: { command, run_in_background: true } }] });
const args = ["-p", "--allowed-tools", "Bash", "--output-format", "stream-json", "--", "Go."];
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));

test("a background command that ends after the result is still reported", async () => {
  world = await createWorld({ steps: [begun("until [ -e go ]; do sleep 0.02; done; echo over"), "It runs."] });
  const { done, saw } = world.start(args);
  await saw('"type":"result"');
  writeFileSync(join(world.folder, "go"), "");
  const { code, stdout } = await done;
  expect(code).toBe(0);
  const lines = linesOf(stdout);
  expect(lines.filter(({ subtype }) => subtype === "task_notification")).toHaveLength(1);
  expect(lines.at(-1)).toMatchObject({ subtype: "task_notification", status: "completed", exit_code: 0 });
});

test("Ctrl+C does not wait for background commands", async () => {
  world = await createWorld({ steps: [begun("trap '' TERM; sleep 60"), "It runs."] });
  const { child, done, saw } = world.start(args);
  await saw('"type":"result"');
  child.kill("SIGINT");
  const { code, stdout } = await done;
  expect(code).toBe(130);
  expect(linesOf(stdout).some(({ type }) => type === "result")).toBe(true);
});

const withHook = (command: string) => {
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command, async: true }] }] };
  return ["--include-hook-events", "--settings", JSON.stringify({ hooks }), ...args];
};

test("an async hook that ends after the result is still reported", async () => {
  world = await createWorld({ steps: ["Done."] });
  const { done, saw } = world.start(withHook("until [ -e go ]; do sleep 0.02; done; echo over"));
  await saw('"type":"result"');
  writeFileSync(join(world.folder, "go"), "");
  const { code, stdout } = await done;
  expect(code).toBe(0);
  const lines = linesOf(stdout);
  expect(lines.at(-1)).toMatchObject({ subtype: "hook_response", outcome: "success", stdout: "over\n" });
});

test("an async hook that does not end is cancelled, and the cancellation is reported", async () => {
  world = await createWorld({ steps: ["Done."] });
  const { code, stdout } = await world.run(withHook("exec sleep 60"));
  expect(code).toBe(0);
  expect(linesOf(stdout).at(-1)).toMatchObject({ subtype: "hook_response", outcome: "cancelled" });
});

// Seen: it was waited for as the session was closed, five seconds.
test("Ctrl+C cancels a running async hook at once", async () => {
  world = await createWorld({ steps: ["Done."] });
  const { child, done, saw } = world.start(withHook("exec sleep 60"));
  await saw('"type":"result"');
  child.kill("SIGINT");
  const { code, stdout } = await done;
  expect(code).toBe(130);
  expect(linesOf(stdout).at(-1)).toMatchObject({ subtype: "hook_response", outcome: "cancelled" });
});

const agent = { description: "wait", subagent_type: "general-purpose", prompt: "Wait.", run_in_background: true };
/** In the background, until the file `go` is there. */
const agentThatWaits: Script = {
  rules: [
    { when: { lastUserText: "Go." }, reply: { content: [{ tool: "Agent", input: agent }] }, times: 1 },
    {
      when: { lastUserText: "Wait." },
      reply: { content: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
      times: 1,
    },
  ],
  fallback: "Done.",
};

test("a client that interrupted is told when an agent ends, without an extra turn", async () => {
  world = await createWorld(agentThatWaits);
  const { child, done, saw } = world.start([...args.slice(0, -2), "--input-format", "stream-json"], { stdin: "open" });
  const send = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`);
  send({ type: "user", message: { role: "user", content: "Go." } });
  await saw('"type":"result"');
  send({ type: "control_request", request_id: "stop", request: { subtype: "interrupt" } });
  await saw('"request_id":"stop"');
  writeFileSync(join(world.folder, "go"), "");
  // As clients do that know of an agent.
  await saw('"task_notification"');
  send({ type: "user", message: { role: "user", content: "And?" } });
  child.stdin.end();
  const { code, stdout } = await done;
  expect(code).toBe(0);
  const lines = linesOf(stdout);
  expect(lines.filter(({ subtype }) => subtype === "task_notification")).toHaveLength(1);
  expect(lines.filter(({ type }) => type === "result")).toHaveLength(2);
  expect(lines.at(-1)).toMatchObject({ type: "result" });
});

test("a client that waited for an agent up to the limit and stays connected is told when it ends", async () => {
  world = await createWorld(agentThatWaits);
  const env = { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "1", CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" };
  const { child, done, saw } = world.start([...args.slice(0, -2), "--input-format", "stream-json"], {
    stdin: "open",
    env,
  });
  child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "Go." } })}\n`);
  await saw('"state":"idle"');
  writeFileSync(join(world.folder, "go"), "");
  await saw('"task_notification"');
  child.stdin.end();
  const { code, stdout } = await done;
  expect(code).toBe(0);
  expect(linesOf(stdout).filter(({ subtype }) => subtype === "task_notification")).toHaveLength(1);
});

test.each(["text", "stream-json"])(
  "an agent that outlasts the wait is ended, and its end is reported once (%s input)",
  async (format) => {
    world = await createWorld(agentThatWaits);
    const env = { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "1" };
    const line = { type: "user", message: { role: "user", content: "Go." } };
    const { code, stdout } =
      format === "text"
        ? await world.run(args, { env })
        : await world.run([...args.slice(0, -2), "--input-format", format], { env, input: JSON.stringify(line) });
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    const { task_id } = lines.find(({ subtype }) => subtype === "task_started") ?? {};
    expect(task_id).toBeTypeOf("string");
    const notifications = lines.filter(({ subtype }) => subtype === "task_notification");
    expect(notifications).toMatchObject([{ task_id, status: "stopped" }]);
  },
);
