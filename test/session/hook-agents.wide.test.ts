// Hooks of the kind `agent`: they look around with reading tools, and answer.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Script } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const hooks = (more: object = {}) => ({
  Stop: [{ hooks: [{ type: "agent", prompt: "Are the notes in order? $ARGUMENTS", ...more }] }],
});

async function run(steps: Script["steps"], options: EngineOptions = {}, ground = layGround()) {
  const model = scripted({ steps, fallback: '{"ok": true}' });
  const engine = await openOn(ground, model, { settings: JSON.stringify({ hooks: hooks() }), ...options });
  const { messages, result } = await turn(engine, "Go.");
  return { ground, model, messages, result, engine, asked: calls(model).map(({ body }) => body) };
}

test("an agent hook reads files before it answers, and its reason goes to the model", async () => {
  const ground = layGround();
  const path = ground.file("notes.txt", "the secret word is plover");
  const { asked, messages, engine } = await run(
    [
      { content: [{ text: "All done." }] },
      { content: [{ tool: "Read", input: { file_path: path } }] },
      { content: [{ text: 'I looked. {"ok": false, "reason": "it says plover"}' }] },
      { content: [{ text: "Mended." }] },
    ],
    {},
    ground,
  );
  expect(asked).toHaveLength(5);
  const [, first, second, third] = asked;
  expect(first?.tools?.map(({ name }) => name)).toEqual(["Glob", "Grep", "Read"]);
  expect(JSON.stringify(first)).toContain("Are the notes in order?");
  expect(JSON.stringify(second?.messages)).toContain("plover");
  expect(JSON.stringify(third?.messages)).toContain("Stop hook feedback:\\nit says plover");
  // Nothing of its conversation is part of the session's.
  expect(JSON.stringify(third?.messages)).not.toContain("secret word");
  expect(JSON.stringify(engine.getMessages())).not.toContain("secret word");
  expect(JSON.stringify(messages)).not.toContain("secret word");
  const { modelUsage } = engine.getCost();
  expect(Object.keys(modelUsage)).toHaveLength(2);
});

test("an agent hook makes no more effort than settings allow", async () => {
  const settings = JSON.stringify({ hooks: hooks(), maxEffortLevel: "low" });
  const { asked } = await run([{ content: [{ text: "All done." }] }], { settings });
  expect(asked[1]).toMatchObject({ model: "claude-haiku-5-5", output_config: { effort: "low" } });
  const { asked: unlimited } = await run([{ content: [{ text: "All done." }] }], { effort: "max" });
  expect(unlimited[1]).not.toHaveProperty("output_config");
});

test("an agent hook changes and runs nothing, and reads nothing that would need a question", async () => {
  const ground = layGround();
  const made = join(ground.work, "made");
  const { asked } = await run(
    [
      { content: [{ text: "All done." }] },
      {
        content: [
          { tool: "Bash", input: { command: "touch made" } },
          { tool: "Write", input: { file_path: made, content: "x" } },
          { tool: "Read", input: { file_path: "/etc/hostname" } },
          { tool: "Read", input: { file_path: join(ground.work, ".env") } },
        ],
      },
      { content: [{ text: '{"ok": true}' }] },
    ],
    { permissionMode: "bypassPermissions", disallowedTools: ["Read(/etc/**)", "Read(//etc/**)"] },
    (ground.file(".env", "KEY=hush"), ground),
  );
  expect(existsSync(made)).toBe(false);
  const seen = JSON.stringify(asked[2]?.messages);
  expect(seen.match(/"is_error":true/gu)?.length).toBeGreaterThanOrEqual(3);
});

test("an agent hook that takes too many turns or gives no verdict is reported and blocks nothing", async () => {
  const looking = { content: [{ tool: "Glob", input: { pattern: "*" } }] };
  const endless = await run([{ content: [{ text: "All done." }] }, ...Array.from({ length: 60 }, () => looking)]);
  expect(endless.result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
  expect(endless.asked.length).toBeLessThanOrEqual(52);
  expect(JSON.stringify(endless.messages)).toContain("it asked for tools until the end");
  const idle = await run([{ content: [{ text: "All done." }] }, { content: [{ text: "Well, well." }] }]);
  expect(JSON.stringify(idle.messages)).toContain("did not answer with the JSON");
});

test("hooks do not run inside an agent hook", async () => {
  let ran = 0;
  await run(
    [
      { content: [{ text: "All done." }] },
      { content: [{ tool: "Glob", input: { pattern: "*" } }] },
      { content: [{ text: '{"ok": true}' }] },
    ],
    { hooks: { PreToolUse: [{ callback: async () => void (ran += 1) }] } },
  );
  expect(ran).toBe(0);
});
