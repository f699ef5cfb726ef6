// Modes, the order of judgement, questions, and the texts of denials.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
  PermissionSubject,
} from "../../src/protocol/permission.ts";
import { bash, call, make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
let file = "";
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  file = join(place.cwd, "src/a.ts");
  writeFileSync(file, "");
});
afterAll(() => place.remove());

const write = (setup: Setup, extra = {}) => verdict(make(place, setup), place.cwd, "Write", { file_path: file }, extra);
const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

describe("permission modes", () => {
  test.each([
    ["default", "allow", "ask", "ask"],
    ["acceptEdits", "allow", "allow", "ask"],
    ["plan", "allow", "deny", "deny"],
    ["auto", "allow", "allow", "ask"],
    ["dontAsk", "allow", "ask", "ask"],
    ["bypassPermissions", "allow", "allow", "allow"],
  ] as const)("decide: in %s, reading %s, writing %s, commands %s", async (mode, reading, writing, commands) => {
    expect(await verdict(make(place, { mode }), place.cwd, "Read", { file_path: file })).toBe(reading);
    expect(await write({ mode })).toBe(writing);
    expect(await run("npm test", { mode })).toBe(commands);
  });

  test("let a rule for edits cover editing tools only, while acceptEdits also covers editing commands", async () => {
    const allow = ["Edit(src/**)"];
    expect(await write({ allow })).toBe("allow");
    for (const command of ["touch src/a.ts", "mkdir src/new", "cp src/a.ts src/b.ts"]) {
      expect(await run(command, { allow }), command).toBe("ask");
      expect(await run(command, { mode: "acceptEdits" }), command).toBe("allow");
      expect(await run(`A=b ${command}`, { mode: "acceptEdits" }), command).toBe("ask");
    }
  });

  test("deny writing in plan mode, whatever rules and hooks allow", async () => {
    const setup: Setup = { mode: "plan", allow: ["Bash", "Write", "Edit(**)"], askRules: ["Bash"] };
    expect(await run("npm test", setup)).toBe("deny");
    expect(await write(setup, { hookDecision: { behavior: "allow" } })).toBe("deny");
    expect(await verdict(make(place, setup), place.cwd, "mcp__a__b", {})).toBe("deny");
    expect(await verdict(make(place, setup), place.cwd, "TodoWrite", {})).toBe("allow");
    expect(await run("ls src", { mode: "plan" })).toBe("allow");
  });

  const planned = (command: string) => run(command, { mode: "plan", allow: ["Bash"] });

  test.each([
    "cat < src/a.ts",
    "< src/a.ts",
    "ls > /dev/null 2>&1",
    "cd src",
    "cd src && ls | wc -l",
    "if test -f a; then cat a; fi",
    "timeout 5 ls",
  ])("run %s in plan mode, because it only reads", async (command) => {
    expect(await planned(command)).toBe("allow");
  });

  test.each([
    "ls > out",
    "> out",
    "ls <> out",
    "(ls)",
    "{ ls; }",
    "A=b",
    "A=b ls",
    "ls; rm x",
    "cd src && npm test",
    "ls $(rm x)",
    "echo 'a",
    "",
  ])("do not run %j in plan mode", async (command) => {
    expect(await planned(command)).toBe("deny");
  });

  test.each([
    "TodoWrite",
    "TaskOutput",
    "TaskStop",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "StructuredOutput",
    "ToolSearch",
  ])("allow %s, which only touches the session", async (tool) => {
    for (const mode of ["default", "plan", "dontAsk"] as const)
      expect(await verdict(make(place, { mode }), place.cwd, tool, {}, { isReadOnly: false }), mode).toBe("allow");
    expect(await verdict(make(place, { deny: [tool] }), place.cwd, tool, {})).toBe("deny");
  });

  test("allow a call on several paths if each of them is allowed, in any order", async () => {
    const elsewhere = { kind: "read" as const, path: join(place.root, "other/x.ts") };
    const here = { kind: "read" as const, path: file };
    const written = { kind: "write" as const, path: file };
    const judged = async (subjects: PermissionSubject[], mode: PermissionMode = "default") => {
      const decision = await make(place, { mode }).decide(
        { toolName: "MyTool", toolUseId: "x", input: {}, isReadOnly: false, subjects, cwd: place.cwd, key: "k" },
        new AbortController().signal,
      );
      return decision.behavior;
    };
    expect(await judged([here, here])).toBe("allow");
    for (const other of [elsewhere, written, { kind: "tool" as const }]) {
      expect(await judged([here, other])).toBe("deny");
      expect(await judged([other, here])).toBe("deny");
    }
    expect(await judged([here, here], "plan")).toBe("allow");
    expect(await judged([here, written], "plan")).toBe("deny");
    expect(await judged([written, here], "plan")).toBe("deny");
    const unsafe = { kind: "read" as const, path: `${file}\u0001` };
    expect(await judged([here, unsafe], "bypassPermissions")).toBe("deny");
    expect(await judged([written, elsewhere], "bypassPermissions")).toBe("allow");
  });

  test("apply from the next call after a change", async () => {
    const permissions = make(place);
    expect(await bash(permissions, place.cwd, "npm test")).toBe("ask");
    permissions.setMode("bypassPermissions");
    expect(permissions.getMode()).toBe("bypassPermissions");
    expect(await bash(permissions, place.cwd, "npm test")).toBe("allow");
  });

  test("ask about MCP tools and web tools, although these say they only read", async () => {
    const permissions = make(place);
    for (const tool of ["mcp__a__get", "WebFetch", "WebSearch"]) {
      expect(await verdict(permissions, place.cwd, tool, {}, { isReadOnly: true })).toBe("ask");
    }
    expect(await verdict(permissions, place.cwd, "MyLookup", {}, { isReadOnly: true })).toBe("allow");
    expect(await verdict(permissions, place.cwd, "MyChange", {})).toBe("ask");
    expect(await verdict(permissions, place.cwd, "TodoWrite", {})).toBe("allow");
  });
});

describe("deny beats ask, and ask beats allow,", () => {
  test("whatever the mode, the source and the hook", async () => {
    for (const mode of ["default", "acceptEdits", "dontAsk", "bypassPermissions"] as const) {
      const extra = { hookDecision: { behavior: "allow" as const } };
      const all = { mode, allow: ["Bash", "Bash(npm test *)"], askRules: ["Bash(npm *)"], deny: ["Bash(npm test *)"] };
      expect(await verdict(make(place, all), place.cwd, "Bash", { command: "npm test" }, extra)).toBe("deny");
      const asked = { mode, allow: all.allow, askRules: all.askRules };
      expect(await verdict(make(place, asked), place.cwd, "Bash", { command: "npm test" }, extra)).toBe("ask");
    }
  });

  test("while a hook's allow only skips the question, and its ask forces one", async () => {
    const allow = { hookDecision: { behavior: "allow" as const } };
    const ask = { hookDecision: { behavior: "ask" as const, reason: "look at this" } };
    expect(await write({}, allow)).toBe("allow");
    expect(await write({ deny: ["Edit(src/**)"] }, allow)).toBe("deny");
    expect(await write({ mode: "bypassPermissions" }, ask)).toBe("ask");
    expect(await write({ allow: ["Write"] }, ask)).toBe("ask");
    const decision = await call(make(place), place.cwd, "Write", { file_path: file }, ask);
    expect(decision).toMatchObject({ behavior: "deny", reason: { type: "hook", text: "look at this" } });
  });
});

describe("a permission question", () => {
  const answering = (answer: PermissionAnswer | ((question: PermissionQuestion) => PermissionAnswer)) => {
    const questions: PermissionQuestion[] = [];
    const ask = async (question: PermissionQuestion) => {
      questions.push(question);
      return typeof answer === "function" ? answer(question) : answer;
    };
    return { ask, questions };
  };

  test("contains the call, the reason and a rule that would allow similar calls", async () => {
    const { ask, questions } = answering({ behavior: "allow" });
    const decision = await call(make(place, { ask }), place.cwd, "Bash", { command: "npm test -- a" });
    expect(decision).toEqual({ behavior: "allow", reason: { type: "user" } });
    expect(questions).toMatchObject([
      {
        toolName: "Bash",
        key: "t1.tool.0.permission",
        reason: { type: "mode", mode: "default" },
        suggestedRule: "Bash(npm test *)",
      },
    ]);
  });

  test.each([
    ["npm run build -- --x", "Bash(npm run build *)"],
    ["cargo test a", "Bash(cargo test *)"],
    ["python -c 'print(1)'", String.raw`Bash(python -c 'print\(1\)')`],
    ["rm -rf build", "Bash(rm -rf build)"],
    ["git push origin main", "Bash(git push origin main)"],
    ["npm test && rm x", "Bash(npm test && rm x)"],
    ["node *.ts | wc -l", String.raw`Bash(node \*.ts | wc -l)`],
    ["bash x.sh", "Bash(bash x.sh)"],
    ["a\nb", undefined],
  ])("about %j suggests %s, which answers that command and no more", async (command, suggested) => {
    const { ask, questions } = answering((question) => ({ behavior: "allow", rule: question.suggestedRule }));
    const permissions = make(place, { ask });
    await call(permissions, place.cwd, "Bash", { command });
    expect(questions[0]?.suggestedRule).toBe(suggested);
    await call(permissions, place.cwd, "Bash", { command });
    expect(questions).toHaveLength(suggested === undefined ? 2 : 1);
    await call(permissions, place.cwd, "Bash", { command: `${command}; rm -rf src` });
    expect(questions).toHaveLength(suggested === undefined ? 3 : 2);
  });

  test("about files suggests no more than their folder", async () => {
    const { ask, questions } = answering({ behavior: "allow" });
    const permissions = make(place, { ask });
    await call(permissions, place.cwd, "Write", { file_path: file });
    await call(permissions, place.cwd, "Read", { file_path: join(place.root, "other/deep/x.ts") });
    await call(permissions, place.cwd, "Read", { file_path: "/etc/passwd" });
    await call(permissions, place.cwd, "Write", { file_path: join(place.cwd, ".git/config") });
    await call(permissions, place.cwd, "mcp__a__b", {});
    expect(questions.map(({ suggestedRule }) => suggestedRule)).toEqual([
      `Edit(/${file})`,
      `Read(/${place.root}/other/deep/**)`,
      "Read(//etc/passwd)",
      undefined,
      "mcp__a__b",
    ]);
  });

  test("answered with no tells the model so, and may interrupt the turn", async () => {
    const refused = await call(
      make(place, { ask: answering({ behavior: "deny", message: "use yarn", interrupt: true }).ask }),
      place.cwd,
      "Bash",
      { command: "npm test" },
    );
    expect(refused).toMatchObject({ behavior: "deny", interrupt: true, reason: { type: "user" } });
    expect(refused.behavior === "deny" && refused.message).toContain("use yarn");
    const loose = answering({ behavior: "deny", message: 5 as never }).ask;
    const unsaid = await call(make(place, { ask: loose }), place.cwd, "Bash", { command: "npm test" });
    expect(unsaid).toMatchObject({
      reason: { type: "user" },
      message: expect.stringMatching(/^The user refused /) as string,
    });
  });

  test("is not asked in dontAsk mode, or if a rule has decided", async () => {
    const { ask, questions } = answering({ behavior: "allow" });
    expect(
      (await call(make(place, { ask, mode: "dontAsk" }), place.cwd, "Bash", { command: "npm test" })).behavior,
    ).toBe("deny");
    await call(make(place, { ask, deny: ["Bash"] }), place.cwd, "Bash", { command: "npm test" });
    await call(make(place, { ask, allow: ["Bash"] }), place.cwd, "Bash", { command: "npm test" });
    expect(questions).toEqual([]);
  });

  test("answered with another input judges that input again", async () => {
    const change = (updatedInput: Record<string, unknown>, setup: Setup = {}) =>
      call(make(place, { ask: answering({ behavior: "allow", updatedInput }).ask, ...setup }), place.cwd, "Bash", {
        command: "ls /x",
      });
    expect(await change({ command: "npm test" })).toEqual({
      behavior: "allow",
      reason: { type: "user" },
      updatedInput: { command: "npm test" },
    });
    expect(await change({ command: "curl x" }, { deny: ["Bash(curl:*)"] })).toMatchObject({
      behavior: "deny",
      reason: { type: "rule" },
    });
    expect(await change({ command: "curl x" }, { askRules: ["Bash(curl:*)"] })).toMatchObject({ behavior: "deny" });
    expect(await change({ command: "rm -rf /" })).toMatchObject({ behavior: "deny" });
    expect(await change({ command: "npm test" }, { subjectsOf: undefined })).toMatchObject({ behavior: "deny" });
    expect(await change({ command: "ls /x" }, { subjectsOf: undefined })).toEqual({
      behavior: "allow",
      reason: { type: "user" },
    });
  });

  test("answered with another input runs it, even if that is asked about for another reason", async () => {
    const ask = (updatedInput: Record<string, unknown>) => answering({ behavior: "allow", updatedInput }).ask;
    const secret = { file_path: join(place.cwd, ".env") };
    expect(await call(make(place, { ask: ask(secret) }), place.cwd, "Read", { file_path: "/etc/hosts" })).toMatchObject(
      {
        behavior: "allow",
        updatedInput: secret,
      },
    );
    const told = { command: "npm test", description: "d" };
    expect(await call(make(place, { ask: ask({ command: "npm ci" }) }), place.cwd, "Bash", told)).toHaveProperty(
      "updatedInput",
      { command: "npm ci" },
    );
  });

  test("names the part of the command that needs permission", async () => {
    const { ask, questions } = answering(() => ({ behavior: "deny" }));
    await call(make(place, { ask }), place.cwd, "Bash", { command: "ls && npm publish | tail -3" });
    expect(questions).toMatchObject([
      { reason: { type: "mode" }, why: '"npm publish" needs permission (the rest of the line does not)' },
    ]);
  });

  test("expires after its time limit, and ends with an abort", async () => {
    let fire = (): void => {};
    const limits: number[] = [];
    let stopped = 0;
    const clock = {
      timer: (ms: number, onFire: () => void) => {
        limits.push(ms);
        fire = onFire;
        return () => {
          stopped += 1;
        };
      },
    };
    const signals: AbortSignal[] = [];
    let asked = Promise.withResolvers<undefined>();
    const ask = (_question: PermissionQuestion, signal: AbortSignal) => {
      signals.push(signal);
      asked.resolve(undefined);
      return new Promise<PermissionAnswer>(() => {});
    };
    const permissions = make(place, { ask, clock });
    const expired = call(permissions, place.cwd, "Bash", { command: "npm test" });
    await asked.promise;
    fire();
    expect(await expired).toMatchObject({ behavior: "deny", reason: { type: "unanswered" } });
    const controller = new AbortController();
    asked = Promise.withResolvers<undefined>();
    const cancelled = call(permissions, place.cwd, "Bash", { command: "npm test" }, { signal: controller.signal });
    await asked.promise;
    controller.abort();
    expect(await cancelled).toMatchObject({ behavior: "deny", reason: { type: "unanswered" } });
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect(limits).toEqual([86_400_000, 86_400_000]);
    expect(stopped).toBe(2);
    expect(
      await call(permissions, place.cwd, "Bash", { command: "npm test" }, { signal: controller.signal }),
    ).toMatchObject({ behavior: "deny" });
  });

  test("comes after the hooks that may answer it, and its time limit starts with it", async () => {
    const order: string[] = [];
    const clock = { timer: (ms: number) => (order.push(`a limit of ${ms}`), () => {}) };
    const ask = async (): Promise<PermissionAnswer> => (order.push("a person"), { behavior: "deny" });
    let answer = Promise.withResolvers<{ behavior: "allow" } | null>();
    const beforeAsking = () => (order.push("hooks"), answer.promise);
    const permissions = make(place, { ask, clock, beforeAsking, askLimitMs: 5 });
    const left = call(permissions, place.cwd, "Bash", { command: "npm test" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(["hooks"]);
    answer.resolve(null);
    expect((await left).behavior).toBe("deny");
    expect(order.toSorted()).toEqual(["a limit of 5", "a person", "hooks"]);
    answer = Promise.withResolvers();
    order.length = 0;
    const answered = call(permissions, place.cwd, "Bash", { command: "npm test" });
    answer.resolve({ behavior: "allow" });
    expect((await answered).behavior).toBe("allow");
    expect(order).toEqual(["hooks"]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no terminal"))],
    [
      "throws at once",
      () => {
        throw new Error("no terminal");
      },
    ],
    ["does not answer", async () => undefined as unknown as PermissionAnswer],
    ["answers nonsense", async () => ({ behavior: "maybe" }) as unknown as PermissionAnswer],
    ["answers with no input", async () => ({ behavior: "allow", updatedInput: "x" }) as unknown as PermissionAnswer],
  ])("to a host that %s is denied", async (_name, ask) => {
    expect(await call(make(place, { ask }), place.cwd, "Bash", { command: "npm test" })).toMatchObject({
      behavior: "deny",
      reason: { type: "unanswered" },
    });
  });

  test("about a call whose check throws is denied", async () => {
    const reader = {
      realpath: (): string => {
        throw new Error("broken disk");
      },
      readlink: (): string => {
        throw new Error("broken disk");
      },
    };
    const subjects = null as unknown as [];
    const permissions = make(place, { reader });
    expect(
      await permissions.decide(
        { toolName: "Read", toolUseId: "x", input: {}, isReadOnly: true, subjects, cwd: place.cwd, key: "k" },
        new AbortController().signal,
      ),
    ).toMatchObject({
      behavior: "deny",
      reason: { type: "safety" },
    });
    expect(await verdict(permissions, place.cwd, "Read", { file_path: file })).toBe("ask");
  });
});

describe("a denial in a headless run", () => {
  const message = async (tool: string, input: Record<string, unknown>, setup: Setup = {}) => {
    const decision = await call(make(place, setup), place.cwd, tool, input);
    return decision.behavior === "deny" ? decision.message : "";
  };

  test.each([
    ["EACCES", "leads: this user may not look into a folder on its way, "],
    ["ELOOP", "leads: its links go round in a circle, "],
    ["EIO", "leads, "],
  ])("says why it is unknown where a path leads: %s", async (code, why) => {
    const refuse = (): never => {
      throw Object.assign(new Error("no"), { code });
    };
    const said = await message("Read", { file_path: file }, { reader: { realpath: refuse, readlink: refuse } });
    expect(said).toContain(`it cannot be told where its path ${why}`);
  });

  test("names the flag that would allow commands, edits, other folders and tools", async () => {
    expect(await message("Bash", { command: "npm test" })).toContain('--allowed-tools "Bash(npm test *)"');
    expect(await message("Bash", { command: 'echo "$X"' })).toContain(`--allowed-tools 'Bash(echo "$X")'`);
    expect(await message("Write", { file_path: file })).toContain("--permission-mode acceptEdits");
    expect(await message("Read", { file_path: "/etc/passwd" })).toContain("--add-dir /etc");
    const other = join(place.root, "x y");
    mkdirSync(other);
    expect(await message("Write", { file_path: join(other, "z") })).toContain(
      `--add-dir "${other}" --permission-mode acceptEdits`,
    );
    expect(await message("Glob", { path: other })).toContain(`--add-dir "${other}".`);
    expect(await message("mcp__a__b", {})).toContain("--allowed-tools mcp__a__b");
    expect(await message("Bash", { command: "a\nb" })).toContain('--allowed-tools "Bash(a)" "Bash(b)"');
    expect(await message("Bash", { command: "a\nb <<< x" })).toContain("--allowed-tools Bash");
  });

  test("names a rule instead of a folder that does not exist", async () => {
    const target = join(place.root, "no", "such.txt");
    const rule = `Edit(/${target})`;
    expect(await message("Write", { file_path: target })).toContain(`--allowed-tools "${rule}".`);
    expect(await message("Write", { file_path: target }, { allow: [rule] })).toBe("");
  });

  test("names the rule or mode that decided", async () => {
    expect(await message("Bash", { command: "curl x" }, { deny: ["Bash(curl *)"] })).toContain(
      'the deny rule "Bash(curl *)" (test)',
    );
    expect(await message("Bash", { command: "curl x" }, { askRules: ["Bash(curl *)"] })).toContain(
      'the ask rule "Bash(curl *)" (test)',
    );
    expect(await message("Write", { file_path: file }, { mode: "plan" })).toContain("plan mode");
    expect(await message("Bash", { command: "npm test" }, { mode: "dontAsk" })).toContain("dontAsk");
    expect(await message("Write", { file_path: join(place.cwd, ".git/x") })).toContain(".git is protected");
  });

  test("names the rule for a file that steers agents", async () => {
    const target = join(place.cwd, "CLAUDE.md");
    const rule = `Edit(/${target})`;
    const text = await message("Write", { file_path: target });
    expect(text).toContain(": CLAUDE.md steers agents");
    expect(text).toContain(`--allowed-tools "${rule}".`);
    expect(await message("Write", { file_path: target }, { allow: [rule] })).toBe("");
  });

  test("shows the call on one line without hidden characters", async () => {
    const text = await message("Bash", { command: `ls\nrm -rf x\u001b[2K\u202e${" ".repeat(400)}tail` });
    for (const hidden of ["\n", "\u001b", "\u202e"]) expect(text).not.toContain(hidden);
    expect(text).toContain("spaces");
  });
});

describe("the rules of a session", () => {
  test("are listed with their source, and an unreadable rule is not added", () => {
    const permissions = make(place, { allow: ["Read"], deny: ["Bash(curl *)", "Read["], askRules: ["Write"] });
    expect(permissions.problems).toMatchObject([{ rule: "Read[", behavior: "deny", level: "error" }]);
    expect(permissions.addSessionRule("Bash(npm test *)")).toBe(true);
    expect(permissions.addSessionRule("Bash(npm test *)")).toBe(true);
    expect(permissions.addSessionRule("- nonsense")).toBe(false);
    expect(permissions.describeRules()).toEqual([
      { behavior: "allow", rule: "Read", source: "test" },
      { behavior: "allow", rule: "Bash(npm test *)", source: "this session" },
      { behavior: "deny", rule: "Bash(curl *)", source: "test" },
      { behavior: "ask", rule: "Write", source: "test" },
    ]);
  });

  // Seen: with only Edit denied, the model changed files with Write.
  test("that deny Edit alone are reported to leave Write possible", () => {
    const told = (deny: string[]) => make(place, { deny }).problems.map(({ text }) => text);
    expect(told(["Edit"])).toEqual([expect.stringContaining("Write can still change files")]);
    expect([...told(["Edit", "Write"]), ...told(["Edit(//**)"])]).toEqual([]);
  });
});
