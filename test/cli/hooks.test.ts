// `pawl hooks`: which hooks are configured, which would run, and what they do.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { runHooks } from "../../src/cli/hooks-command.ts";
import { sampleInput } from "../../src/hooks/sample-input.ts";
import { hookEvents } from "../../src/protocol/hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  home = temporaryFolder();
  cwd = join(home, "work");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  mkdirSync(join(home, ".claude"));
});

function configure(folder: string, settings: object): void {
  writeFileSync(join(folder, ".claude/settings.json"), JSON.stringify(settings));
}

const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });

async function hooks(words: string[], stdin = ""): Promise<{ text: string; code: number; notices: string[] }> {
  const parsed = parseArguments(["hooks", ...words]);
  if (parsed.kind !== "hooks") throw new Error(`parsed as ${parsed.kind}`);
  let text = "";
  const notices: string[] = [];
  const env = { HOME: home, PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-secret" };
  const around = { cwd, home, env, onNotice: (notice: string) => void notices.push(notice) };
  const world = { around, stdin: Readable.from([stdin]), signal: new AbortController().signal };
  const code = await runHooks(parsed.hooks, world, async (piece) => void (text += piece));
  return { text, code, notices };
}

describe("pawl hooks", () => {
  test("lists each hook with its source and the reason why it would not run", async () => {
    configure(home, {
      allowedHttpHookUrls: ["https://example.com/*"],
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [command("check"), command("check")] },
          { matcher: "(a+)+", hooks: [command("wild")] },
        ],
        Stop: [{ hooks: [command("lint", { if: "Bash" }), { type: "http", url: "https://elsewhere.org/" }] }],
        FolderAdded: [{ hooks: [command("later")] }],
      },
    });
    configure(cwd, { hooks: { Stop: [{ hooks: [command("touch ran", { timeout: 5, async: true })] }] } });
    const { text, code } = await hooks(["--json"]);
    const told = JSON.parse(text) as { hooks: Record<string, unknown>[]; problems: { text: string }[] };
    expect(code).toBe(0);
    const source = join(home, ".claude/settings.json");
    expect(told.hooks).toMatchObject([
      {
        event: "PreToolUse",
        matcher: "Bash",
        type: "command",
        command: "check",
        async: false,
        source,
        trusted: true,
        runs: true,
      },
      { command: "check", runs: false, why: `it is the same as a hook of ${source}, which runs` },
      { command: "wild", runs: false, why: expect.stringContaining("matches nothing") as string },
      { command: "lint", if: "Bash", runs: false, why: 'its "if" is not evaluated on Stop' },
      { type: "http", async: false, runs: false, why: expect.stringContaining("allowedHttpHookUrls") as string },
      {
        command: "touch ran",
        timeout: 5,
        async: true,
        origin: "project",
        source: join(cwd, ".claude/settings.json"),
        trusted: false,
        runs: false,
        why: "the folder is not trusted as it is now",
      },
    ]);
    expect(told.problems.map((problem) => problem.text).join()).toContain("hooks.FolderAdded is not an event");
    const shown = (await hooks([])).text;
    expect(shown).toContain("  runs: Bash · command · check (at most 600 s)");
    expect(shown).toContain("not trusted; the folder is not trusted as it is now");
  });

  test.each([
    ["for 1.5 seconds by default", undefined, 1.5],
    ["for as long as its settings say", 20, 20],
    ["a minute at most", 900, 60],
  ])("shows that the end of a session waits for its hooks %s", async (_how, timeout, waits) => {
    configure(home, { hooks: { SessionEnd: [{ hooks: [command("tidy", { timeout })] }] } });
    expect((await hooks([])).text).toContain(`command · tidy (at most ${waits} s)`);
  });

  // A shell runs it; a terminal would take it for the title of its window.
  test("makes escape characters of a command visible before the folder is trusted", async () => {
    const hidden = "echo hi \x1b]; touch ran #\x07";
    configure(cwd, { hooks: { Stop: [{ matcher: "No\x9d|.*\x9cne", hooks: [command(hidden)] }] } });
    expect((await hooks([])).text).toContain(
      "No<U+009D>|.*<U+009C>ne · command · echo hi <U+001B>]; touch ran #<U+0007> (at most 600 s)",
    );
  });

  test("mentions disableAllHooks, and says so if a folder has no hooks", async () => {
    configure(home, { disableAllHooks: true, hooks: { Stop: [{ hooks: [command("x")] }] } });
    expect((await hooks([])).text).toContain("disableAllHooks is set");
    configure(home, {});
    expect((await hooks([])).text).toBe(`No hooks are configured for ${cwd}.\n`);
  });
});

describe("pawl hooks test", () => {
  test("runs the hooks of the event, and prints each result and the combined verdict", async () => {
    configure(home, {
      hooks: {
        PreToolUse: [
          { matcher: "Edit", hooks: [command("cat > seen.json; echo hello; echo careful >&2; exit 2")] },
          { matcher: "Edit", hooks: [command("env > env.txt; exit 7")] },
          { matcher: "Bash", hooks: [command("touch other")] },
        ],
      },
    });
    const { text, code } = await hooks(["test", "PreToolUse", "--matcher", "Edit", "--json"]);
    const told = JSON.parse(text) as { runs: object[]; answer: object };
    expect(code).toBe(1);
    expect(told.runs).toHaveLength(2);
    expect(told.runs).toContainEqual(
      expect.objectContaining({ exitCode: 2, decision: "deny", stdout: "hello\n", stderr: "careful\n" }),
    );
    expect(told.runs).toContainEqual(expect.objectContaining({ exitCode: 7, outcome: "error" }));
    expect(told.answer).toMatchObject({ permission: { behavior: "deny", reason: "careful" } });
    expect(existsSync(join(cwd, "other"))).toBe(false);
    expect(JSON.parse(readFileSync(join(cwd, "seen.json"), "utf8"))).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "Edit",
      cwd,
      permission_mode: "default",
    });
    expect(readFileSync(join(cwd, "env.txt"), "utf8")).not.toContain("sk-secret");
    expect((await hooks(["test", "PreToolUse", "--matcher", "Edit"])).text).toMatch(
      /exit code 2, .*, decision deny\n {2}stdout: hello\n {2}stderr: careful\n[^]*together: deny \(careful\)/u,
    );
  });

  test.each([
    [
      "Edit",
      { tool_input: { file_path: "/tmp/notes.txt", old_string: "hello" }, tool_response: { userModified: false } },
    ],
    ["Bash", { tool_input: { command: "echo hello" }, tool_response: { stdout: "hello\n" } }],
    ["mcp__a__b", { tool_input: {}, tool_response: [{ type: "text", text: "hello" }] }],
  ])("creates a sample call of %s with its input and answer, by matcher or by input", async (tool, call) => {
    for (const args of [
      ["--matcher", tool],
      ["--input", JSON.stringify({ tool_name: tool })],
    ]) {
      const { text } = await hooks(["test", "PostToolUse", ...args, "--json"]);
      expect((JSON.parse(text) as { input: object }).input).toMatchObject({ tool_name: tool, ...call });
    }
  });

  test("hints at answer fields outside of hookSpecificOutput without a warning", async () => {
    const answer = JSON.stringify({ additionalContext: "Mind the gap.", sessionTitle: null });
    configure(home, {
      hooks: { UserPromptSubmit: [{ hooks: [command(`echo '${answer}'`, { onFailure: "block" })] }] },
    });
    const { text, code } = await hooks(["test", "UserPromptSubmit"]);
    expect(text).toContain(
      "  hint: outside of hookSpecificOutput these fields have no effect: additionalContext\ntogether: no objection\n",
    );
    expect([code, text.includes("for you")]).toEqual([0, false]);
  });

  test("reads the input from the flag or from standard input", async () => {
    configure(home, { hooks: { UserPromptSubmit: [{ hooks: [command("cat > seen.json")] }] } });
    expect((await hooks(["test", "UserPromptSubmit", "--input", '{"prompt":"one"}'])).code).toBe(0);
    expect(readFileSync(join(cwd, "seen.json"), "utf8")).toContain('"prompt":"one"');
    await hooks(["test", "UserPromptSubmit", "--input", "-"], '{"prompt":"two"}');
    expect(readFileSync(join(cwd, "seen.json"), "utf8")).toContain('"prompt":"two"');
  });

  test("never runs hooks of an untrusted folder, and waits for asynchronous hooks", async () => {
    configure(cwd, { hooks: { Stop: [{ hooks: [command("touch ran")] }] } });
    const said = `{"systemMessage":"late"}`;
    configure(home, { hooks: { Stop: [{ hooks: [command(`echo '${said}'`, { async: true })] }] } });
    const { text, notices } = await hooks(["test", "Stop"]);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    expect(notices.join()).toContain("not trusted");
    expect(text).toContain("together: no objection\nfor the model: late\n");
  });

  test("explains an event without hooks, an unknown event and invalid input", async () => {
    expect((await hooks(["test", "Stop"])).text).toContain("No hook runs for this event");
    await expect(hooks(["test", "stop"])).rejects.toThrow("The event is called Stop");
    await expect(hooks(["test", "Nothing"])).rejects.toThrow("not a hook event");
    await expect(hooks(["test", "Stop", "--input", "[1]"])).rejects.toThrow("JSON object");
    await expect(hooks(["test", "Stop", "--input", "{"])).rejects.toThrow("JSON object");
    await expect(hooks(["test", "PreToolUse", "--input", '{"tool_name":7}'])).rejects.toThrow('"tool_name" should be');
    await expect(hooks(["test", "PreToolUse", "--input", '{"tool_input":"ls"}'])).rejects.toThrow("an object");
    expect(() => parseArguments(["hooks", "tset"])).toThrow("one subcommand, test");
    expect(() => parseArguments(["hooks", "test"])).toThrow("needs an event");
    expect(() => parseArguments(["hooks", "--matcher", "x"])).toThrow("pawl hooks test");
    configure(home, { hooks: { Stop: [{ hooks: [{ type: "command", onFailure: "block" }] }] } });
    await expect(hooks(["test", "Stop"])).rejects.toThrow('needs a "command"');
  });
});

test("sampleInput has a sample for every event, and puts the matcher's subject into it", () => {
  for (const event of hookEvents) expect(sampleInput(event).hook_event_name).toBe(event);
  expect(sampleInput("SessionStart", { matcher: "resume" })).toMatchObject({
    hook_event_name: "SessionStart",
    source: "resume",
  });
  expect(sampleInput("Stop", { matcher: "x", overrides: { stop_hook_active: true } }).stop_hook_active).toBe(true);
});

// Seen: a notification that nobody has typed for a minute had the words of a question for a permission.
test.each([
  ["Notification", "idle_prompt", { notification_type: "idle_prompt", message: "pawl is waiting for your input" }],
  ["SessionStart", "*", { source: "startup" }],
  ["FileChanged", "", { file_path: sampleInput("FileChanged").file_path }],
  ["PreToolUse", "^mcp__github__", { tool_name: "mcp__github__search" }],
  ["Notification", "auth_success", { message: "A notification of the kind auth_success" }],
  ["InstructionsLoaded", "include", { load_reason: "include", parent_file_path: "/tmp/CLAUDE.md" }],
  ["UserPromptExpansion", "deploy", { command_name: "deploy", prompt: "/deploy src" }],
  ["StopFailure", "overloaded", { last_assistant_message: "The API refused the request: overloaded." }],
  ["FileChanged", ".envrc|.env", { file_path: "/tmp/.envrc" }],
  ["PreToolUse", "Edit|Write", { tool_name: "Edit", tool_input: { file_path: "/tmp/notes.txt" } }],
  ["PreToolUse", "^(Write|Edit)$", { tool_name: "Edit", tool_input: { file_path: "/tmp/notes.txt" } }],
  ["PreToolUse", "mcp__.*", { tool_name: "mcp__tracker__search" }],
  ["PreToolUse", "mcp__memory__.*", { tool_name: "mcp__memory__.*" }],
  ["SubagentStop", "shop:reviewer", { agent_type: "shop:reviewer" }],
] as const)("sampleInput fits the event %s to the matcher %s", (event, matcher, fields) => {
  expect(sampleInput(event, { matcher })).toMatchObject(fields);
});

test("sampleInput words the message for a kind that is given as an input field", () => {
  const given = { notification_type: "agent_completed" };
  expect(sampleInput("Notification", { overrides: given }).message).toContain("has ended");
  expect(sampleInput("Notification", { overrides: { ...given, message: "Mine." } }).message).toBe("Mine.");
});
