// Commands of the session through the real command: what a script and a client receive.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonLines } from "../support/json-lines.ts";
import { put } from "../support/put.ts";
import { worldOfEachTest } from "./support/worlds.ts";

const open = worldOfEachTest();

const user = (content: string): string => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;

describe('pawl -p "/…"', () => {
  test("context prints plain text into a pipe, sends no request and leaves no session", async () => {
    const { run, server, home } = await open({ steps: [] });
    const { code, stdout, stderr } = await run(["-p", "/context"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^claude-sonnet-5-5: .* of .* tokens/u);
    expect(stdout).not.toContain("\x1b");
    expect(server.requests).toHaveLength(0);
    expect(readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith(".jsonl"))).toEqual([]);
  });

  test("context prints JSON with --output-format json and with --json", async () => {
    const { run } = await open({ fallback: "ok" });
    const result = JSON.parse((await run(["-p", "/context", "--output-format", "json"])).stdout) as {
      local_command: string;
      local_command_output: { data: unknown };
    };
    expect(result.local_command).toBe("context");
    expect(result.local_command_output.data).toMatchObject({ model: "claude-sonnet-5-5", basis: "estimated" });
    const text = JSON.parse((await run(["-p", "/context --json"])).stdout) as unknown;
    expect(text).toMatchObject({ model: "claude-sonnet-5-5", totalTokens: expect.any(Number) });
  });

  test("with a mistyped command lists the commands on stderr and exits with 1", async () => {
    const { run, server } = await open({ steps: [] });
    const { code, stdout, stderr } = await run(["-p", "/contexts"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^pawl: There is no command \/contexts\. Did you mean \/context\?[^]*\n\/compact/u);
    expect(server.requests).toHaveLength(0);
  });

  test("with a path sends it as a prompt", async () => {
    const { run, server } = await open({ fallback: "I see." });
    expect((await run(["-p", "/usr/bin is broken"])).stdout).toBe("I see.\n");
    expect((await run(["-p", "/tmp is full"])).stdout).toBe("I see.\n");
    expect(server.requests).toHaveLength(2);
  });

  test("with --disable-slash-commands sends any text as a prompt and offers no skill", async () => {
    const { run, server, home } = await open({ fallback: "I see." });
    put(join(home, ".claude/skills/notes/SKILL.md"), "Takes notes.\n");
    expect((await run(["-p", "hello"])).code).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("Takes notes.");
    expect((await run(["-p", "--disable-slash-commands", "/context"])).stdout).toBe("I see.\n");
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('"/context"');
    expect(sent).not.toContain("Takes notes.");
    expect(sent).not.toContain('"Skill"');
  });

  test("compact shortens the session that --continue picks", async () => {
    const { run, server } = await open({ fallback: `A long answer. ${"Words. ".repeat(800)}` });
    const streams = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
    await run(streams, { input: user("one") + user("two") + user("three") });
    const { code, stdout, stderr } = await run(["-p", "--continue", "/compact keep the names"]);
    expect(stderr).toMatch(/^pawl: session [\da-f-]{36}, kept in /u);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^The conversation was compacted: from about /u)]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("keep the names");
  });
});

test("stream-json: prompts and commands share one session with a result each, and /clear starts a new id", async () => {
  const { run, server } = await open({ fallback: "ok" });
  const input = user("one") + user("/cost") + user("/clear") + user("two");
  const { code, stdout } = await run(
    ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
    { input },
  );
  expect(code).toBe(0);
  const all = jsonLines(stdout);
  const inits = all.filter(({ subtype }) => subtype === "init");
  expect(inits[0]?.["slash_commands"]).toEqual(expect.arrayContaining(["context", "compact", "clear", "cost"]));
  const results = all.filter(({ type }) => type === "result");
  expect(results.map((result) => [result["num_turns"], result["is_error"]])).toEqual([
    [1, false],
    [0, false],
    [0, false],
    [1, false],
  ]);
  expect(results[1]?.["result"]).toMatch(/^\$0\.\d+ so far\n {2}claude-sonnet-5-5: /u);
  const [first, second, third, fourth] = results.map((result) => String(result["session_id"]));
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  expect(fourth).toBe(third);
  expect(all.find(({ type }) => type === "conversation_reset")).toMatchObject({ new_conversation_id: third });
  expect(all.filter(({ subtype }) => subtype === "local_command_output")).toHaveLength(2);
  expect(server.requests.map(({ body }) => (body as { messages: unknown[] }).messages.length)).toEqual([1, 1]);
});
