// Who is asked before a tool runs, what each answer does, and what the result says of refusals.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { AskPermission, PermissionAnswer, PermissionQuestion } from "../../src/protocol/permission.ts";
import type { Reply } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const touch = (name: string, id?: string): Reply => ({
  content: [{ tool: "Bash", input: { command: `touch ${name}` }, ...(id === undefined ? {} : { id }) }],
});

interface Asked {
  questions: PermissionQuestion[];
  ask: AskPermission;
}

function answering(...answers: (PermissionAnswer | "never")[]): Asked {
  const questions: PermissionQuestion[] = [];
  return {
    questions,
    async ask(question) {
      questions.push(question);
      const answer = answers[questions.length - 1] ?? answers.at(-1)!;
      return answer === "never" ? new Promise(() => undefined) : answer;
    },
  };
}

async function run(ground: Ground, steps: Reply[], options: EngineOptions) {
  const model = scripted({ steps, fallback: "Done." });
  const engine = await openOn(ground, model, { headless: false, ...options });
  const ran = await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  return { ...ran, engine, model, toolTexts: JSON.stringify(calls(model).at(-1)!.body!.messages) };
}

describe("when nobody can be asked", () => {
  test("a folder of dotfiles can be edited, except the files that the user's own folder links to", async () => {
    const ground = layGround();
    mkdirSync(join(ground.home, ".claude"));
    writeFileSync(join(ground.work, "conf.json"), "{}");
    symlinkSync(join(ground.work, "conf.json"), join(ground.home, ".claude/settings.json"));
    const command = "echo changed > conf.json; echo changed > other.json";
    const steps = command.split("; ").map((each) => ({ content: [{ tool: "Bash", input: { command: each } }] }));
    const { toolTexts } = await run(ground, steps, { headless: true, permissionMode: "acceptEdits" });
    expect(toolTexts).toContain(".claude/settings.json leads to is protected");
    expect(readFileSync(join(ground.work, "conf.json"), "utf8")).toBe("{}");
    expect(readFileSync(join(ground.work, "other.json"), "utf8")).toBe("changed\n");
  });

  test("a call is refused, the refusal names the flag, and the result lists the call", async () => {
    const ground = layGround();
    const { result, messages, toolTexts } = await run(ground, [touch("made", "toolu_one")], { headless: true });
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(toolTexts).toContain("--allowed-tools");
    expect(toolTexts).toContain("headless");
    expect(result).toMatchObject({
      subtype: "success",
      permission_denials: [{ tool_name: "Bash", tool_use_id: "toolu_one", tool_input: { command: "touch made" } }],
    });
    const denied = messages.filter((message) => message.type === "system" && message.subtype === "permission_denied");
    expect(denied).toMatchObject([{ tool_name: "Bash", tool_use_id: "toolu_one" }]);
  });

  test("each turn has its own list of denials", async () => {
    const ground = layGround();
    const model = scripted({ steps: [touch("a"), ".", "."] });
    const engine = await openOn(ground, model);
    expect((await turn(engine, "1")).result.permission_denials).toHaveLength(1);
    expect((await turn(engine, "2")).result.permission_denials).toEqual([]);
  });

  test("calls that rules or modes allow run", async () => {
    for (const options of [
      { allowedTools: ["Bash(touch:*)"] },
      { permissionMode: "bypassPermissions" },
      { settings: JSON.stringify({ permissions: { allow: ["Bash(touch made)"] } }) },
    ] satisfies EngineOptions[]) {
      const ground = layGround();
      const { result } = await run(ground, [touch("made")], options);
      expect(existsSync(join(ground.work, "made"))).toBe(true);
      expect(result.permission_denials).toEqual([]);
    }
  });

  test("a tool that a rule removes is not offered", async () => {
    const ground = layGround();
    const { model, messages } = await run(ground, [{ content: ["Hm."] }], { disallowedTools: ["Bash", "Write"] });
    const offered = calls(model)[0]!.body!.tools!.map(({ name }) => name);
    expect(offered).not.toContain("Bash");
    expect(offered).toContain("Read");
    const [init] = messages;
    expect(init?.type === "system" && init.subtype === "init" && init.tools).toEqual(offered);
  });
});

describe("a person who can be asked", () => {
  test("is not asked about calls that are allowed anyway", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "text");
    const { questions, ask } = answering({ behavior: "deny" });
    const read: Reply = {
      content: [
        { tool: "Read", input: { file_path: path } },
        { tool: "Glob", input: { pattern: "*" } },
        { tool: "TodoWrite", input: { todos: [] } },
      ],
    };
    const { result } = await run(ground, [read], { ask });
    expect(questions).toEqual([]);
    expect(result.permission_denials).toEqual([]);
  });

  test("sees the call and can allow it", async () => {
    const ground = layGround();
    const { questions, ask } = answering({ behavior: "allow" });
    await run(ground, [touch("made")], { ask });
    expect(questions).toMatchObject([{ toolName: "Bash", input: { command: "touch made" }, cwd: ground.work }]);
    expect(existsSync(join(ground.work, "made"))).toBe(true);
  });

  test("can allow calls for good, also after /clear, in this process", async () => {
    const ground = layGround();
    const { questions, ask } = answering({ behavior: "allow", rule: "Bash(touch *)" });
    const { engine } = await run(ground, [touch("one"), { content: "." }, touch("two")], { ask });
    await turn(engine, "/clear");
    await turn(engine, "Again.");
    expect(existsSync(join(ground.work, "two"))).toBe(true);
    expect(questions).toHaveLength(1);
    const other = answering({ behavior: "deny" });
    await run(ground, [touch("three")], { ask: other.ask });
    expect(other.questions).toHaveLength(1);
  });

  test("can refuse with a message for the model", async () => {
    const ground = layGround();
    const { ask } = answering({ behavior: "deny", message: "Not on a Friday." });
    const { result, toolTexts } = await run(ground, [touch("made")], { ask });
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(toolTexts).toContain("Not on a Friday.");
    expect(result.permission_denials).toHaveLength(1);
    expect(result.subtype).toBe("success");
  });

  test("can refuse and end the turn", async () => {
    const ground = layGround();
    const { ask } = answering({ behavior: "deny", interrupt: true });
    const model = scripted({ steps: [touch("made")] });
    const engine = await openOn(ground, model, { ask });
    const { result } = await turn(engine, "Go.");
    expect(result.terminal_reason).toMatch(/^aborted_/);
    expect(result.permission_denials).toHaveLength(1);
    expect(calls(model)).toHaveLength(1);
  });

  test("can change the input: the changed call runs instead", async () => {
    const ground = layGround();
    const { ask } = answering({ behavior: "allow", updatedInput: { command: "touch other" } });
    await run(ground, [touch("made")], { ask });
    expect([existsSync(join(ground.work, "made")), existsSync(join(ground.work, "other"))]).toEqual([false, true]);
  });

  test("cannot change the input into one that is forbidden or invalid", async () => {
    const ground = layGround();
    ground.file("kept", "");
    for (const updatedInput of [{ command: "rm kept" }, { comand: "touch made" }]) {
      const { ask } = answering({ behavior: "allow", updatedInput });
      const { toolTexts } = await run(ground, [touch("made")], { ask, disallowedTools: ["Bash(rm:*)"] });
      expect(toolTexts).toContain("tool_use_error");
    }
    expect([existsSync(join(ground.work, "kept")), existsSync(join(ground.work, "made"))]).toEqual([true, false]);
  });

  test("is not asked about similar calls after adding a rule", async () => {
    const ground = layGround();
    const { questions, ask } = answering({ behavior: "allow", rule: "Bash(touch:*)" }, { behavior: "deny" });
    await run(ground, [touch("a"), touch("b"), { content: [{ tool: "Bash", input: { command: "mkdir c" } }] }], {
      ask,
    });
    expect(questions.map(({ input }) => input["command"])).toEqual(["touch a", "mkdir c"]);
    expect(["a", "b", "c"].map((name) => existsSync(join(ground.work, name)))).toEqual([true, true, false]);
  });

  test("who does not answer in time has refused", async () => {
    const ground = layGround();
    const { questions, ask } = answering("never");
    const waits: number[] = [];
    const { result, toolTexts } = await run(ground, [touch("made")], {
      ask,
      clock: {
        now: () => Date.now(),
        elapsed: () => performance.now(),
        timestamp: () => new Date().toISOString(),
        timer(ms, onFire) {
          const isDay = ms > 23 * 60 * 60_000;
          if (isDay) waits.push(ms);
          // The day is over as soon as somebody waits for it.
          const handle = isDay && questions.length > 0 ? setImmediate(onFire) : undefined;
          const timer = handle === undefined ? setTimeout(onFire, Math.min(ms, 60_000)) : undefined;
          return () => {
            clearImmediate(handle);
            clearTimeout(timer);
          };
        },
      },
    });
    expect(waits.length).toBeGreaterThan(0);
    expect(toolTexts).toMatch(/nobody answered/);
    expect(result.permission_denials).toHaveLength(1);
    expect(existsSync(join(ground.work, "made"))).toBe(false);
  });

  test("who throws or answers nonsense has refused, and the model is told what is wrong", async () => {
    const wrong = 'the answer is neither { behavior: "allow" } nor { behavior: "deny" }';
    const unreadable = Object.defineProperty({}, "behavior", {
      get() {
        throw new Error("not for you");
      },
    });
    for (const [answer, why] of [
      [new Error("the window is gone"), "the window is gone"],
      [{ behavior: "perhaps" }, wrong],
      [undefined, wrong],
      [unreadable, "not for you"],
      [{ behavior: "allow", rule: 7 }, "the answer has a rule that is not a string"],
      [{ behavior: "allow", updatedInput: "touch" }, "the answer has an updatedInput that is not an object"],
      [{ behavior: "allow", updates: {} }, "the answer has updates that are not an array"],
    ] as const) {
      const ground = layGround();
      const ask = async () => {
        if (answer instanceof Error) throw answer;
        return answer as PermissionAnswer;
      };
      const { result, toolTexts } = await run(ground, [touch("made")], { ask });
      expect(result.permission_denials).toHaveLength(1);
      expect(toolTexts).toContain(JSON.stringify(`the question could not be put (${why})`).slice(1, -1));
      expect(existsSync(join(ground.work, "made"))).toBe(false);
    }
  });

  test("can send null for absent fields of an answer", async () => {
    const ground = layGround();
    const answer: unknown = JSON.parse('{ "behavior": "allow", "updatedInput": null, "rule": null, "updates": null }');
    const { result } = await run(ground, [touch("made")], { ask: async () => answer as PermissionAnswer });
    expect(result.permission_denials).toEqual([]);
    expect(existsSync(join(ground.work, "made"))).toBe(true);
  });

  test("who is interrupted meanwhile has refused, and the question is withdrawn", async () => {
    const ground = layGround();
    const model = scripted({ steps: [touch("made")] });
    let taken = false;
    const engine = await openOn(ground, model, {
      ask: (_question, signal) => {
        signal.addEventListener("abort", () => (taken = true), { once: true });
        engine.interrupt();
        return new Promise(() => undefined);
      },
    });
    const { result } = await turn(engine, "Go.");
    expect(result.terminal_reason).toMatch(/^aborted_/);
    expect(taken).toBe(true);
    expect(existsSync(join(ground.work, "made"))).toBe(false);
  });
});

describe("a custom tool", () => {
  const own = (readOnlyHint: boolean, ran: string[]) =>
    tool(
      "Own",
      "Does something.",
      { type: "object" },
      async () => {
        ran.push("ran");
        return "done";
      },
      { readOnlyHint },
    );

  test("runs without a question only if it is read-only", async () => {
    for (const readOnly of [true, false]) {
      const ran: string[] = [];
      const { questions, ask } = answering({ behavior: "deny" });
      const options = { ask, customTools: [own(readOnly, ran)] };
      await run(layGround(), [{ content: [{ tool: "Own" }] }], options);
      expect([ran.length, questions.length]).toEqual(readOnly ? [1, 0] : [0, 1]);
    }
  });

  test("is allowed and denied by its name", async () => {
    const ran: string[] = [];
    await run(layGround(), [{ content: [{ tool: "Own" }] }], { customTools: [own(false, ran)], allowedTools: ["Own"] });
    expect(ran).toHaveLength(1);
    const { model } = await run(layGround(), [], { customTools: [own(true, ran)], disallowedTools: ["Own"] });
    expect(calls(model)[0]!.body!.tools!.map(({ name }) => name)).not.toContain("Own");
  });
});

test("plan mode allows reading and refuses changes, and can be left during the session", async () => {
  const ground = layGround();
  const write = (name: string): Reply => ({
    content: [{ tool: "Write", input: { file_path: join(ground.work, name), content: "x" } }],
  });
  const model = scripted({ steps: [write("a"), ".", write("b"), "."] });
  const engine = await openOn(ground, model, { permissionMode: "plan" });
  const planned = await turn(engine, "Plan.");
  expect(planned.messages[0]).toMatchObject({ permissionMode: "plan" });
  engine.setPermissionMode("acceptEdits");
  const done = await turn(engine, "Now do.");
  expect(done.messages[0]).toMatchObject({ permissionMode: "acceptEdits" });
  expect(existsSync(join(ground.work, "a"))).toBe(false);
  expect(readFileSync(join(ground.work, "b"), "utf8")).toBe("x");
});

describe("settings can", () => {
  const locked = JSON.stringify({ permissions: { disableBypassPermissionsMode: "disable" } });

  test("rule out bypassPermissions at the start, in settings and during the session", async () => {
    const model = scripted({});
    await expect(openOn(layGround(), model, { settings: locked, permissionMode: "bypassPermissions" })).rejects.toThrow(
      "The mode bypassPermissions is not available: --settings rules it out.",
    );
    const both = '{"permissions":{"disableBypassPermissionsMode":"disable","defaultMode":"bypassPermissions"}}';
    const notices: string[] = [];
    const engine = await openOn(layGround(), model, { settings: both, onNotice: (text) => void notices.push(text) });
    expect(engine.getPermissionMode()).toBe("default");
    expect(notices).toEqual([expect.stringContaining("begins in the mode default")]);
    expect(() => engine.setPermissionMode("bypassPermissions")).toThrow("rules it out");
    expect(engine.getPermissionMode()).toBe("default");
  });

  test("refuse everything that would be asked, even if somebody could answer", async () => {
    const { questions, ask } = answering({ behavior: "allow" });
    const settings = JSON.stringify({ permissions: { denyInsteadOfPrompting: true } });
    const { toolTexts } = await run(layGround(), [touch("made")], { ask, settings });
    expect(questions).toEqual([]);
    expect(toolTexts).toContain("denyInsteadOfPrompting denies instead of asking");
  });
});

describe("an unreadable deny or ask rule", () => {
  const broken = '{"permissions":{"deny":["Bash("],"allow":["Bash(touch made)"]}}';
  const putIn = (folder: string): void => {
    mkdirSync(join(folder, ".pawl"), { recursive: true });
    writeFileSync(join(folder, ".pawl/settings.json"), broken);
  };

  test("of the user makes everything ask; of a folder, everything but reading", async () => {
    for (const [of, readings] of [
      ["home", 1],
      ["work", 0],
    ] as const) {
      const ground = layGround();
      putIn(ground[of]);
      const notices: string[] = [];
      const calls: Reply = {
        content: [
          { tool: "Bash", input: { command: "touch made" } },
          { tool: "Glob", input: { pattern: "*" } },
        ],
      };
      const options = { headless: true, onNotice: (text: string) => void notices.push(text) };
      const { result, toolTexts } = await run(ground, [calls], options);
      expect(result.permission_denials).toHaveLength(1 + readings);
      expect(toolTexts).toMatch(/something in \S*settings\.json cannot be read, .*pawl doctor.* names it/u);
      expect(toolTexts).not.toContain("ask rule");
      expect(notices.join()).toContain("is asked about");
    }
  });

  test("on the command line prevents the start", async () => {
    await expect(openOn(layGround(), scripted({}), { settings: broken })).rejects.toThrow("it is not a rule");
    await expect(openOn(layGround(), scripted({}), { disallowedTools: ["Bash("] })).rejects.toThrow("it is not a rule");
  });
});

test("bashOutputMaxChars limits how much of a command's output the model gets", async () => {
  const options = { settings: '{"bashOutputMaxChars":4000}', allowedTools: ["Bash"] };
  const command = "head -c 9000 /dev/zero | tr '\\0' x";
  const { toolTexts } = await run(layGround(), [{ content: [{ tool: "Bash", input: { command } }] }], options);
  expect((/x{100,}/u.exec(toolTexts)?.[0] ?? "").length).toBeGreaterThan(1_000);
  expect((toolTexts.match(/x/gu) ?? []).length).toBeLessThan(5_000);
});

test("a session can work in a folder under the symbolic name that the user's shell uses", async () => {
  const ground = layGround();
  const link = join(ground.home, "link");
  symlinkSync(ground.work, link);
  const write: Reply = { content: [{ tool: "Write", input: { file_path: join(link, "a.txt"), content: "a" } }] };
  const options: EngineOptions = { permissionMode: "acceptEdits", env: { PWD: link } };
  await turn(await openOn(ground, scripted({ steps: [write, "Done."] }), options), "Write.");
  expect(readFileSync(join(ground.work, "a.txt"), "utf8")).toBe("a");
});

test("an allow rule with a tool's name in the wrong case allows nothing and is reported, unless the host has such a tool or the session has none", async () => {
  const ground = layGround();
  const notices: string[] = [];
  const own = tool("read", "Reads.", { type: "object" }, async () => "");
  const options: EngineOptions = {
    settings: JSON.stringify({
      permissions: { allow: ["bash", "EDIT(*)", "Grep", "read", "ls", "todo_write", "mcp__a__edit"] },
    }),
    customTools: [own],
    headless: true,
    onNotice: (text) => void notices.push(text),
  };
  await run(ground, [touch("made")], options);
  expect(existsSync(join(ground.work, "made"))).toBe(false);
  expect(notices.filter((text) => text.startsWith("The allow rule"))).toEqual([
    'The allow rule "bash" (--settings): the tool is called Bash.',
    'The allow rule "EDIT(*)" (--settings): the tool is called Edit.',
    'The allow rule "todo_write" (--settings): the tool is called TodoWrite.',
  ]);
});
