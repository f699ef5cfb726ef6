// Prompts that begin with a slash: what the session answers itself, and what is for the model all the same.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { commands } from "../../src/session/commands/table.ts";
import type { ContextUsage } from "../../src/protocol/context-usage.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { totalInputTokens } from "../../src/protocol/usage.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  linesOf,
  listed,
  openOn,
  openSession,
  resultOf,
  scripted,
  turn,
  type Turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function textOf({ result }: Turn): string {
  if (result.subtype !== "success") throw new Error(`The result is ${result.subtype}.`);
  return result.result;
}

function usedOf({ categories }: ContextUsage): number {
  return categories.filter(({ kind }) => kind === "used").reduce((sum, { tokens }) => sum + tokens, 0);
}

describe("a command", () => {
  test("is answered between init and one result, without a model call and without writing to disk", async () => {
    const ground = layGround();
    const { engine, model } = await openSession({ steps: [] }, {}, ground);
    const { messages, result } = await turn(engine, "/help");
    expect(messages.map((message) => ("subtype" in message ? message.subtype : message.type))).toEqual([
      "init",
      "local_command_output",
      "success",
    ]);
    expect(messages[0]).toMatchObject({ slash_commands: [...commands.map(({ name }) => name), "init"] });
    expect(messages[1]).toMatchObject({ command: "help", content: expect.stringContaining("/context [--json]") });
    expect(result).toMatchObject({
      is_error: false,
      num_turns: 0,
      total_cost_usd: 0,
      duration_api_ms: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      local_command: "help",
      local_command_output: { argument: "" },
    });
    expect(calls(model)).toHaveLength(0);
    await engine.dispose();
    expect(listed(ground.pawlHome).filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });

  test("is also recognized in a single text block, but not among several blocks", async () => {
    const { engine, model } = await openSession({ fallback: "answered" });
    const block = (text: string) => ({ type: "text" as const, text });
    expect((await turn(engine, [block("/cost")])).result.local_command).toBe("cost");
    await turn(engine, [block("/cost"), block("what does this mean?")]);
    await turn(engine, "/cost", { isMeta: true });
    expect(calls(model)).toHaveLength(2);
  });

  test("that names a skill for the model alone is refused with that reason", async () => {
    const ground = layGround();
    mkdirSync(join(ground.pawlHome, "skills/inner"), { recursive: true });
    const text = "---\nname: inner\ndescription: Does it\nuser-invocable: false\n---\nDo it.\n";
    writeFileSync(join(ground.pawlHome, "skills/inner/SKILL.md"), text);
    const { engine, model } = await openSession({ steps: [] }, {}, ground);
    expect(textOf(await turn(engine, "/inner now"))).toMatch(/^\/inner is a skill for the model alone/u);
    expect(calls(model)).toHaveLength(0);
  });

  test("that does not exist is answered with the nearest name and the list, without a model call", async () => {
    const { engine, model } = await openSession({ steps: [] });
    const said = await turn(engine, "/contxt now");
    expect(said.result).toMatchObject({ subtype: "success", is_error: true });
    expect(textOf(said)).toMatch(/^There is no command \/contxt\. Did you mean \/context\? The commands are:\n\/help/u);
    expect(textOf(await turn(engine, "/"))).toContain("A slash alone is not a command.");
    expect(textOf(await turn(engine, "/Clear"))).toContain("Did you mean /clear?");
    expect(calls(model)).toHaveLength(0);
  });

  test.each([
    "/usr/bin is broken",
    "/tmp is full",
    "/* a comment */",
    "// TODO",
    "/etc/hosts",
    "what is /context?",
    "/a.b",
  ])("is not recognized in %j, which is a prompt", async (prompt) => {
    const { engine, model } = await openSession({ fallback: "answered" });
    expect(textOf(await turn(engine, prompt))).toBe("answered");
    expect(calls(model)).toHaveLength(1);
  });

  test("is not recognized if prompts are verbatim", async () => {
    const { engine, model } = await openSession({ fallback: "answered" }, { verbatimPrompts: true });
    expect(textOf(await turn(engine, "/clear"))).toBe("answered");
    expect(calls(model)).toHaveLength(1);
  });

  test("that is queued while a turn runs is not sent to the model, but waits for a turn of its own", async () => {
    const { engine, model } = await openSession({
      steps: [{ content: [{ tool: "Glob", input: { pattern: "*" } }] }, "done"],
    });
    await turn(engine, "Look.", {
      onMessage: (message) => {
        if (message.type === "assistant" && calls(model).length === 1) engine.enqueue("/cost", "c1");
      },
    });
    const left = engine.takeQueued();
    expect(left?.uuid).toBe("c1");
    expect(JSON.stringify(calls(model).at(-1)?.body)).not.toContain("/cost");
    expect((await turn(engine, left?.prompt ?? "")).result.local_command).toBe("cost");
  });
});

describe("/context", () => {
  test("adds up to the tokens the API counted and fills the window", async () => {
    const ground = layGround();
    ground.file("a.txt", "many words of a file\n".repeat(300));
    ground.file("AGENTS.md", "Speak plainly.\n".repeat(50));
    const { engine } = await openSession(
      {
        steps: [
          {
            content: [
              "I look.",
              { tool: "Read", input: { file_path: `${ground.work}/a.txt` } },
              { tool: "Glob", input: { pattern: "*" } },
            ],
          },
          "It says many words.",
        ],
      },
      {},
      ground,
    );
    await turn(engine, "What does it say?");
    const said = await turn(engine, "/context");
    const data = said.result.local_command_output?.data as ContextUsage;
    const end = engine.getMessages().findLast((message) => message.type === "response_end");
    if (end?.type !== "response_end") throw new Error("No response was counted.");
    expect(data.totalTokens).toBe(totalInputTokens(end.usage) + end.usage.outputTokens);
    expect(data.basis).toBe("counted");
    expect(usedOf(data)).toBe(data.totalTokens);
    expect(data.categories.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(data.maxTokens);
    expect(data.categories.filter(({ kind }) => kind === "used").map(({ id }) => id)).toEqual([
      "system_prompt",
      "tools",
      "memory_files",
      "user",
      "assistant",
      "tool_calls",
      "tool_results",
    ]);
    expect(data.toolResults.map(({ name }) => name)).toEqual(["Read", "Glob"]);
    expect(data.memoryFiles.map(({ path }) => path)).toEqual([`${ground.work}/AGENTS.md`]);
    expect(data.memoryFiles[0]?.tokens).toBeGreaterThan(100);
    expect(data.apiUsage).toMatchObject({ output_tokens: end.usage.outputTokens });
    expect(data).toEqual(engine.getContextUsage());
    expect(textOf(said)).toContain("as the API counted the last response");
    expect(textOf(said)).toContain("    Read: ");
  });

  test("says that it is an estimate before the first response", async () => {
    const { engine } = await openSession({ steps: [] });
    const said = await turn(engine, "/context");
    expect(said.result.local_command_output?.data).toMatchObject({
      basis: "estimated",
      apiUsage: null,
      isAutoCompactEnabled: true,
    });
    expect(textOf(said)).toContain("estimated: no response has counted");
    expect(textOf(said)).toContain("Auto-compact buffer");
  });

  // Seen: who looked before the first message found instructions of 6,000 tokens nowhere.
  test("counts the memory files before the first message without sending anything", async () => {
    const ground = layGround();
    writeFileSync(join(ground.work, "CLAUDE.md"), `${"Mind this. ".repeat(400)}\n@gone.md`);
    const { engine } = await openSession({ steps: ["Hi."] }, {}, ground);
    const before = (await turn(engine, "/context")).result.local_command_output?.data as ContextUsage;
    expect(before.memoryFiles.map(({ path }) => path)).toEqual([`${ground.work}/CLAUDE.md`]);
    expect(before.memoryFiles[0]?.tokens).toBeGreaterThan(500);
    expect(usedOf(before)).toBe(before.totalTokens);
    expect(engine.getMessages()).toEqual([]);
    await turn(engine, "Hello.");
    const after = engine.getContextUsage();
    const memoryOf = ({ categories }: ContextUsage) => categories.find(({ id }) => id === "memory_files")?.tokens ?? 0;
    expect(memoryOf(before) / memoryOf(after)).toBeCloseTo(1, 0);
  });

  test("prints the same data with --json, and refuses other arguments", async () => {
    const { engine } = await openSession({ steps: [] });
    const said = await turn(engine, "/context --json");
    expect(JSON.parse(textOf(said))).toEqual(JSON.parse(JSON.stringify(said.result.local_command_output?.data)));
    expect((await turn(engine, "/context --yaml")).result.is_error).toBe(true);
  });

  test("counts pictures separately", async () => {
    const ground = layGround();
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { engine } = await openSession(
      { steps: [{ content: [{ tool: "Bash", input: { command: "seq 1 60000", description: "count" } }] }, "Much."] },
      { allowedTools: ["Bash"] },
      ground,
    );
    await turn(engine, [
      { type: "text", text: "Count, and look at this." },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ]);
    const usage = engine.getContextUsage();
    expect(usage.categories.find(({ id }) => id === "media")?.tokens).toBeGreaterThan(0);
    expect(usedOf(usage)).toBe(usage.totalTokens);
  });

  test("gives the memory type of each file, also of imported ones", async () => {
    const ground = layGround();
    mkdirSync(join(ground.home, ".claude"), { recursive: true });
    writeFileSync(join(ground.home, ".claude/CLAUDE.md"), "Mine.");
    writeFileSync(join(ground.work, "CLAUDE.md"), "The project's. @more.md");
    writeFileSync(join(ground.work, "more.md"), "More of it.");
    writeFileSync(join(ground.work, "CLAUDE.local.md"), "Mine, here.");
    const { engine } = await openSession({ steps: ["Hi."] }, {}, ground);
    await turn(engine, "Hello.");
    const types = engine.getContextUsage().memoryFiles.map(({ path, type }) => [basename(path), type]);
    expect(Object.fromEntries(types.slice(1))).toEqual({
      "CLAUDE.md": "Project",
      "more.md": "Project",
      "CLAUDE.local.md": "Local",
    });
    expect(types[0]).toEqual(["CLAUDE.md", "User"]);
  });
});

describe("/cost", () => {
  test("shows tokens, the share from cache and dollars per model", async () => {
    const { engine } = await openSession({ steps: ["One.", "Two."] });
    await turn(engine, "1");
    await turn(engine, "2");
    const said = await turn(engine, "/cost");
    const { totalUsd } = engine.getCost();
    expect(said.result.total_cost_usd).toBe(totalUsd);
    const { modelUsage } = engine.getCost();
    expect(said.result.local_command_output?.data).toEqual({ total_cost_usd: totalUsd, modelUsage });
    expect(textOf(said)).toMatch(
      /^\$0\.0\d+ so far\n {2}claude-sonnet-5-5: .* in \(\d[\d.]* % read from cache\), .* out, \$0\.0\d+$/u,
    );
  });

  test("can also be called as /usage, as in other agents", async () => {
    const { engine } = await openSession({ steps: [] });
    expect((await turn(engine, "/usage")).result).toMatchObject({ is_error: false, local_command: "cost" });
  });

  test("says if the price of a model is unknown", async () => {
    const { engine } = await openSession({ models: { nobodys: {} }, fallback: "hm" }, { model: "nobodys", tools: [] });
    await turn(engine, "1");
    expect(textOf(await turn(engine, "/cost"))).toMatch(/^cost unknown so far\n {2}nobodys: .*, cost unknown$/u);
  });
});

describe("/clear", () => {
  test("starts an empty session under a new id, reports it, and resets the cost", async () => {
    const sources: unknown[] = [];
    const ends: unknown[] = [];
    const { engine, model } = await openSession(
      { steps: ["One.", "Two."] },
      {
        hooks: {
          SessionStart: [{ callback: async ({ source }) => void sources.push(source) }],
          SessionEnd: [{ callback: async ({ reason }) => void ends.push(reason) }],
        },
      },
    );
    await turn(engine, "1");
    const old = engine.getSessionId();
    const { messages, result } = await turn(engine, "/clear");
    const reset = messages.find((message) => message.type === "conversation_reset");
    expect(reset).toMatchObject({ session_id: old, new_conversation_id: engine.getSessionId(), trigger: "clear" });
    expect(engine.getSessionId()).not.toBe(old);
    expect(result).toMatchObject({ session_id: engine.getSessionId(), total_cost_usd: 0 });
    expect(engine.getMessages()).toEqual([]);
    await turn(engine, "2");
    expect(calls(model).at(-1)?.body?.messages).toHaveLength(1);
    expect(sources).toEqual(["startup", "clear"]);
    expect(ends).toEqual(["clear"]);
  });

  test("and a dispose at the same time leave nothing open", async () => {
    const { engine } = await openSession({ steps: ["One."] });
    await turn(engine, "1");
    const messages = engine.submitMessage("/clear");
    await messages.next();
    const disposed = engine.dispose();
    for (let step = await messages.next(); step.done !== true; step = await messages.next());
    await disposed;
    expect(() => engine.submitMessage("2")).not.toThrow();
    await expect(engine.submitMessage("2").next()).rejects.toThrow("was closed");
  });
});

describe("/compact", () => {
  test("before the first prompt leaves no session that --continue would resume", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Noted." });
    const first = await openOn(ground, model, {});
    await turn(first, "Remember the heron.");
    await first.dispose();
    const empty = await openOn(ground, model, {});
    expect((await turn(empty, "/compact")).result).toMatchObject({ is_error: true });
    await empty.dispose();
    const again = await openOn(ground, model, { continue: true });
    expect(again.getSessionId()).toBe(first.getSessionId());
  });

  test("summarises with the instructions, reports the boundary, and counts its cost", async () => {
    const { engine, model } = await openSession({
      steps: ["A long story. ".repeat(300), "Another. ".repeat(300), "Third.", "The summary."],
    });
    for (const prompt of ["1", "2", "3"]) await turn(engine, prompt);
    const before = engine.getCost().totalUsd;
    const { messages, result } = await turn(engine, "/compact focus on the ending");
    const kinds = messages.map((message) => ("subtype" in message ? message.subtype : message.type));
    expect(kinds[0]).toBe("init");
    expect(kinds).toContain("compact_boundary");
    expect(
      messages.find((message) => message.type === "system" && message.subtype === "compact_boundary"),
    ).toMatchObject({
      compact_metadata: { trigger: "manual" },
    });
    expect(result).toMatchObject({ is_error: false, num_turns: 0 });
    expect(result.total_cost_usd).toBeGreaterThan(before);
    expect(JSON.stringify(calls(model).at(-1)?.body)).toContain("focus on the ending");
    const usage = engine.getContextUsage();
    expect(usage.savings).toMatchObject([{ layer: "manual_compact", times: 1 }]);
    expect(usage.categories.find(({ id }) => id === "summary")?.tokens).toBeGreaterThan(0);
    expect(linesOf(engine).some(({ type }) => type === "compact_boundary")).toBe(true);
  });

  test("reports an error if there is nothing to compact", async () => {
    const { engine, model } = await openSession({ steps: [] });
    const said = await turn(engine, "/compact");
    expect(said.result.is_error).toBe(true);
    expect(textOf(said)).toMatch(/^The conversation was not compacted: /u);
    expect(calls(model)).toHaveLength(0);
  });
});

describe("/model and /effort", () => {
  test("/model alone lists the models to choose from, shortened by short names and limited by settings", async () => {
    const { engine } = await openSession({ steps: [] });
    const rows = textOf(await turn(engine, "/model")).split("\n");
    expect(rows).toContain("  opus     claude-opus-5-5");
    expect(rows).toContain("  claude-mythos-5-2");
    expect(rows).not.toContain("  claude-opus-5-5");
    const settings = JSON.stringify({ availableModels: ["haiku"] });
    const limited = await openSession({ steps: [] }, { settings, model: "haiku" });
    expect(textOf(await turn(limited.engine, "/model"))).toBe(
      "The model is claude-haiku-5-5. There are:\n  haiku    claude-haiku-5-5",
    );
  });

  test("change the next request, and show the current choice without an argument", async () => {
    const { engine, model } = await openSession({ fallback: "fine" });
    expect(textOf(await turn(engine, "/model"))).toMatch(/^The model is claude-sonnet-5-5\. There are:\n {2}default /u);
    expect(textOf(await turn(engine, "/model opus"))).toMatch(/^From the next message on the model is claude-opus/u);
    const levels = "low, medium, high, xhigh, max, and default";
    expect(textOf(await turn(engine, "/effort"))).toBe(`The effort is the model's default. The levels are ${levels}.`);
    expect(textOf(await turn(engine, "/effort LOW"))).toBe("From the next message on the effort is low.");
    await turn(engine, "hi");
    expect(JSON.stringify(calls(model).at(-1)?.body)).toContain('"effort":"low"');
    expect(calls(model).at(-1)?.body?.model).toMatch(/^claude-opus/u);
    const wrong = await turn(engine, "/effort x");
    expect([wrong.result.is_error, textOf(wrong)]).toEqual([
      true,
      '"x" is not an effort level; the levels are low, medium, high, xhigh, max, and default.',
    ]);
  });
});

describe("/rewind", () => {
  test("lists the prompts, shows what would change, and restores files after confirm", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "old\n");
    const { engine } = await openSession(
      {
        steps: [
          "Hello.",
          { content: [{ tool: "Write", input: { file_path: `${ground.work}/b.txt`, content: "new\n" } }] },
          "Done.",
        ],
      },
      { permissionMode: "acceptEdits" },
      ground,
    );
    expect(textOf(await turn(engine, "/rewind"))).toContain("Nothing was said yet");
    await turn(
      engine,
      ["Hi.", "You."].map((text) => ({ type: "text", text })),
    );
    await turn(engine, "Make b.");
    const list = textOf(await turn(engine, "/rewind"));
    expect(list).toContain("  1  Hi. You.\n  2  Make b.\n");
    const dry = await turn(engine, "/rewind 2");
    expect(textOf(dry)).toContain(
      "These files would be put back to what they were before message 2 (Make b.), +0 −1 lines:",
    );
    expect(listed(ground.work)).toContain("b.txt");
    expect(textOf(await turn(engine, "/rewind 2 now"))).toContain("takes the word confirm");
    expect(textOf(await turn(engine, "/rewind 7"))).toContain("There is no message 7 here");
    const done = await turn(engine, "/rewind 2 confirm");
    expect(textOf(done)).toMatch(/^Put back to what they were before message 2/u);
    expect(listed(ground.work)).toEqual(["a.txt"]);
    expect(path).toContain("a.txt");
    expect(textOf(await turn(engine, "/rewind 1"))).toContain("No file differs");
  });
});

test("a command in a resumed session sees the earlier conversation", async () => {
  const ground = layGround();
  const model = scripted({ steps: ["One."] });
  const first = await openOn(ground, model);
  await turn(first, "1");
  await first.dispose();
  const engine = await openOn(ground, model, { resume: first.getSessionId() });
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage("/context")) messages.push(message);
  expect(resultOf(messages).local_command_output?.data).toMatchObject({ basis: "counted" });
});

describe("/rename and /tag", () => {
  test("are kept in the transcript and shown without an argument, and repeating a tag removes it", async () => {
    const ground = layGround();
    const { engine } = await openSession({ fallback: "." }, { title: "At first" }, ground);
    expect(textOf(await turn(engine, "/rename"))).toBe("This session is called At first.");
    await turn(engine, "x");
    expect(textOf(await turn(engine, "/rename Fix the \u001b[31mparser"))).toBe(
      "This session is called Fix the parser.",
    );
    expect(textOf(await turn(engine, "/tag urgent"))).toBe("This session has the tag urgent.");
    expect(textOf(await turn(engine, "/tag"))).toContain("has the tag urgent");
    const facts = (type: string): unknown[] =>
      linesOf(engine).flatMap((line) => (line.type === type ? [line.data] : []));
    expect(facts("title")).toEqual([{ title: "At first" }, { title: "Fix the parser" }]);
    await engine.dispose();
    const again = await openOn(ground, scripted({ fallback: "." }), { resume: "Fix the parser" });
    expect(again.getSessionId()).toBe(engine.getSessionId());
    expect(textOf(await turn(again, "/rename"))).toContain("Fix the parser");
    expect(textOf(await turn(again, "/tag urgent"))).toBe("The tag urgent is off.");
    await turn(again, "y");
    expect(linesOf(again).flatMap((line) => (line.type === "tag" ? [line.data] : []))).toEqual([
      { tag: "urgent" },
      { tag: null },
    ]);
    await turn(again, "/clear");
    expect(textOf(await turn(again, "/rename"))).toContain("has no title");
  });

  test("are refused if the session is not saved", async () => {
    const { engine } = await openSession({}, { persistSession: false });
    expect((await turn(engine, "/rename x")).result).toMatchObject({ is_error: true });
    expect((await turn(engine, "/tag x")).result).toMatchObject({ is_error: true });
  });
});

test("/export writes the conversation into a new file, and does not overwrite one", async () => {
  const ground = layGround();
  const { engine } = await openSession({ fallback: "A heron." }, {}, ground);
  await turn(engine, "What is it?");
  expect(textOf(await turn(engine, "/export talk.md"))).toBe(`Written to ${join(ground.work, "talk.md")}.`);
  expect(readFileSync(join(ground.work, "talk.md"), "utf8")).toMatch(
    /## User\n\nWhat is it\?\n\n## Assistant\n\nA heron\./,
  );
  await turn(engine, "/export talk.json");
  expect(JSON.parse(readFileSync(join(ground.work, "talk.json"), "utf8"))).toMatchObject({ format: "pawl.session" });
  expect(textOf(await turn(engine, "/export ~/talk.md"))).toBe(`Written to ${join(ground.home, "talk.md")}.`);
  expect((await turn(engine, "/export talk.md")).result).toMatchObject({ is_error: true });
  expect((await turn(engine, "/export")).result).toMatchObject({ is_error: true });
});

test("/export is refused if nothing was said", async () => {
  const { engine } = await openSession({ steps: [] });
  const said = await turn(engine, "/export talk.md");
  expect(said.result.is_error).toBe(true);
  expect(textOf(said)).toBe("Nothing was said yet: there is nothing to export.");
});
