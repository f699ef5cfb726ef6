// Plan mode: what the model is told, how a plan is presented and approved, and where the session goes from there.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { deleteSession, snipReplay, type EngineOptions } from "../../src/index.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../src/protocol/permission.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Part, Reply, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  compact,
  disposeAll,
  type Ground,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const plan = "# The plan\n\n1. Touch the file.\n2. Look at it.";
const exit = (input: { plan?: string } = { plan }): Reply => ({
  content: [{ tool: "ExitPlanMode", input, id: "toolu_exit" }],
});
const enter: Reply = { content: [{ tool: "EnterPlanMode", input: {} }] };
const touch: Reply = { content: [{ tool: "Bash", input: { command: "touch made" } }] };

interface Setting extends EngineOptions {
  answers?: PermissionAnswer[];
}

async function opened(
  steps: (Reply | string)[],
  { answers = [{ behavior: "allow" }], ...options }: Setting = {},
  ground = layGround(),
) {
  const questions: PermissionQuestion[] = [];
  const ask = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    return answers[questions.length - 1] ?? answers.at(-1)!;
  };
  const model = scripted({ steps, fallback: "Done." });
  const engine = await openOn(ground, model, { ask, headless: false, permissionMode: "plan", ...options });
  return { ground, model, engine, questions };
}

const sent = (model: ScriptedModel, at = -1): string => JSON.stringify(calls(model).at(at)!.body!.messages);
const unmarked = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => (key === "cache_control" ? undefined : part));
const count = (text: string, part: string): number => text.split(part).length - 1;
const toolsOf = (model: ScriptedModel): string[] =>
  (calls(model)[0]!.body!.tools ?? []).map((tool) => String(tool["name"]));
const modesIn = (messages: readonly SDKMessage[]): unknown[] =>
  messages.flatMap((message) =>
    message.type === "system" && message.subtype === "status" && message.permissionMode !== undefined
      ? [message.permissionMode]
      : [],
  );

describe("a plan", () => {
  test("is shown to the person asked, and its approval starts the work in mode default", async () => {
    const answers: PermissionAnswer[] = [{ behavior: "allow" }, { behavior: "deny" }];
    const { ground, engine, model, questions } = await opened([exit(), touch], { answers });
    const { messages } = await turn(engine, "Plan.");
    expect(questions).toMatchObject([
      { toolName: "ExitPlanMode", input: { plan }, modeAfter: "default" },
      { toolName: "Bash" },
    ]);
    expect(engine.getPermissionMode()).toBe("default");
    expect(sent(model, 1)).toContain("The plan is approved");
    expect(sent(model, 1)).toContain("2. Look at it.");
    expect(modesIn(messages)).toEqual(["default"]);
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    const again = await turn(engine, "On.");
    expect(again.messages[0]).toMatchObject({ subtype: "init", permissionMode: "default" });
    expect(model.violations).toEqual([]);
  });

  test("that is refused changes nothing, and the model gets the person's message", async () => {
    const answers: PermissionAnswer[] = [{ behavior: "deny", message: "Use two files." }];
    const { engine, model, ground } = await opened([exit(), touch], { answers });
    await turn(engine, "Plan.");
    expect(engine.getPermissionMode()).toBe("plan");
    expect(sent(model, 1)).toContain("Use two files.");
    expect(sent(model, 2)).toContain("plan mode is on, which allows only reading");
    expect(existsSync(join(ground.work, "made"))).toBe(false);
  });

  test("puts the session into the mode that the answer names, and the answer's changes to the plan count", async () => {
    const updates = [{ type: "setMode" as const, mode: "acceptEdits" as const, destination: "session" as const }];
    const answers: PermissionAnswer[] = [{ behavior: "allow", updates, updatedInput: { plan: "Less." } }];
    const write: Reply = { content: [{ tool: "Write", input: { file_path: "made", content: "x" } }] };
    const { engine, model, ground, questions } = await opened([exit(), write], { answers });
    const { messages } = await turn(engine, "Plan.");
    expect(engine.getPermissionMode()).toBe("acceptEdits");
    expect(questions).toHaveLength(1);
    expect(existsSync(join(ground.work, "made"))).toBe(true);
    expect(sent(model, 1)).toMatch(/It was changed before that[^]*The approved plan:\\n\\nLess\./u);
    const results = messages.flatMap((message) => (message.type === "user" ? [message.tool_use_result] : []));
    expect(results[0]).toMatchObject({ plan: "Less.", isAgent: false, planWasEdited: true });
    expect(modesIn(messages)).toEqual(["acceptEdits"]);
  });

  test("is presented even if the answer leaves it out, and not if there is none", async () => {
    const answers: PermissionAnswer[] = [{ behavior: "allow", updatedInput: {} }];
    const { engine, model, questions } = await opened([exit({}), exit({ plan: "  " }), exit()], { answers });
    await turn(engine, "Plan.");
    expect(questions).toHaveLength(1);
    expect(sent(model, 1)).toContain("The plan is missing");
    expect(sent(model)).toContain("The approved plan:");
    expect(sent(model)).not.toContain("It was changed");
  });

  test("is approved by no rule, and by a hook only if the hook returns the input", async () => {
    const saying = (...answers: object[]) => ({
      PreToolUse: answers.map((answer) => ({
        matcher: "ExitPlanMode",
        callback: async () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...answer } }),
      })),
    });
    const consent = { permissionDecision: "allow" };
    const change = { updatedInput: { plan } };
    const refusal: PermissionAnswer[] = [{ behavior: "deny" }];
    const allowed = { answers: refusal, allowedTools: ["ExitPlanMode"] };
    const outcome = async (...answers: object[]) => {
      const { engine, questions } = await opened([exit()], { ...allowed, hooks: saying(...answers) });
      await turn(engine, "Plan.");
      return [questions.length, engine.getPermissionMode()];
    };
    expect(await outcome(consent)).toEqual([1, "plan"]);
    expect(await outcome({ ...consent, ...change })).toEqual([0, "default"]);
    // A consent to the call and a change of it by another hook are no approval of the plan.
    expect(await outcome(consent, change)).toEqual([1, "plan"]);
    expect(await outcome(change, consent)).toEqual([1, "plan"]);
  });

  test("is decided before later calls of the message, which its answer then governs", async () => {
    const content: Part[] = [
      { tool: "ExitPlanMode", input: { plan } },
      { tool: "Bash", input: { command: "touch made" } },
    ];
    const allowed = { allowedTools: ["Bash(touch *)"] };
    const yes = await opened([{ content }], allowed);
    await turn(yes.engine, "Plan.");
    const no = await opened([{ content }], { ...allowed, answers: [{ behavior: "deny" }] });
    await turn(no.engine, "Plan.");
    expect([yes, no].map(({ ground }) => existsSync(join(ground.work, "made")))).toEqual([true, false]);
  });

  test("can be presented in plan mode only", async () => {
    const { engine, model, questions } = await opened([exit()], { permissionMode: "default" });
    await turn(engine, "Go.");
    expect(questions).toEqual([]);
    expect(sent(model)).toContain("Plan mode is not on");
  });
});

describe("the mode before plan mode", () => {
  test.each(["acceptEdits", "bypassPermissions", "dontAsk"] as const)("%s is restored", async (mode) => {
    const { engine, questions } = await opened([exit(), "Done.", enter, exit()], { permissionMode: mode });
    engine.setPermissionMode("plan");
    await turn(engine, "Plan.");
    expect(questions).toMatchObject([{ modeAfter: mode }]);
    expect(engine.getPermissionMode()).toBe(mode);
  });

  test.each(["clear", "branch"] as const)("is restored after %s() too, which does not end plan mode", async (how) => {
    const { engine, questions } = await opened(["Hm.", exit()], { permissionMode: "acceptEdits" });
    engine.setPermissionMode("plan");
    await turn(engine, "Plan.");
    await engine[how]();
    expect(engine.getPermissionMode()).toBe("plan");
    await turn(engine, "Plan.");
    expect(questions).toMatchObject([{ modeAfter: "acceptEdits" }]);
    expect(engine.getPermissionMode()).toBe("acceptEdits");
  });

  test("is restored if the main agent, which may be stricter, turned plan mode on", async () => {
    const agents = { planner: { description: "plans", prompt: "You plan.", permissionMode: "plan" as const } };
    const lead = { agents, agent: "planner", permissionMode: "acceptEdits" as const };
    const { engine, questions } = await opened([exit()], lead);
    expect(engine.getPermissionMode()).toBe("plan");
    await turn(engine, "Plan.");
    expect(questions).toMatchObject([{ modeAfter: "acceptEdits" }]);
  });

  test("becomes default if settings have ruled it out meanwhile", async () => {
    const ground = layGround();
    const settings = join(ground.home, ".claude", "settings.json");
    mkdirSync(join(ground.home, ".claude"));
    const { engine } = await opened([exit()], { permissionMode: "bypassPermissions" }, ground);
    engine.setPermissionMode("plan");
    writeFileSync(settings, JSON.stringify({ permissions: { disableBypassPermissionsMode: "disable" } }));
    await turn(engine, "Plan.");
    expect(engine.getPermissionMode()).toBe("default");
  });

  test("is left for plan mode when the model asks and the person agrees, also in bypassPermissions", async () => {
    const { engine, model, questions } = await opened([enter, touch, exit(), touch], {
      permissionMode: "bypassPermissions",
    });
    const { messages } = await turn(engine, "Do it.");
    expect(questions.map(({ toolName }) => toolName)).toEqual(["EnterPlanMode", "ExitPlanMode"]);
    expect(modesIn(messages)).toEqual(["plan", "bypassPermissions"]);
    expect(sent(model, 1)).toContain("Plan mode is on: ");
    expect(sent(model, 2)).toContain("which allows only reading");
    const results = messages.flatMap((message) => (message.type === "user" ? [message.tool_use_result] : []));
    expect(results[0]).toEqual({ message: "The user agrees: plan mode is on." });
  });
});

describe("the model is told", () => {
  test("once that plan mode is on and once that it is over, and the earlier part of requests stays the same", async () => {
    const { engine, model } = await opened(["One.", "Two.", "Three.", "Four."]);
    await turn(engine, "1");
    await turn(engine, "2");
    engine.setPermissionMode("default");
    await turn(engine, "3");
    await turn(engine, "4");
    expect(calls(model).map((_, at) => count(sent(model, at), "Plan mode is on: "))).toEqual([1, 1, 1, 1]);
    expect(calls(model).map((_, at) => count(sent(model, at), "Plan mode is off: "))).toEqual([0, 0, 1, 1]);
    const beginnings = calls(model).map(({ body }) => unmarked([body!.tools, body!.system, body!.messages[0]]));
    expect(new Set(beginnings).size).toBe(1);
  });

  test("once that it has entered plan mode itself", async () => {
    const { engine, model } = await opened([enter, "The plan."], { permissionMode: "default" });
    await turn(engine, "Plan.");
    expect(engine.getPermissionMode()).toBe("plan");
    expect(count(sent(model), "Plan mode is on:")).toBe(1);
  });

  test("again that plan mode is on if that message was removed", async () => {
    const { engine, model } = await opened(["1", "2", "3", "4"], { snipReplay, permissionMode: "default" });
    await turn(engine, "First.");
    engine.setPermissionMode("plan");
    const [fromUuid, next] = ["from", "next"];
    await turn(engine, "Second.", { uuid: fromUuid });
    await turn(engine, "Third.", { uuid: next });
    const messages = engine.getMessages();
    const toUuid = messages[messages.findIndex(({ uuid }) => uuid === next) - 1]!.uuid;
    engine.snip({ fromUuid, toUuid });
    await turn(engine, "Fourth.");
    expect(sent(model)).not.toContain("Second.");
    expect(count(sent(model), "Plan mode is on: ")).toBe(1);
  });

  // Seen: that it was on stood there still, and nothing else, so that the model was to change nothing any more.
  test("that plan mode is off, too, if that message was removed", async () => {
    const { engine, model } = await opened(["1", "2", "3", "4"], { snipReplay });
    await turn(engine, "First.");
    engine.setPermissionMode("default");
    const [fromUuid, next] = ["from", "next"];
    await turn(engine, "Second.", { uuid: fromUuid });
    await turn(engine, "Third.", { uuid: next });
    const messages = engine.getMessages();
    engine.snip({ fromUuid, toUuid: messages[messages.findIndex(({ uuid }) => uuid === next) - 1]!.uuid });
    await turn(engine, "Fourth.");
    expect(sent(model)).not.toContain("Second.");
    expect(sent(model)).toMatch(/Plan mode is on: [^]*Plan mode is off: /u);
  });

  test("how to make a plan in the host's own text", async () => {
    const { engine, model } = await opened(["One."], { planModeInstructions: "Ask the oracle." });
    await turn(engine, "1");
    expect(sent(model)).toMatch(/Plan mode is on: [^]*Ask the oracle\.[^]*call ExitPlanMode/u);
    expect(sent(model)).not.toContain("settle on one way");
  });

  test("to end with the plan if neither a person nor a hook can approve one, and gets no plan tools", async () => {
    const { engine, model } = await opened(["One."], { ask: undefined, headless: true });
    await turn(engine, "1");
    expect(sent(model)).toContain("give all of it as your answer");
    expect(toolsOf(model)).not.toContain("ExitPlanMode");
    const hooks = { PreToolUse: [{ matcher: "ExitPlanMode", callback: async () => undefined }] };
    const answered = await opened(["One."], { ask: undefined, headless: true, hooks });
    await turn(answered.engine, "1");
    expect(sent(answered.model)).toContain("call ExitPlanMode");
    expect(toolsOf(answered.model)).toContain("ExitPlanMode");
    const named = await opened(["One."], { tools: ["Read"] });
    await turn(named.engine, "1");
    expect(toolsOf(named.model)).toEqual(["Read"]);
  });

  test("nothing about plan mode in a session that never enters it", async () => {
    const { engine, model } = await opened(["One."], { permissionMode: "default" });
    const { messages } = await turn(engine, "1");
    expect(sent(model)).not.toContain("Plan mode");
    expect(modesIn(messages)).toEqual([]);
    expect(toolsOf(model)).toEqual(expect.arrayContaining(["EnterPlanMode", "ExitPlanMode"]));
  });
});

test("a compaction brings back the plan, and the mode while it is on", async () => {
  const words = "words ".repeat(2_000);
  const answers: PermissionAnswer[] = [{ behavior: "deny", message: "More." }, { behavior: "allow" }];
  const model = scripted({
    rules: [{ when: { compacts: true }, reply: "They worked." }],
    steps: [exit(), "Hm.", words, "On.", exit({ plan: "Second plan." }), "Done."],
    fallback: words,
  });
  let asked = 0;
  const ask = async (): Promise<PermissionAnswer> => answers[asked++]!;
  const engine = await openOn(layGround(), model, { ask, headless: false, permissionMode: "plan" });
  await turn(engine, words);
  await turn(engine, words);
  await compact(engine);
  await turn(engine, "Go on.");
  expect(count(sent(model), "Plan mode is on: ")).toBe(1);
  expect(count(sent(model), "1. Touch the file.")).toBe(1);
  expect(sent(model)).toContain("it has not been approved:\\n\\n# The plan");
  await turn(engine, words);
  expect(engine.getPermissionMode()).toBe("default");
  for (let times = 0; times < 2; times++) {
    await turn(engine, words);
    await compact(engine);
    await turn(engine, "Go on.");
    expect(count(sent(model), "Second plan.")).toBe(1);
    expect(sent(model)).toContain("The plan that was approved in this session");
    expect(sent(model)).not.toContain("# The plan");
  }
});

describe("the file of a plan", () => {
  async function keep(options: Setting = {}, ground: Ground = layGround()) {
    const paths: unknown[] = [];
    const texts: string[] = [];
    const callback = async (input: { tool_input?: Record<string, unknown> }): Promise<void> => {
      const path = input.tool_input?.["planFilePath"];
      paths.push(path);
      if (typeof path === "string") texts.push(readFileSync(path, "utf8"));
    };
    const matchers = [{ matcher: "ExitPlanMode", callback }];
    const hooks = { PreToolUse: matchers, PermissionRequest: matchers };
    const notices: string[] = [];
    const onNotice = (text: string) => notices.push(text);
    const ran = await opened([exit()], { hooks, onNotice, ...options }, ground);
    const { messages } = await turn(ran.engine, "Plan.");
    const [output] = messages.flatMap((message) =>
      message.type === "user" ? [message.tool_use_result as { filePath?: string }] : [],
    );
    return { ...ran, paths, texts, notices, path: output?.filePath ?? "" };
  }

  test("exists when hooks are asked, is private, and lies in the session's own folder", async () => {
    const { ground, engine, paths, texts, path } = await keep();
    expect(texts).toEqual([`${plan}\n`, `${plan}\n`]);
    expect(paths).toEqual([path, path]);
    expect(path.startsWith(join(ground.pawlHome, "projects"))).toBe(true);
    expect(path).toContain(engine.getSessionId());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("is a new one for a changed plan, and none is overwritten", async () => {
    const answers: PermissionAnswer[] = [{ behavior: "allow", updatedInput: { plan: "Less." } }];
    const { paths, path } = await keep({ answers });
    expect(path).not.toBe(paths[0]);
    expect([readFileSync(String(paths[0]), "utf8"), readFileSync(path, "utf8")]).toEqual([`${plan}\n`, "Less.\n"]);
  });

  test("lies in the folder that settings name, beside other files, and follows no link", async () => {
    const ground = layGround();
    const settings = JSON.stringify({ plansDirectory: "plans" });
    const sessionId = "5b0cf8a2-64ab-4ac8-9a55-0d4f4c7a1b11";
    const folder = join(ground.work, "plans");
    mkdirSync(folder);
    const victim = ground.file("victim", "precious");
    symlinkSync(victim, join(folder, `plan-${sessionId}.md`));
    const { path } = await keep({ settings, sessionId }, ground);
    expect(path).toBe(join(folder, `plan-${sessionId}-2.md`));
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test.each([{}, { plansDirectory: "plans" }])("is deleted with its session: %o", async (settings) => {
    const { ground, engine, path } = await keep({ settings: JSON.stringify(settings) });
    expect(existsSync(path)).toBe(true);
    await engine.dispose();
    await deleteSession(engine.getSessionId(), { dir: ground.work, home: ground.home, env: {} });
    expect(existsSync(path)).toBe(false);
  });

  test("does not lie where an untrusted project says", async () => {
    const ground = layGround();
    mkdirSync(join(ground.work, ".claude"));
    ground.file(".claude/settings.json", JSON.stringify({ plansDirectory: "plans" }));
    const { path } = await keep({}, ground);
    expect(path.startsWith(ground.pawlHome)).toBe(true);
    const trusted = await keep({ trust: true }, ground);
    expect(trusted.path.startsWith(join(ground.work, "plans"))).toBe(true);
  });

  test("that cannot be written is reported, and the plan works without it", async () => {
    const ground = layGround();
    ground.file("taken", "");
    const { engine, paths, notices } = await keep({ settings: JSON.stringify({ plansDirectory: "taken" }) }, ground);
    expect(paths).toEqual([undefined, undefined]);
    expect(notices.filter((text) => text.includes("plansDirectory"))).toHaveLength(1);
    expect(engine.getPermissionMode()).toBe("default");
  });
});

test("a resumed session is told that plan mode is over, and can still answer an open plan", async () => {
  const ground = layGround();
  const first = await opened([exit(), "Hm."], { answers: [{ behavior: "deny" }] }, ground);
  await turn(first.engine, "Plan.");
  const resume = first.engine.getSessionId();
  await first.engine.dispose();
  const again = await opened([exit(), exit()], { resume, permissionMode: undefined }, ground);
  await turn(again.engine, "On.");
  expect(again.engine.getPermissionMode()).toBe("default");
  expect(sent(again.model)).toContain("Plan mode is off: ");
  expect(again.questions).toHaveLength(1);
  expect(sent(again.model)).toContain("Plan mode is not on");
});

test("the mode after an approval is recorded at once", async () => {
  const ground = layGround();
  const { engine } = await opened([exit(), "Done."], {}, ground);
  const modes: unknown[] = [];
  await turn(engine, "Plan.", {
    onMessage: (message) => {
      if (message.type !== "user") return;
      const lines = readFileSync(engine.getTranscriptPath()!, "utf8").trim().split("\n");
      const facts = lines.map((line) => JSON.parse(line) as { type: string; data?: { mode?: string } });
      modes.push(...facts.flatMap(({ type, data }) => (type === "permission_mode" ? [data?.mode] : [])));
    },
  });
  expect(modes).toEqual(["plan", "default"]);
});

test("an agent has no plan tools, and hooks are told the mode that follows a plan", async () => {
  const seen: unknown[] = [];
  const callback = async (input: Record<string, unknown>): Promise<void> => {
    seen.push([input["tool_name"], input["permission_mode"]]);
  };
  const own: Reply[] = [exit(), { content: [{ tool: "Agent", input: { description: "d", prompt: "Below." } }] }];
  let at = 0;
  const model = scripted({
    rules: [
      {
        when: {},
        reply: ({ messages }) =>
          JSON.stringify(messages).includes("Below.") && messages.length === 1 ? "Below done." : (own[at++] ?? "Done."),
      },
    ],
  });
  const ask = async (): Promise<PermissionAnswer> => ({ behavior: "allow" });
  const hooks = { PreToolUse: [{ callback }] };
  const engine = await openOn(layGround(), model, { ask, headless: false, permissionMode: "plan", hooks });
  await turn(engine, "Plan.");
  expect(seen).toEqual([
    ["ExitPlanMode", "plan"],
    ["Agent", "default"],
  ]);
  const below = calls(model).find(({ body }) => JSON.stringify(body!.messages[0]).includes("Below."))!;
  expect((below.body!.tools ?? []).map((tool) => tool["name"])).not.toContain("ExitPlanMode");
});
