// A session whose settings want a sandbox: what is asked, what is not, and what is said where there is none.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../src/protocol/permission.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { confined } from "../permissions/sandbox/support.ts";
import { put } from "../support/put.ts";
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
import { temporaryFolder } from "../support/temporary-folder.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

interface Said {
  told: string;
  questions: PermissionQuestion[];
  notices: string[];
}

/** Runs the commands one after the other; what the model was told of them. */
async function session(
  ground: Ground,
  sandbox: object,
  inputs: { command: string; dangerouslyDisableSandbox?: boolean }[],
  { answer, rules = {}, ...options }: EngineOptions & { answer?: PermissionAnswer; rules?: object } = {},
): Promise<Said> {
  const questions: PermissionQuestion[] = [];
  const notices: string[] = [];
  const model = scripted({ steps: inputs.map((input) => ({ content: [{ tool: "Bash", input }] })), fallback: "Done." });
  const ask = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    return answer ?? { behavior: "deny" };
  };
  const engine = await openOn(ground, model, {
    settings: JSON.stringify({ sandbox: { enabled: true, ...sandbox }, permissions: rules }),
    onNotice: (text) => void notices.push(text),
    ...(answer === undefined ? {} : { ask, headless: false }),
    ...options,
  });
  await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  const results = calls(model)
    .at(-1)!
    .body!.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter((block) => block.type === "tool_result");
  return { told: JSON.stringify(results), questions, notices };
}

const free = { provider: "bubblewrap" as const, autoAllowBashIfSandboxed: true };

confined(
  "with autoAllowBashIfSandboxed, a sandboxed command runs without a question, and only within its limits",
  async () => {
    const ground = layGround();
    const out = join(ground.home, "out");
    const { told } = await session(ground, free, [{ command: "touch made" }, { command: `touch ${out}` }]);
    expect(existsSync(join(ground.work, "made"))).toBe(true);
    expect(existsSync(out)).toBe(false);
    expect(told).toContain(`[Sandbox: ${out} may only be read`);
  },
);

// Seen: each stayed for ever, with what commands had put into their temporary folder.
confined("the next session removes the sandbox folder of a killed process, but not that of a live one", async () => {
  const ground = layGround();
  const temporary = temporaryFolder();
  const { pid, host, space } = nodeProcesses;
  const lay = (name: string, of: number): string =>
    put(
      join(temporary, name, "owner.json"),
      JSON.stringify({ pid: of, host, space, started: nodeProcesses.startTimeOf(of) }),
    );
  lay("pawl-sandbox-dead", 2 ** 22 + 1);
  lay("pawl-sandbox-alive", pid);
  await session(ground, free, [{ command: "true" }], { env: { CLAUDE_CODE_TMPDIR: temporary } });
  const there = readdirSync(temporary).filter((name) => name.startsWith("pawl-sandbox-"));
  expect(there).toHaveLength(2);
  expect(there).not.toContain("pawl-sandbox-dead");
  for (const name of there) expect(existsSync(join(temporary, name, "owner.json"))).toBe(true);
});

confined("without autoAllowBashIfSandboxed, a command asks as usual and is sandboxed all the same", async () => {
  const ground = layGround();
  const command = `touch ${join(ground.home, "out")}`;
  const asked = await session(ground, {}, [{ command }], { answer: { behavior: "allow" } });
  expect(asked.questions).toMatchObject([{ toolName: "Bash", input: { command } }]);
  const bypassed = await session(ground, {}, [{ command }], { permissionMode: "bypassPermissions" });
  expect(bypassed.told).toContain("may only be read");
  expect(existsSync(join(ground.home, "out"))).toBe(false);
});

confined("ask rules, deny rules and protected paths still apply to sandboxed commands", async () => {
  const ground = layGround();
  const inputs = ["touch kept", "rm -rf .", "echo x > .mcp.json", "touch denied"].map((command) => ({ command }));
  const rules = { ask: ["Bash(touch kept)"], deny: ["Bash(touch denied)"] };
  const { questions, told } = await session(ground, free, inputs, { answer: { behavior: "deny" }, rules });
  expect(questions.map(({ input }) => input["command"])).toEqual(["touch kept", "rm -rf .", "echo x > .mcp.json"]);
  expect(told).toContain("the deny rule");
});

confined(
  "a sandboxed command cannot change scripts of hooks and plugins, except those that package managers installed",
  async () => {
    const ground = layGround();
    const hooked = (command: string) => ({ hooks: { PostToolUse: [{ hooks: [{ type: "command", command }] }] } });
    const programs = ["node_modules/.bin/format", ".venv/bin/check"];
    for (const name of ["plug/run.sh", "tools/hook.sh", programs[0]!]) put(join(ground.work, name), "#!/bin/sh\n");
    const named = [...programs, "tools/hook.sh"].map((name) => `"$CLAUDE_PROJECT_DIR"/${name}`);
    put(join(ground.pawlHome, "settings.json"), hooked(named.join("; ")));
    put(join(ground.work, "plug/.claude-plugin/plugin.json"), { name: "plug" });
    put(join(ground.work, "plug/hooks/hooks.json"), hooked("${CLAUDE_PLUGIN_ROOT}/run.sh"));
    const commands = [
      "rm -rf node_modules && mkdir -p node_modules/.bin .venv/bin",
      `touch ${programs.join(" ")} && chmod +x ${programs.join(" ")}`,
      "echo x > tools/hook.sh",
      "echo x > plug/run.sh; mv plug plugged; mkdir plug; echo x > plug/run.sh",
    ];
    const inputs = commands.map((command) => ({ command }));
    await session(ground, free, inputs, { pluginDirs: [join(ground.work, "plug")] });
    expect(programs.map((name) => readdirSync(dirname(join(ground.work, name))))).toEqual([["format"], ["check"]]);
    for (const name of ["plug/run.sh", "tools/hook.sh"])
      expect(readFileSync(join(ground.work, name), "utf8"), name).toBe("#!/bin/sh\n");
  },
);

describe("running outside the sandbox", () => {
  const input = (ground: Ground) => ({ command: `touch ${join(ground.home, "out")}`, dangerouslyDisableSandbox: true });

  confined("needs a person's consent in every mode and under every rule", async () => {
    for (const options of [
      { permissionMode: "bypassPermissions" },
      { allowedTools: ["Bash"] },
    ] satisfies EngineOptions[]) {
      const ground = layGround();
      const alone = await session(ground, free, [input(ground)], options);
      expect(alone.told).toContain("asks to run outside the sandbox");
      expect(existsSync(join(ground.home, "out"))).toBe(false);
      const agreed = await session(ground, free, [input(ground)], { ...options, answer: { behavior: "allow" } });
      expect(agreed.questions).toHaveLength(1);
      expect(agreed.questions[0]).not.toHaveProperty("suggestedRule");
      expect(existsSync(join(ground.home, "out"))).toBe(true);
    }
  });

  confined("is refused without a question if settings forbid it", async () => {
    const ground = layGround();
    const sandbox = { ...free, allowUnsandboxedCommands: false };
    const { told, questions } = await session(ground, sandbox, [input(ground)], { answer: { behavior: "allow" } });
    expect(questions).toEqual([]);
    expect(told).toContain("sandbox.allowUnsandboxedCommands");
    expect(existsSync(join(ground.home, "out"))).toBe(false);
  });
});

confined("asks about a network host by name, and a lasting consent holds for the session", async () => {
  const ground = layGround();
  const command = "curl -sS --max-time 5 http://nobody.invalid/";
  const answer: PermissionAnswer = { behavior: "allow", rule: "WebFetch(domain:nobody.invalid)" };
  const { questions, told } = await session(ground, free, [{ command }, { command }], { answer });
  expect(questions).toMatchObject([
    {
      toolName: "SandboxNetworkAccess",
      input: { host: "nobody.invalid", port: 80, command },
      suggestedRule: "WebFetch(domain:nobody.invalid)",
      reason: { type: "sandbox" },
    },
  ]);
  expect(told.match(/nobody\.invalid was not found/gu)).toHaveLength(2);
  const refused = await session(ground, free, [{ command }], { answer: { behavior: "deny", message: "not that one" } });
  expect(refused.told).toContain("not that one");
  const bypassed = await session(ground, free, [{ command }], {
    answer: { behavior: "allow" },
    permissionMode: "bypassPermissions",
  });
  expect(bypassed.questions).toEqual([]);
  expect(bypassed.told).toContain("no rule or setting lists it");
});

test("a missing sandbox is reported clearly and commands are judged as usual, or the session does not start", async () => {
  const ground = layGround();
  const sandbox = { ...free, bwrapPath: "/nowhere/bwrap" };
  const { notices, told } = await session(ground, sandbox, [{ command: "touch made" }]);
  expect(notices.join()).toContain("COMMANDS RUN WITHOUT A SANDBOX");
  expect(told).toContain("needs permission");
  expect(existsSync(join(ground.work, "made"))).toBe(false);
  await expect(session(ground, { ...sandbox, failIfUnavailable: true }, [])).rejects.toThrow(
    /failIfUnavailable.*bwrap was not found/u,
  );
});

// Seen: not a command ran where TMPDIR was one.
confined("the folder for temporary files can be named by a symbolic link", async () => {
  const ground = layGround();
  // One whose path is long is not taken.
  const short = mkdtempSync("/tmp/pawl-");
  onTestFinished(() => rmSync(short, { recursive: true, force: true }));
  mkdirSync(join(short, "real"));
  symlinkSync(join(short, "real"), join(short, "link"));
  const env = { CLAUDE_CODE_TMPDIR: join(short, "link") };
  const { told } = await session(ground, free, [{ command: "touch made $TMPDIR/x && ls -d $TMPDIR/x" }], { env });
  expect(told).toContain(join(short, "real"));
  expect(existsSync(join(ground.work, "made"))).toBe(true);
});

confined("leaves nothing behind when the session is over", async () => {
  const ground = layGround();
  const { told } = await session(ground, free, [{ command: "touch made && echo at $TMPDIR:" }]);
  const temporary = /at (\/[^:]+):/u.exec(told)?.[1] ?? "";
  expect(existsSync(temporary)).toBe(true);
  await disposeAll();
  expect(existsSync(dirname(temporary))).toBe(false);
  expect(readdirSync(ground.work)).toEqual(["made"]);
});
