// What a session tells hooks of beside its turns: a question to a person, a change of folder, the memory files it read.
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { Part } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const bash = (command: string): Part => ({ tool: "Bash", input: { command } });

function hooking(event: HookEvent, answer?: unknown) {
  const inputs: Record<string, unknown>[] = [];
  const callback = async (input: Record<string, unknown>) => {
    inputs.push(input);
    return answer as undefined;
  };
  return { inputs, hooks: { [event]: [{ callback }] } as EngineOptions["hooks"] };
}

async function run(command: string, options: EngineOptions, ground = layGround()) {
  const model = scripted({ steps: [{ content: [bash(command)] }], fallback: "Done." });
  const engine = await openOn(ground, model, options);
  const { result } = await turn(engine, "Go.");
  await engine.dispose();
  return { ground, result };
}

const decides = (decision: object) => ({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });

describe("a permission question", () => {
  test("goes to PermissionRequest hooks first, which may answer it even if nobody else could", async () => {
    const { inputs, hooks } = hooking("PermissionRequest", decides({ behavior: "allow" }));
    const { ground, result } = await run("touch made", { hooks });
    expect(inputs).toMatchObject([{ tool_name: "Bash", tool_input: { command: "touch made" } }]);
    expect(existsSync(join(ground.work, "made"))).toBe(true);
    expect(result).toMatchObject({ permission_denials: [] });
  });

  test("is not shown to a person if a hook denies it", async () => {
    let asked = 0;
    const ask: EngineOptions["ask"] = async () => {
      asked += 1;
      return { behavior: "allow" };
    };
    const { hooks } = hooking("PermissionRequest", decides({ behavior: "deny", message: "Not on Saturdays." }));
    const { ground, result } = await run("touch made", { hooks, ask });
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(asked).toBe(0);
    expect(JSON.stringify(result)).toContain("touch made");
  });

  test("that only a person may answer is not answered by a hook", async () => {
    const { inputs, hooks } = hooking("PermissionRequest", decides({ behavior: "allow" }));
    const { ground } = await run("rm -rf ./* ~/", { hooks }, withFile());
    expect(inputs).toHaveLength(1);
    expect(existsSync(join(ground.work, "kept"))).toBe(true);
  });

  test("runs a Notification hook, which a call without a question does not", async () => {
    const { inputs, hooks } = hooking("Notification");
    await run("touch made", { hooks, ask: async () => ({ behavior: "deny" }) });
    expect(inputs).toMatchObject([
      { notification_type: "permission_prompt", message: 'pawl needs your permission for Bash "touch made"' },
    ]);
    const quiet = hooking("Notification");
    await run("ls", { hooks: quiet.hooks, ask: async () => ({ behavior: "deny" }) });
    expect(quiet.inputs).toEqual([]);
  });
});

test("a session that waits for input runs a Notification hook", async () => {
  const { inputs, hooks } = hooking("Notification");
  const engine = await openOn(layGround(), scripted({ fallback: "Done." }), { hooks });
  await turn(engine, "Go.");
  engine.background.notifyIdle?.();
  await engine.dispose();
  expect(inputs).toMatchObject([{ notification_type: "idle_prompt", message: "pawl is waiting for your input" }]);
});

function withFile() {
  const ground = layGround();
  ground.file("kept", "x");
  return ground;
}

test("CwdChanged hooks get the old and the new folder", async () => {
  const { inputs, hooks } = hooking("CwdChanged");
  const ground = layGround();
  mkdirSync(join(ground.work, "sub"));
  await run("cd sub", { hooks, allowedTools: ["Bash"] }, ground);
  expect(inputs).toMatchObject([{ old_cwd: ground.work, new_cwd: realpathSync(join(ground.work, "sub")) }]);
});

test("InstructionsLoaded hooks run for the memory files at the start, each with its type", async () => {
  const { inputs, hooks } = hooking("InstructionsLoaded");
  const ground = layGround();
  const file = ground.file("AGENTS.md", "Be brief.");
  await run("ls", { hooks }, ground);
  expect(inputs).toMatchObject([{ file_path: file, memory_type: "Project", load_reason: "session_start" }]);
});

test("output of a background hook is sent to the model at its next step", async () => {
  const ground = layGround();
  mkdirSync(ground.pawlHome);
  const command = `echo $$ > pid; echo '{"systemMessage":"the build is red"}'`;
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command, async: true }] }] };
  writeFileSync(join(ground.pawlHome, "settings.json"), JSON.stringify({ hooks }));
  const waiting = bash(
    "until [ -s pid ]; do sleep 0.02; done; while kill -0 $(cat pid) 2>/dev/null; do sleep 0.02; done",
  );
  const further = Array.from({ length: 5 }, () => ({ content: [bash("true")] }));
  const model = scripted({ steps: [{ content: [waiting] }, ...further], fallback: "Done." });
  const engine = await openOn(ground, model, { allowedTools: ["Bash"] });
  await turn(engine, "Go.");
  expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("the build is red");
});

describe("PostToolBatch hooks", () => {
  const two = { content: [bash("echo one"), bash("echo two")] };

  test("get all calls of one message with their results before the next request", async () => {
    const specific = { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "both were fine" } };
    const { inputs, hooks } = hooking("PostToolBatch", specific);
    const model = scripted({ steps: [two], fallback: "Done." });
    const engine = await openOn(layGround(), model, { hooks });
    const { result } = await turn(engine, "Go.");
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
    expect(inputs).toMatchObject([
      {
        tool_calls: [
          { tool_name: "Bash", tool_response: "one" },
          { tool_input: { command: "echo two" }, tool_response: "two" },
        ],
      },
    ]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("both were fine");
    expect(model.violations).toEqual([]);
  });

  test("get absolute file paths, as the hooks of each call do", async () => {
    const { inputs, hooks } = hooking("PostToolBatch");
    const ground = layGround();
    const path = ground.file("a.txt", "text");
    const read: Part = { tool: "Read", input: { file_path: "a.txt" } };
    const wrong: Part = { tool: "Read", input: { file_path: ["b.txt"] } };
    const meant: Part = { tool: "Read", input: { file_path: "a.txt", limit: "5" } };
    const engine = await openOn(ground, scripted({ steps: [{ content: [read, wrong, meant] }], fallback: "Done." }), {
      hooks,
    });
    await turn(engine, "Go.");
    const seen = [{ file_path: path }, { file_path: ["b.txt"] }, { file_path: path, limit: 5 }];
    expect(inputs).toMatchObject([{ tool_calls: seen.map((tool_input) => ({ tool_input })) }]);
  });

  test("get the path of the file that was read, even if a later call changed the folder", async () => {
    const { inputs, hooks } = hooking("PostToolBatch");
    const ground = layGround();
    const path = ground.file("a.txt", "text");
    mkdirSync(join(ground.work, "sub"));
    const read: Part = { tool: "Read", input: { file_path: "a.txt" } };
    const model = scripted({ steps: [{ content: [read, bash("cd sub")] }], fallback: "Done." });
    await turn(await openOn(ground, model, { hooks }), "Go.");
    expect(inputs).toMatchObject([{ tool_calls: [{ tool_input: { file_path: path } }, { tool_name: "Bash" }] }]);
  });

  test("may block, which ends the run before the next request with all results recorded", async () => {
    const { hooks } = hooking("PostToolBatch", { decision: "block", reason: "enough" });
    const model = scripted({ steps: [two], fallback: "Done." });
    const engine = await openOn(layGround(), model, { hooks });
    const { result, messages } = await turn(engine, "Go.");
    expect(result).toMatchObject({ terminal_reason: "hook_stopped" });
    expect(calls(model)).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain("enough");
    expect(JSON.stringify(messages).match(/"tool_result"/gu)).toHaveLength(2);
  });
});

describe("permission updates from a PermissionRequest hook", () => {
  const allowing = (updatedPermissions: unknown[]) => decides({ behavior: "allow", updatedPermissions });
  const rules = (ruleContent: string, destination = "session") => ({
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent }],
    behavior: "allow",
    destination,
  });

  async function runTwice(answer: unknown, options: EngineOptions = {}) {
    const { inputs, hooks } = hooking("PermissionRequest", answer);
    const ground = layGround();
    const model = scripted({
      steps: [{ content: [bash("touch one")] }, { content: [bash("touch two")] }],
      fallback: "Done.",
    });
    const engine = await openOn(ground, model, { hooks, ...options });
    const { messages } = await turn(engine, "Go.");
    return { asked: inputs.length, engine, ground, messages };
  }

  test("apply from then on: the next such call is not asked about", async () => {
    const { asked, ground } = await runTwice(allowing([rules("touch *")]));
    expect(asked).toBe(1);
    expect(existsSync(join(ground.work, "two"))).toBe(true);
  });

  test("may change the mode, but not to bypassPermissions", async () => {
    const mode = (name: string) => ({ type: "setMode", mode: name, destination: "session" });
    expect((await runTwice(allowing([mode("acceptEdits")]))).engine.getPermissionMode()).toBe("acceptEdits");
    expect((await runTwice(allowing([mode("bypassPermissions")]))).engine.getPermissionMode()).toBe("default");
  });

  test("are reported if they are invalid, and the answer still counts", async () => {
    const { asked, ground } = await runTwice(allowing([{ type: "grantAll" }]));
    expect([asked, existsSync(join(ground.work, "one"))]).toEqual([2, true]);
  });

  test("are saved if the hook is the user's own, but not if it comes from a folder", async () => {
    const answer = JSON.stringify(allowing([rules("touch *", "userSettings")]));
    const hooks = { PermissionRequest: [{ hooks: [{ type: "command", command: `echo '${answer}'` }] }] };
    const own = await runTwice({}, { hooks: {}, settings: JSON.stringify({ hooks }) });
    expect(existsSync(join(own.ground.work, "two"))).toBe(true);
    const written = join(own.ground.home, ".pawl/settings.json");
    expect(JSON.parse(readFileSync(written, "utf8"))).toEqual({ permissions: { allow: ["Bash(touch *)"] } });

    const ground = layGround();
    mkdirSync(join(ground.work, ".claude"));
    writeFileSync(join(ground.work, ".claude/settings.json"), JSON.stringify({ hooks }));
    await run("touch one", { trust: true }, ground);
    expect(existsSync(join(ground.work, "one"))).toBe(true);
    expect(existsSync(join(ground.home, ".pawl/settings.json"))).toBe(false);
  });

  test("are ignored with a denial, or if only a person may permit the call", async () => {
    const answer = allowing([rules("*")]);
    const { hooks } = hooking("PermissionRequest", answer);
    const ground = withFile();
    const { engine } = await (async () => {
      const model = scripted({ steps: [{ content: [bash("rm -rf ./* ~/")] }], fallback: "Done." });
      const opened = await openOn(ground, model, { hooks });
      await turn(opened, "Go.");
      return { engine: opened };
    })();
    expect(existsSync(join(ground.work, "kept"))).toBe(true);
    expect(engine.getPermissionMode()).toBe("default");
  });
});

test("FileChanged hooks run for named files that change, appear or vanish, and for paths a hook asks to watch", async () => {
  const ground = layGround();
  ground.file("a.txt", "1");
  const inputs: Record<string, unknown>[] = [];
  const callback = async (input: object) => {
    inputs.push(input as Record<string, unknown>);
    return { hookSpecificOutput: { watchPaths: [join(ground.home, "far.txt")] } };
  };
  const all: unknown[] = [];
  const any = async ({ file_path: file, event }: Record<string, unknown>) => void all.push([file, event]);
  const hooks = { FileChanged: [{ matcher: "a.txt|b.txt", callback }, { callback: any }] } as EngineOptions["hooks"];
  const far = join(ground.home, "far.txt");
  const script = [bash("sleep 0.01; echo 22 > a.txt; echo x > c.txt"), bash("echo x > b.txt"), bash("rm a.txt")];
  const more = [bash("true"), bash(`echo x > ${far}`), bash(`echo xx > ${far}`), bash("true")];
  const model = scripted({ steps: [...script, ...more].map((part) => ({ content: [part] })), fallback: "Done." });
  const engine = await openOn(ground, model, { hooks, permissionMode: "bypassPermissions" });
  await turn(engine, "Go.");
  await engine.dispose();
  const path = (name: string): string => join(ground.work, name);
  expect(inputs.map(({ file_path: file, event }) => [file, event])).toEqual([
    [path("a.txt"), "change"],
    [path("b.txt"), "add"],
    [path("a.txt"), "unlink"],
  ]);
  expect(all.slice(-2)).toEqual([
    [far, "add"],
    [far, "change"],
  ]);
});

describe("a file that hooks name while the session runs", () => {
  const seenBy = (told: unknown[]) => [
    { callback: async ({ file_path: file, event }: Record<string, unknown>) => void told.push([file, event]) },
  ];

  test("is watched from then on, so that its first change is reported", async () => {
    const ground = layGround();
    const path = ground.file("asked.txt", "1");
    const told: unknown[] = [];
    const asking = async () => ({ hookSpecificOutput: { hookEventName: "SessionStart", watchPaths: [path] } });
    const hooks = { SessionStart: [{ callback: asking }], FileChanged: seenBy(told) } as EngineOptions["hooks"];
    const model = scripted({ steps: [{ content: [bash("echo 22 > asked.txt")] }], fallback: "Done." });
    const engine = await openOn(ground, model, { hooks, permissionMode: "bypassPermissions" });
    await turn(engine, "Go.");
    await engine.dispose();
    expect(told).toEqual([[path, "change"]]);
  });

  test("is watched also if a skill brought the hooks", async () => {
    const ground = layGround();
    const path = ground.file("asked.txt", "1");
    const log = join(ground.home, "log");
    const folder = join(ground.home, ".claude", "skills", "watching");
    mkdirSync(folder, { recursive: true });
    const hooks = { FileChanged: [{ matcher: "asked.txt", hooks: [{ type: "command", command: `cat >> ${log}` }] }] };
    const front = `---\nname: watching\ndescription: watches\nhooks: ${JSON.stringify(hooks)}\n---\nWatch.\n`;
    writeFileSync(join(folder, "SKILL.md"), front);
    const model = scripted({ steps: [{ content: [bash("echo 22 > asked.txt")] }], fallback: "Done." });
    const engine = await openOn(ground, model, { permissionMode: "bypassPermissions" });
    await turn(engine, "/watching");
    await engine.dispose();
    expect(JSON.parse(readFileSync(log, "utf8"))).toMatchObject({ file_path: path, event: "change" });
  });
});

test.each(["prompt_input_exit", "other"] as const)("SessionEnd hooks get the reason: %s", async (reason) => {
  const { inputs, hooks } = hooking("SessionEnd");
  const engine = await openOn(layGround(), scripted({ steps: [], fallback: "Done." }), { hooks });
  await turn(engine, "Go.");
  await engine.dispose(reason);
  expect(inputs).toMatchObject([{ reason }]);
});
