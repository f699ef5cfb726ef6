// What a resume brings back besides the messages, and what it never does.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { Part, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  linesOf,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function todos(...names: string[]): Part {
  const list = names.map((name) => ({ content: name, status: "pending", activeForm: name }));
  return { tool: "TodoWrite", input: { todos: list } };
}

/** The file as a death of the process leaves it: everything up to and with the last line that holds `text`. */
function dieAfter(engine: QueryEngine, text: string): void {
  const path = engine.getTranscriptPath()!;
  const lines = readFileSync(path, "utf8").split("\n");
  const last = lines.findLastIndex((line) => line.includes(text));
  expect(last).toBeGreaterThan(0);
  writeFileSync(path, `${lines.slice(0, last + 1).join("\n")}\n`);
}

async function again(ground: Ground, engine: QueryEngine, model: ScriptedModel, extra: EngineOptions = {}) {
  await engine.dispose();
  return openOn(ground, model, { model: undefined, resume: engine.getSessionId(), ...extra });
}

describe("the cost of a resumed session", () => {
  test("includes every finished response of a turn in which the process died", async () => {
    const ground = layGround();
    const glob: Part = { tool: "Glob", input: { pattern: "*" } };
    const model = scripted({ steps: ["One.", { content: [glob] }, { content: [glob] }, "Two.", "Three."] });
    const engine = await openOn(ground, model);
    await turn(engine, "1");
    await turn(engine, "2");
    await engine.dispose();
    dieAfter(engine, '"type":"response_end"');
    const resumed = await again(ground, engine, model);
    expect(resumed.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 10);
    const { result } = await turn(resumed, "3");
    expect(result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
    const output = calls(model).reduce((sum, call) => sum + Number(call.usage?.output_tokens), 0);
    expect(result.modelUsage["claude-sonnet-5-5"]!.outputTokens).toBe(output);
  });

  test("stays right when the session is rewound after a death and the process dies again", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Answer." });
    const engine = await openOn(ground, model);
    await turn(engine, "1");
    const last = engine.getMessages().at(-1)!.uuid;
    await turn(engine, "2");
    await engine.dispose();
    dieAfter(engine, '"type":"system","subtype":"response_end"');
    const back = await again(ground, engine, scripted({}), { resumeSessionAt: last });
    const cost = back.getCost();
    const written = readFileSync(engine.getTranscriptPath()!);
    await back.dispose();
    writeFileSync(engine.getTranscriptPath()!, written);
    const resumed = await again(ground, engine, scripted({}));
    expect(resumed.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 10);
    expect(resumed.getCost()).toMatchObject({ totalUsd: cost.totalUsd, modelUsage: cost.modelUsage });
  });

  test("counts nothing twice if nothing died", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Answer." });
    let engine = await openOn(ground, model);
    for (let round = 0; round < 3; round++) {
      await turn(engine, "Go.");
      engine = await again(ground, engine, model);
    }
    expect(engine.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 10);
  });
});

describe("the todo list of a resumed session", () => {
  const listed = async (ground: Ground, engine: QueryEngine): Promise<string[]> => {
    const model = scripted({ steps: [{ content: [todos("probe")] }, "."] });
    const resumed = await again(ground, engine, model);
    const { messages } = await turn(resumed, "?");
    const output = messages.flatMap((message) => (message.type === "user" ? [message.tool_use_result] : []));
    return (output[0] as { oldTodos: { content: string }[] }).oldTodos.map(({ content }) => content);
  };

  test("is as the last call left it, even if the turn never ended", async () => {
    const ground = layGround();
    const engine = await openOn(
      ground,
      scripted({ steps: [{ content: [todos("a")] }, ".", { content: [todos("b", "c")] }, "."] }),
    );
    await turn(engine, "1");
    await turn(engine, "2");
    await engine.dispose();
    dieAfter(engine, '"newTodos"');
    expect(await listed(ground, engine)).toEqual(["b", "c"]);
  });

  test("stays empty once it was emptied", async () => {
    const ground = layGround();
    const engine = await openOn(
      ground,
      scripted({ steps: [{ content: [todos("a")] }, ".", { content: [todos()] }, "."] }),
    );
    await turn(engine, "1");
    await turn(engine, "2");
    expect(linesOf(engine).findLast((line) => line.type === "todos")?.data).toEqual([]);
    expect(await listed(ground, engine)).toEqual([]);
  });
});

describe("a file that was read before a resume", () => {
  const edit = (path: string): Part => ({
    tool: "Edit",
    input: { file_path: path, old_string: "one", new_string: "two" },
  });

  test("can be edited, and read again in full", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const read: Part = { tool: "Read", input: { file_path: path } };
    const engine = await openOn(ground, scripted({ steps: [{ content: [read] }, "."] }));
    await turn(engine, "Read.");
    const model = scripted({ steps: [{ content: [read] }, { content: [edit(path)] }, "."] });
    const resumed = await again(ground, engine, model, { permissionMode: "acceptEdits" });
    await turn(resumed, "Edit.");
    expect(readFileSync(path, "utf8")).toBe("two\n");
    expect(JSON.stringify(calls(model)[1]!.body!.messages.at(-1))).toContain("one");
  });

  test("cannot be edited without reading if it has changed", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\n");
    const engine = await openOn(
      ground,
      scripted({ steps: [{ content: [{ tool: "Read", input: { file_path: path } }] }, "."] }),
    );
    await turn(engine, "Read.");
    ground.file("a.txt", "one and more\n");
    const model = scripted({ steps: [{ content: [edit(path)] }, "."] });
    const resumed = await again(ground, engine, model, { permissionMode: "acceptEdits" });
    await turn(resumed, "Edit.");
    expect(readFileSync(path, "utf8")).toBe("one and more\n");
    expect(JSON.stringify(calls(model)[1]!.body!.messages.at(-1))).toContain("changed since");
  });

  test("counts as read only up to the message the session is rewound to, also in a later resume", async () => {
    const ground = layGround();
    const [early, late] = ["early.txt", "late.txt"].map((name) => ground.file(name, "one\n")) as [string, string];
    const reads = [early, late].flatMap((file_path) => [
      { content: [{ tool: "Read", input: { file_path } }] },
      "Read.",
    ]);
    const engine = await openOn(ground, scripted({ steps: reads }));
    await turn(engine, "1");
    const last = engine.getMessages().at(-1)!.uuid;
    await turn(engine, "2");
    const back = await again(ground, engine, scripted({}), { resumeSessionAt: last });
    const model = scripted({ steps: [{ content: [edit(early), edit(late)] }, "."] });
    await turn(await again(ground, back, model, { permissionMode: "acceptEdits" }), "Edit.");
    expect([early, late].map((path) => readFileSync(path, "utf8"))).toEqual(["two\n", "one\n"]);
  });
});

describe("the model of a resumed session", () => {
  test("is the one the session started with", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "." });
    const engine = await openOn(ground, model, { model: "claude-haiku-5-5" });
    await turn(engine, "1");
    const resumed = await again(ground, engine, model);
    expect(resumed.getModel()).toBe("claude-haiku-5-5");
  });

  test("is the one chosen last, unless another is requested now", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "." });
    const engine = await openOn(ground, model);
    await turn(engine, "1");
    engine.setModel("claude-opus-5-5");
    const resumed = await again(ground, engine, model);
    expect(resumed.getModel()).toBe("claude-opus-5-5");
    const other = await again(ground, resumed, model, { model: "claude-haiku-5-5" });
    await turn(other, "2");
    expect(calls(model).at(-1)!.body!.model).toBe("claude-haiku-5-5");
    expect((await again(ground, other, model)).getModel()).toBe("claude-haiku-5-5");
  });
});

describe("the permission mode of a resumed session", () => {
  test("is the one requested now, whatever it was before", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "." });
    let engine = await openOn(ground, model, { permissionMode: "acceptEdits" });
    await turn(engine, "1");
    engine = await again(ground, engine, model);
    expect(engine.getPermissionMode()).toBe("default");
    engine = await again(ground, engine, model, { permissionMode: "dontAsk" });
    await turn(engine, "2");
    engine = await again(ground, engine, model, { settings: '{"permissions":{"defaultMode":"plan"}}' });
    expect(engine.getPermissionMode()).toBe("plan");
  });

  test("is never restored to bypassPermissions or plan, however the session came to it", async () => {
    for (const mode of ["bypassPermissions", "plan"] as const) {
      for (const how of ["start", "set", "set early"]) {
        const ground = layGround();
        const model = scripted({ fallback: "." });
        const options: EngineOptions = how === "start" ? { permissionMode: mode } : { permissionMode: "acceptEdits" };
        const engine = await openOn(ground, model, options);
        if (how === "set early") engine.setPermissionMode(mode);
        await turn(engine, "1");
        if (how === "set") engine.setPermissionMode(mode);
        expect(engine.getPermissionMode()).toBe(mode);
        expect((await again(ground, engine, model)).getPermissionMode(), how).toBe("default");
      }
    }
  });

  test("grants no permission that somebody wrote into the transcript", async () => {
    const ground = layGround();
    const model = scripted({ steps: [".", { content: [{ tool: "Bash", input: { command: "touch made" } }] }, "."] });
    const engine = await openOn(ground, model);
    await turn(engine, "1");
    await engine.dispose();
    const path = engine.getTranscriptPath()!;
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"mode":"default"', '"mode":"bypassPermissions"'));
    const resumed = await again(ground, engine, model);
    const { result } = await turn(resumed, "2");
    expect(result.permission_denials).toHaveLength(1);
  });
});

test("continues a transcript with one line of a newer version, with a notice", async () => {
  const ground = layGround();
  const before = await openOn(ground, scripted({ fallback: "Answer." }));
  await turn(before, "First.");
  await before.dispose();
  const path = before.getTranscriptPath()!;
  appendFileSync(path, `${JSON.stringify({ ...linesOf(before).at(-1), type: "later" })}\n`);
  const notices: string[] = [];
  const about = { resume: before.getSessionId(), onNotice: (text: string) => notices.push(text) };
  const engine = await openOn(ground, scripted({}), about);
  expect(JSON.stringify(engine.getMessages())).toContain("First.");
  expect(notices.join()).toMatch(/1 line .* of a kind that only a newer version of pawl knows, and is ignored/u);
});

test.each([
  ["all", {}],
  ["all", { forkSession: true }],
  ["what was said", {}],
  ["what was said", { forkSession: true }],
] as const)(
  "refuses a transcript of which a newer version wrote %s, and leaves it unchanged: %j",
  async (what, more) => {
    const ground = layGround();
    const before = await openOn(ground, scripted({ fallback: "Answer." }));
    await turn(before, "First.");
    await before.dispose();
    const path = before.getTranscriptPath()!;
    const lines = what === "all" ? /^\{"v":1,/gmu : /^\{"v":1,(?="type":"(?:user|assistant|system)")/gmu;
    const written = readFileSync(path, "utf8").replaceAll(lines, '{"v":2,');
    writeFileSync(path, written);
    const failing = openOn(ground, scripted({}), { resume: before.getSessionId(), ...more });
    await expect(failing).rejects.toMatchObject({
      code: "session_unreadable",
      message: expect.stringMatching(/by a newer version of pawl, .* update pawl/u) as string,
    });
    expect(readFileSync(path, "utf8")).toBe(written);
  },
);
