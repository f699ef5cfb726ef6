// Calls that models make who know other agents: tools that are not there, and parameters that a tool does not have.
import { afterEach, expect, test } from "vitest";
import { replaySession } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

interface Result {
  type: string;
  content: string;
  is_error?: boolean;
}

async function answersTo(parts: Part[], tools?: string[]): Promise<string[]> {
  const ground = layGround();
  ground.file("a.txt", "one\n");
  const model = scripted({ steps: [{ content: parts }, "Done."] });
  const engine = await openOn(ground, model, { permissionMode: "acceptEdits", tools });
  await turn(engine, "Go.");
  await engine.dispose();
  expect(await replaySession(engine.getSessionId(), { home: ground.home, cwd: ground.work, env: {} })).toMatchObject({
    same: 1,
    differs: 0,
  });
  const told = calls(model).at(-1)!.body!.messages.at(-1)!.content as unknown as Result[];
  return told.filter(({ type }) => type === "tool_result").map(({ content }) => content);
}

test("an unknown tool is answered with the existing tools, or with the one that was meant", async () => {
  const [ls, bash, output] = await answersTo([
    { tool: "LS", input: { path: "." } },
    { tool: "bash", input: { command: "ls" } },
    { tool: "BashOutput", input: { bash_id: "b1" } },
  ]);
  expect(ls).toMatch(/^<tool_use_error>No such tool available: LS\. The tools are (?:\w+, )*Bash, (?:\w+, )*Write\.</);
  expect(bash).toBe("<tool_use_error>No such tool available: bash. Did you mean Bash?</tool_use_error>");
  expect(output).toContain(
    "No such tool available: BashOutput. A background command writes to a file: Read the file named when it started. When an agent ends, you are told what it said",
  );
});

// Seen: "There are ." of an agent with `tools: []`.
test('an unknown tool is answered with "There are no tools here" if there are none', async () => {
  const [ls] = await answersTo([{ tool: "LS", input: {} }], []);
  expect(ls).toBe("<tool_use_error>No such tool available: LS. There are no tools here.</tool_use_error>");
});

test("an unknown parameter is reported as ignored, whether the call succeeds, fails or is refused", async () => {
  const [grep, bash, edit, read] = await answersTo([
    { tool: "Grep", input: { pattern: "one", include: "*.md" } },
    { tool: "Bash", input: { command: "echo here", workdir: "/srv", timeout_ms: 5 } },
    { tool: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "1", replaceAll: true } },
    { tool: "Read", input: { path: "a.txt" } },
  ]);
  expect(grep).toBe('a.txt\n[Grep has no parameter "include": ignored.]');
  expect(bash).toBe('here\n[Bash has no parameter "workdir", "timeout_ms": ignored.]');
  expect(edit).toContain('has not been read yet. Read it first, then try again.\n[Edit has no parameter "replaceAll"');
  expect(read).toContain('does not have required property "file_path". There is no "path".');
});
