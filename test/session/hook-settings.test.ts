// Hooks around the choice of a model and at a setup, hooks of an administrator, and hooks that outlive a run.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { HookOccasions } from "../../src/session/hooks/hook-occasions.ts";
import { composeRunners } from "../../src/session/hooks/hook-parts.ts";
import type { HookPartsOptions } from "../../src/session/hooks/hook-parts-options.ts";
import { defaultSettings } from "../../src/settings/settings.ts";
import { isAlive } from "../tools/support.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const answers = (answer: object) => [{ callback: async () => answer as Record<string, unknown> }];
const command = (text: string, more: object = {}) => [{ hooks: [{ type: "command", command: text, ...more }] }];

async function open(options: EngineOptions) {
  const ground = layGround();
  const model = scripted({ steps: [], fallback: "Done." });
  const engine = await openOn(ground, model, options);
  return { ground, model, engine };
}

test("a session does not start with hooks that cannot be read, and says so", async () => {
  const ground = layGround();
  const file = join(ground.pawlHome, "settings.json");
  mkdirSync(ground.pawlHome, { recursive: true });
  writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", command: "true" }] } }));
  await expect(openOn(ground, scripted({ steps: [] }))).rejects.toThrow(
    `${file}: hooks.PreToolUse[0] should be an object with a list of "hooks"; its hooks do not run. Fix it or remove it: no session starts without a hook that may be a guard.`,
  );
});

// Seen: of a matcher in settings people were told at the start, at the first call, and again by each agent.
test("an invalid matcher is reported once, however many agents there are", async () => {
  const ground = layGround();
  const hooks = { PreToolUse: [{ matcher: "Bash(git *)", hooks: [{ type: "command", command: "true" }] }] };
  mkdirSync(ground.pawlHome, { recursive: true });
  writeFileSync(join(ground.pawlHome, "settings.json"), JSON.stringify({ hooks }));
  const agent = { tool: "Agent", input: { description: "a task", prompt: "Do it." } };
  const bash = { tool: "Bash", input: { command: "true" } };
  const reply = ({ systemText, turns }: RequestView): Reply | string => {
    const first = isAgent({ systemText }) ? [bash] : [agent, agent];
    return turns === 0 ? { content: first } : "Done.";
  };
  const told: string[] = [];
  const own = [{ matcher: "Edit(src/*)|Bash", callback: async () => undefined }];
  const options = { hooks: { PreToolUse: own }, onNotice: (text: string) => void told.push(text) };
  const engine = await openOn(ground, scripted({ rules: [{ when: {}, reply }] }), options);
  const { messages } = await turn(engine, "Go.");
  const noted = messages.flatMap((each) =>
    "content" in each && typeof each.content === "string" ? [each.content] : [],
  );
  const lost = [...told, ...noted].filter((text) => text.includes("matches nothing"));
  expect(lost).toEqual([expect.stringContaining("Bash(git *)"), expect.stringContaining("Edit(src/*)")]);
});

describe("a model switch", () => {
  test.each([
    { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "Too dear." } },
    { hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "Too dear." } },
    { decision: "block", reason: "Too dear." },
    { continue: false, stopReason: "Too dear." },
  ])("is refused if a PreModelSwitch hook answers %j", async (answer) => {
    const { engine } = await open({ hooks: { PreModelSwitch: answers(answer) }, model: "claude-sonnet-4-5" });
    const before = engine.getModel();
    const { result } = await turn(engine, "/model opus");
    expect(result).toMatchObject({ is_error: true, result: `The model stays ${before}: Too dear.` });
    expect(engine.getModel()).toBe(before);
  });

  test("is reported to hooks before and after, and what they add goes to the model", async () => {
    const seen: Record<string, unknown>[] = [];
    const callback = async (input: Record<string, unknown>) => {
      seen.push(input);
      return { hookSpecificOutput: { additionalContext: "You are another one now." } };
    };
    const hooks = { PreModelSwitch: [{ callback }], PostModelSwitch: [{ callback }] };
    const { engine, model } = await open({ hooks, model: "claude-sonnet-4-5" });
    const before = engine.getModel();
    expect((await turn(engine, "/model opus")).result.is_error).toBe(false);
    await expect.poll(() => seen.length).toBe(2);
    const common = { from_model: before, to_model: engine.getModel(), requested_model: "opus", source: "command" };
    expect(seen).toMatchObject([
      { hook_event_name: "PreModelSwitch", ...common },
      { hook_event_name: "PostModelSwitch", ...common },
    ]);
    await turn(engine, "Go.");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent.match(/You are another one now\./gu)).toHaveLength(1);
    await turn(engine, "/model opus");
    expect(seen).toHaveLength(2);
  });
});

test("Setup hooks run once before SessionStart hooks, and only their JSON goes to the model", async () => {
  const { engine, ground, model } = await open({
    setup: "init",
    settings: JSON.stringify({
      hooks: {
        Setup: [
          ...command("echo setup >> order; echo plain"),
          { matcher: "maintenance", ...command("echo never >> order")[0] },
          ...command(`echo '{"hookSpecificOutput":{"hookEventName":"Setup","additionalContext":"It is set up."}}'`),
        ],
        SessionStart: command("echo start >> order"),
      },
    }),
  });
  await turn(engine, "Go.");
  await turn(engine, "On.");
  expect(readFileSync(join(ground.work, "order"), "utf8")).toBe("setup\nstart\n");
  const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
  expect(sent).toContain("It is set up.");
  expect(sent).not.toContain("plain");
});

test("a command hook gets no credentials, and the folder's name and the call's text are not executed", async () => {
  const ground = layGround();
  const folder = join(ground.work, "$(touch pwned)`touch pwned`;touch pwned");
  mkdirSync(folder);
  const note = 'env > "${CLAUDE_PROJECT_DIR}/env"; cat > "$CLAUDE_PROJECT_DIR/input"';
  const model = scripted({
    steps: [{ content: [{ tool: "Glob", input: { pattern: "$(touch pwned)`touch pwned`" } }] }],
  });
  const engine = await openOn(ground, model, {
    cwd: folder,
    effort: "low",
    settings: JSON.stringify({ hooks: { PreToolUse: command(note) } }),
    env: { ANTHROPIC_API_KEY: "t0ps3cret", MY_TOKEN: "t0ps3cret", DB_PASSWORD: "t0ps3cret", PLAIN: "yes" },
  });
  await turn(engine, "Go.");
  expect(JSON.parse(readFileSync(join(folder, "input"), "utf8"))).toMatchObject({
    tool_name: "Glob",
    effort: { level: "low" },
  });
  const env = readFileSync(join(folder, "env"), "utf8");
  expect(env).toContain("PLAIN=yes");
  expect(env).toContain("CLAUDE_EFFORT=low");
  expect(env).not.toContain("t0ps3cret");
  for (const place of [folder, ground.work, ground.home]) expect(existsSync(join(place, "pwned"))).toBe(false);
});

test("an administrator's hooks still run if all others are disabled", async () => {
  const value = (text: string) => ({ Stop: command(text) });
  const around = { notice: () => undefined, settings: defaultSettings(), env: {} };
  const own = { options: {}, store: { sessionId: "s" }, occasions: new HookOccasions() };
  const parts = { ...own, around } as unknown as HookPartsOptions;
  const hooks = [
    { value: value("own"), origin: "user" as const, source: "user.json" },
    { value: value("folder"), origin: "project" as const, source: "project.json" },
    { value: value("admin"), origin: "policy" as const, source: "managed.json" },
  ];
  const names = async (disableAllHooks: boolean) =>
    (await composeRunners(parts, { ...defaultSettings(), hooks, disableAllHooks })).Stop?.map(({ name }) => name);
  expect(await names(false)).toEqual(["own", "folder", "admin"]);
  expect(await names(true)).toEqual(["admin"]);
});

test("an async hook that still runs when the session closes is ended with all its processes", async () => {
  const { engine, ground } = await open({
    headless: true,
    settings: JSON.stringify({
      hooks: {
        Stop: command("echo $$ > pid; sleep 60", { async: true }),
      },
    }),
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      timestamp: () => new Date().toISOString(),
      timer(ms, fire) {
        const timer = setTimeout(fire, ms === 5_000 ? 100 : ms);
        return () => clearTimeout(timer);
      },
    },
  });
  await turn(engine, "Go.");
  await expect.poll(() => existsSync(join(ground.work, "pid"))).toBe(true);
  await engine.dispose();
  const pid = Number(readFileSync(join(ground.work, "pid"), "utf8"));
  expect(isAlive(pid)).toBe(false);
});

test("a PermissionRequest hook may take its time before a person is asked", async () => {
  const order: string[] = [];
  const decide = async () => {
    order.push("hook begins");
    await new Promise((resolve) => setTimeout(resolve, 60));
    order.push("hook ends");
    return {};
  };
  const ground = layGround();
  const model = scripted({
    steps: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }],
    fallback: "Done.",
  });
  const engine = await openOn(ground, model, {
    hooks: { PermissionRequest: [{ callback: decide }] },
    ask: async () => {
      order.push("asked");
      return { behavior: "allow" };
    },
  });
  await turn(engine, "Go.");
  expect(order).toEqual(["hook begins", "hook ends", "asked"]);
  expect(existsSync(join(ground.work, "made"))).toBe(true);
});

test("hooks of a folder too large to check are not trusted and do not run", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, ".claude/hooks"), { recursive: true });
  for (let at = 0; at < 501; at++) writeFileSync(join(ground.work, `.claude/hooks/${at}`), "");
  writeFileSync(join(ground.work, ".claude/settings.json"), JSON.stringify({ hooks: { Stop: command("touch ran") } }));
  const notices: string[] = [];
  const model = scripted({ steps: [], fallback: "Done." });
  const engine = await openOn(ground, model, { trust: true, onNotice: (text) => void notices.push(text) });
  await turn(engine, "Go.");
  expect(existsSync(join(ground.work, "ran"))).toBe(false);
  expect(notices.join()).toContain("too much in its hook folders");
});

describe("a background hook with asyncRewake", () => {
  const settings = (text: string) =>
    JSON.stringify({ hooks: { UserPromptSubmit: command(`cat > /dev/null; ${text}`, { asyncRewake: true }) } });

  test("is awaited between two turns, and its output with exit code 2 is sent to the model", async () => {
    const ground = layGround();
    const go = join(ground.home, "go");
    const text = `while [ ! -e '${go}' ]; do sleep 0.02; done; echo "Two tests fail." >&2; exit 2`;
    const model = scripted({ steps: [], fallback: "Done." });
    const engine = await openOn(ground, model, { settings: settings(text) });
    await turn(engine, "Go.");
    expect([engine.openHooks, engine.openAgents]).toEqual([1, 0]);
    const heard = engine.whenAgentsEnd();
    writeFileSync(go, "");
    await heard;
    expect(engine.openAgents).toBe(1);
    await turn(engine, "Something was reported.", { isMeta: true });
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("Two tests fail.");
    await expect.poll(() => engine.openHooks).toBe(0);
  });

  test("is reported to the user if the session ends before the model has seen it", async () => {
    const ground = layGround();
    const go = join(ground.home, "go");
    const text = `while [ ! -e '${go}' ]; do sleep 0.02; done; echo "Two tests fail." >&2; exit 2`;
    const notices: string[] = [];
    const own = { settings: settings(text), onNotice: (said: string) => void notices.push(said) };
    const engine = await openOn(ground, scripted({ steps: [], fallback: "Done." }), own);
    await turn(engine, "Go.");
    const closed = engine.dispose();
    writeFileSync(go, "");
    await closed;
    expect(notices).toEqual([
      "A background hook reported after the last request, so the model has not seen it: Two tests fail.",
    ]);
  });

  test("does not wake the session with another exit code, and is sent with the next prompt", async () => {
    const { engine, model } = await open({ settings: settings("echo All is well.; exit 0") });
    await turn(engine, "Go.");
    await engine.whenAgentsEnd();
    expect([engine.openHooks, engine.openAgents]).toEqual([0, 0]);
    await turn(engine, "On.");
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("All is well.");
  });

  test("wakes the session a limited number of times until the user submits something", async () => {
    const { engine } = await open({ settings: settings("echo Again. >&2; exit 2") });
    const woken = async (): Promise<number> => {
      for (let times = 0; times < 20; times++) {
        await engine.whenAgentsEnd();
        if (engine.openAgents === 0) return times;
        await turn(engine, "Something was reported.", { isMeta: true });
      }
      return Infinity;
    };
    await turn(engine, "Go.");
    expect(await woken()).toBe(8);
    await turn(engine, "On.");
    expect(await woken()).toBe(8);
  });
});
