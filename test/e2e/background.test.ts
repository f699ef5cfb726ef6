// What the real command does in the background at the end of a turn: waited for before it exits, and ended by Ctrl+C.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { projectFolder } from "../../src/transcript/paths.ts";
import type { RequestView, Rule } from "../../src/testing/index.ts";
import { createWorld, type World } from "./command.ts";

let world: World | undefined;
afterEach(() => world?.close());

const args = ["-p", "--output-format", "json", "--settings", '{"autoMemoryEnabled":true}', "--", "I like herons."];
const keeps = ({ body }: RequestView): boolean => JSON.stringify(body.messages.slice(-3)).includes("worth knowing");
const isOver = ({ body }: RequestView): boolean => JSON.stringify(body.messages.at(-1)).includes("tool_result");

test("memory notes are written before the process exits, and the exit code is that of the answer", async () => {
  let path = "";
  const notes: Rule = {
    when: { test: keeps },
    reply: (request) =>
      isOver(request)
        ? "done"
        : {
            content: [{ tool: "Write", input: { file_path: path, content: "Likes herons.\n" } }],
            pace: { firstByteMs: 300 },
          },
  };
  world = await createWorld({ rules: [notes], steps: ["A fine bird."] });
  path = join(projectFolder(join(world.home, ".pawl"), world.folder), "memory", "birds.md");
  const { code, stdout } = await world.run(args);
  expect(JSON.parse(stdout)).toMatchObject({ result: "A fine bird." });
  expect(code).toBe(0);
  expect(readFileSync(path, "utf8")).toBe("Likes herons.\n");
});

test("Ctrl+C while notes are being written ends the writing and the process", async () => {
  const slow: Rule = { when: { test: keeps }, reply: { fault: { kind: "stall", at: "headers" } } };
  world = await createWorld({ rules: [slow], steps: ["A fine bird."] });
  const { child, saw, done } = world.start([
    ...args.slice(0, 3),
    "--debug-file",
    join(world.home, "log"),
    ...args.slice(3),
  ]);
  await saw("A fine bird.");
  while (!readFileSync(join(world.home, "log"), "utf8").includes("memory begins"))
    await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGINT");
  const { code, signal } = await done;
  expect([code, signal]).toEqual([130, null]);
  expect(existsSync(join(projectFolder(join(world.home, ".pawl"), world.folder), "memory", "birds.md"))).toBe(false);
});

test("a background job writes its state to PAWL_JOB_DIR", async () => {
  world = await createWorld({ steps: ["Which port shall it be?"], rules: [{ when: { model: /haiku/ }, reply: "?" }] });
  const folder = join(world.home, "job");
  await world.run(["-p", "Set the port."], { env: { PAWL_JOB_DIR: folder } });
  expect(JSON.parse(readFileSync(join(folder, "state.json"), "utf8"))).toMatchObject({
    state: "needs_input",
    detail: "Which port shall it be?",
  });
});

test("a prompt suggestion follows the result in stream-json, and its flag requires that format", async () => {
  const next: Rule = { when: { lastUserText: "most likely say next" }, reply: "run the tests" };
  world = await createWorld({ rules: [next], steps: ["Done."] });
  const streamed = await world.run([
    "-p",
    "--prompt-suggestions",
    "--output-format",
    "stream-json",
    "--",
    "Set the port.",
  ]);
  const lines = streamed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; suggestion?: string });
  expect(lines.at(-2)?.type).toBe("result");
  expect(lines.at(-1)).toMatchObject({ type: "prompt_suggestion", suggestion: "run the tests" });
  const { code, stderr } = await world.run(["-p", "--prompt-suggestions", "--", "Set the port."]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--output-format stream-json")]);
});
