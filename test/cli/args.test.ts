import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import type { RunArguments } from "../../src/cli/run-arguments.ts";
import { mainCommand } from "../../src/cli/options.ts";
import { UsageError } from "../../src/lib/usage-error.ts";
import { byTestDepth } from "../support/test-depth.ts";

function run(...argv: string[]): RunArguments {
  const command = parseArguments(argv);
  if (command.kind !== "run") throw new Error(`expected a run, got ${command.kind}`);
  return command.run;
}

function refusal(argv: string[], env: Record<string, string> = {}): string {
  try {
    parseArguments(argv, env);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${argv.join(" ")}`);
}

const id = "0d3f6a52-9c5e-4f0b-8a55-0f3a9a3c1b11";

describe("values", () => {
  test("opens a conversation with default options when there are no words", () => {
    expect(run()).toMatchObject({
      print: false,
      outputFormat: "text",
      inputFormat: "text",
      allowedTools: [],
      disallowedTools: [],
      addDirs: [],
      mcpConfig: [],
      strictMcpConfig: false,
      continue: false,
      forkSession: false,
      persistSession: true,
    });
    expect(run().prompt).toBeUndefined();
    expect(run().tools).toBeUndefined();
  });

  test.each<[string[], Partial<RunArguments>]>([
    [["-p", "x"], { print: true, prompt: "x" }],
    [["--print", "x"], { print: true, prompt: "x" }],
    [["x"], { print: false, prompt: "x" }],
    ...["hello", "deploy", "docker", "configure", "player", "coding", "map"].map(
      (prompt) => [[prompt], { prompt }] as [string[], object],
    ),
    [["-p", ""], { prompt: "" }],
    [["-p", "--", "--bare"], { prompt: "--bare" }],
    [["-p", "--debug=api,!hooks", "-d", "--debug-to-stderr", "x"], { prompt: "x" }],
    [["-p", "--", "--debug=api"], { prompt: "--debug=api" }],
    [["-p", "--no-chrome", "--ide", "--mcp-debug", "x"], { prompt: "x" }],
    // A prompt read from a file: a list, front matter, a comment.
    [["-p", "- one\n- two"], { prompt: "- one\n- two" }],
    [["-p", "---\ntitle: x\n---\nfix it"], { prompt: "---\ntitle: x\n---\nfix it" }],
    [["-p", "-- a comment", "--model", "opus"], { prompt: "-- a comment", model: "opus" }],
    [["-p", "--append-system-prompt", "- be brief", "x"], { appendSystemPrompt: "- be brief", prompt: "x" }],
    [["--", "update"], { prompt: "update" }],
    [["-p", "update"], { prompt: "update" }],
    [["-p", "x", "--output-format", "json"], { outputFormat: "json" }],
    [
      ["-p", "x", "--output-format=stream-json", "--include-partial-messages"],
      { outputFormat: "stream-json", includePartialMessages: true },
    ],
    [["-p", "--input-format", "stream-json", "--output-format", "stream-json"], { inputFormat: "stream-json" }],
    [
      ["--input-format=stream-json", "--output-format=stream-json", "--replay-user-messages", "", "--verbose", ""],
      { inputFormat: "stream-json", verbose: true },
    ],
    [["-p", "", "x"], { prompt: "x" }],
    [["-p", ""], { prompt: "" }],
    [["-p", "x", "--verbose"], { verbose: true }],
    [["--model", "opus"], { model: "opus" }],
    [["--model=a", "--model=b"], { model: "b" }],
    [["--fallback-model", "sonnet,haiku"], { fallbackModel: "sonnet,haiku" }],
    [["--effort", "xhigh"], { effort: "xhigh" }],
    [["--max-thinking-tokens", "0"], { maxThinkingTokens: 0 }],
    [["--thinking", "disabled"], { thinking: "disabled" }],
    [["--speed", "fast"], { speed: "fast" }],
    [["--token-budget", "500k"], { tokenBudget: 500_000 }],
    [["--token-budget", "1.5M"], { tokenBudget: 1_500_000 }],
    [["--token-budget", "12345"], { tokenBudget: 12_345 }],
    [["--task-budget", "20000"], { taskBudget: 20_000 }],
    [["--autocompact", "400k"], { compactWindow: 400_000 }],
    [["--autocompact", "auto"], { compactWindow: 1_000_000 }],
    [["--max-turns", "3"], { maxTurns: 3 }],
    [["--max-budget-usd", ".5"], { maxBudgetUsd: 0.5 }],
    [["--max-budget-usd", "$2"], { maxBudgetUsd: 2 }],
    [["--max-budget-usd", String(0.5 - 0.4999995)], { maxBudgetUsd: 0.5 - 0.4999995 }],
    [["--permission-mode", "acceptEdits"], { permissionMode: "acceptEdits" }],
    [["--permission-mode", "manual"], { permissionMode: "default" }],
    [["--dangerously-skip-permissions"], { permissionMode: "bypassPermissions" }],
    [
      ["--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"],
      { permissionMode: "bypassPermissions" },
    ],
    [["--system-prompt", ""], { systemPrompt: "" }],
    [["--system-prompt", "--short"], { systemPrompt: "--short" }],
    [
      ["--append-system-prompt", "a", "--append-system-prompt-file", "b"],
      { appendSystemPrompt: "a", appendSystemPromptFile: "b" },
    ],
    [["-c"], { continue: true }],
    [["-cp", "x"], { continue: true, print: true, prompt: "x" }],
    [["-r", "my title"], { resume: "my title" }],
    [
      ["--resume=abc", "--fork-session", "--session-id", id.toUpperCase()],
      { resume: "abc", forkSession: true, sessionId: id },
    ],
    [["-p", "x", "--no-session-persistence"], { persistSession: false }],
    [["--settings", '{"a":1}'], { settings: '{"a":1}' }],
    [["--debug-file", "d.log"], { debugFile: "d.log" }],
    [["--add-dir", "a", "b c", "--add-dir", "d"], { addDirs: ["a", "b c", "d"] }],
    // The word after the folder was taken for another folder, and the prompt was missing.
    [["--plugin-dir", "a", "--plugin-dir", "b c", "go on"], { pluginDirs: ["a", "b c"], prompt: "go on" }],
    [["--plugin-dir-no-mcp", "a", "go on"], { pluginDirsWithoutServers: ["a"], prompt: "go on" }],
  ])("%j", (argv, want) => {
    expect(run(...argv)).toMatchObject(want);
  });

  test("lists accepted flags and agent fields without an effect for the debug file", () => {
    const agents = JSON.stringify({ reviewer: { description: "x", prompt: "y", disallowedTool: ["Bash"] } });
    const { client } = run("-p", "--ide", "--debug", "--agents", agents, "--", "x");
    expect(client.remarks).toEqual([
      "--debug was accepted and has no effect",
      "--ide was accepted and has no effect",
      "--agents.reviewer: disallowedTool was accepted and has no effect",
    ]);
  });

  test("accepts JSON that begins with a byte order mark", () => {
    const agents = "\ufeff" + JSON.stringify({ reviewer: { description: "x", prompt: "y" } });
    const { client } = run(
      "-p",
      "--agents",
      agents,
      "--json-schema",
      "\ufeff{}",
      "--managed-settings",
      "\ufeff{}",
      "x",
    );
    expect(client).toMatchObject({ agents: { reviewer: { prompt: "y" } }, jsonSchema: {}, managedSettings: {} });
  });

  test("accepts named values in any letter case", () => {
    const words = run("-p", "x", "--effort", "HIGH", "--permission-mode", "acceptedits");
    expect(words).toMatchObject({ effort: "high", permissionMode: "acceptEdits" });
    // Seen: these were not.
    expect(run("-p", "x", "--permission-mode", "Manual")).toMatchObject({ permissionMode: "default" });
    expect(() => run("-p", "x", "--effort", "Ultracode")).toThrow("is not built yet");
    const explain = parseArguments(["permissions", "explain", "Bash(ls)", "--permission-mode", "manual"], {});
    expect(explain).toMatchObject({ explain: { permissionMode: "default" } });
  });

  test("uses the turn limit of the environment only if no flag sets one", () => {
    const limit = (argv: string[], env: Record<string, string>): number | undefined => {
      const command = parseArguments(argv, env);
      return command.kind === "run" ? command.run.maxTurns : undefined;
    };
    expect(limit([], { CLAUDE_CODE_MAX_TURNS: "7" })).toBe(7);
    expect(limit([], { CLAUDE_CODE_MAX_TURNS: "7", PAWL_MAX_TURNS: "8" })).toBe(8);
    expect(limit(["--max-turns", "2"], { PAWL_MAX_TURNS: "8" })).toBe(2);
    expect(limit([], { PAWL_MAX_TURNS: "" })).toBeUndefined();
    expect(refusal([], { CLAUDE_CODE_MAX_TURNS: "many" })).toBe(
      'CLAUDE_CODE_MAX_TURNS needs a whole number of 1 or more, not "many".',
    );
  });
});

describe("lists", () => {
  test.each<[string[], string[]]>([
    [["Read,Edit"], ["Read", "Edit"]],
    [["Read Edit"], ["Read", "Edit"]],
    [
      ["Read", "Edit"],
      ["Read", "Edit"],
    ],
    [["Read, Edit ,,Grep"], ["Read", "Edit", "Grep"]],
    [["Bash(npm run test *),Read"], ["Bash(npm run test *)", "Read"]],
    [["Bash(git log --format=%h, %s) Read"], ["Bash(git log --format=%h, %s)", "Read"]],
    [["Bash(echo (a b) c),Edit(src/**)"], ["Bash(echo (a b) c)", "Edit(src/**)"]],
    [[String.raw`Bash(echo \( x),Read`], [String.raw`Bash(echo \( x)`, "Read"]],
    [["mcp__srv,mcp__srv__*,mcp__my-srv__do_it"], ["mcp__srv", "mcp__srv__*", "mcp__my-srv__do_it"]],
    [["*"], ["*"]],
    [["Bash,codebase_search,LS"], ["Bash", "codebase_search", "LS"]],
    [["Bash(a\nb)"], ["Bash(a\nb)"]],
    [[""], []],
  ])("%j", (values, want) => {
    expect(run("-p", "x", "--allowed-tools", ...values).allowedTools).toEqual(want);
    expect(run("-p", "x", "--allowedTools", ...values).allowedTools).toEqual(want);
    expect(run("-p", "x", "--disallowed-tools", ...values).disallowedTools).toEqual(want);
    expect(run("-p", "--disallowedTools", ...values, "--", "x")).toMatchObject({ disallowedTools: want, prompt: "x" });
  });

  // Editors deny the plan tool under its older name; a denial must not be lost for its spelling.
  test("deny a tool that is named with underscores, and do not allow it", () => {
    const names = ["exit_plan_mode", "web_fetch"];
    const options = run("x", "--allowed-tools", ...names, "--disallowed-tools", ...names);
    expect(options.disallowedTools).toEqual(["ExitPlanMode", "WebFetch"]);
    expect(options.allowedTools).toEqual(names);
  });

  test("merges the values of both spellings of a list flag", () => {
    expect(run("x", "--allowedTools", "Read", "--allowed-tools", "Edit").allowedTools).toEqual(["Read", "Edit"]);
  });

  test("parses --tools as names, the default set or none", () => {
    expect(run("x", "--tools", "Bash,Read").tools).toEqual(["Bash", "Read"]);
    expect(run("x", "--tools", "default").tools).toBeUndefined();
    expect(run("x", "--tools", "").tools).toEqual([]);
  });

  test("parses rules with any text in balanced parentheses, joined by commas or blanks", () => {
    const word = fc.stringMatching(/^[A-Z][a-z]{0,5}$/u);
    const inner = fc.string({ maxLength: 20, size: "max" }).map((text) => text.replace(/[()\\]/gu, ""));
    const rule = fc.tuple(word, fc.option(inner)).map(([name, text]) => (text === null ? name : `${name}(${text})`));
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(",", " ", ", "),
        (rules, separator) => {
          expect(run("x", "--allowed-tools", rules.join(separator)).allowedTools).toEqual(rules);
        },
      ),
    );
  });
});

describe("refusals", () => {
  test.each<[string[], string]>([
    [["-p", "a", "b"], 'One prompt only: put it in quotes, pawl -p "like this".'],
    [["--max-turns"], "--max-turns <n> needs a value."],
    [["--max-turns", "0"], '--max-turns needs a whole number of 1 or more, not "0".'],
    [["--max-turns", "NaN"], '--max-turns needs a whole number of 1 or more, not "NaN".'],
    [["--max-turns", "1.5"], '--max-turns needs a whole number of 1 or more, not "1.5".'],
    [["--max-turns", "-3"], '--max-turns needs a whole number of 1 or more, not "-3".'],
    [["--max-budget-usd", "-1"], '--max-budget-usd needs an amount of US dollars above 0, such as 0.50, not "-1".'],
    [["--max-budget-usd", "0"], '--max-budget-usd needs an amount of US dollars above 0, such as 0.50, not "0".'],
    [
      ["--max-budget-usd", "Infinity"],
      '--max-budget-usd needs an amount of US dollars above 0, such as 0.50, not "Infinity".',
    ],
    [
      ["--permission-mode", "yolo"],
      '--permission-mode: "yolo" is not one of default, acceptEdits, plan, auto, dontAsk and bypassPermissions.',
    ],
    [["--thinking", "deep"], '--thinking: "deep" is not one of adaptive and disabled.'],
    [
      ["--thinking", "adaptive", "--max-thinking-tokens", "5000"],
      "--thinking and --max-thinking-tokens set the same thing: use one.",
    ],
    [["--speed", "slow"], '--speed: "slow" is not one of standard and fast.'],
    [["--token-budget", "0"], '--token-budget needs a number of tokens of 1 or more, such as 500000 or 500k, not "0".'],
    [
      ["--token-budget", "1.0005k"],
      '--token-budget needs a number of tokens of 1 or more, such as 500000 or 500k, not "1.0005k".',
    ],
    [
      ["--task-budget", "19k"],
      '--task-budget needs a number of tokens of 20000 or more, such as 500000 or 500k, not "19k".',
    ],
    [
      ["--effort", "ultracode"],
      "--effort ultracode is not built yet; the values are low, medium, high, xhigh and max.",
    ],
    [["-p", "x", "--output-format", "xml"], '--output-format: "xml" is not one of text, json and stream-json.'],
    [["-p", "x", "--input-format", "json"], '--input-format: "json" is not one of text and stream-json.'],
    [["--model", " "], "--model needs a value, and got an empty one."],
    [["--session-id", "7"], '--session-id needs a UUID, not "7".'],
    [["-c", "-r", "x"], "--continue and --resume each name a session: use one."],
    [
      ["-p", "-r"],
      "--resume needs a session's id or title: pawl sessions lists them, and -c continues the newest one of this folder.",
    ],
    [["-n", " "], "--name needs a value, and got an empty one."],
    [["--fork-session"], "--fork-session copies a session: it needs --continue or --resume."],
    [["--rewind-files", "1"], "--rewind-files puts back files of an earlier session: it needs --continue or --resume."],
    [["-p", "--dry-run", "x"], "--dry-run is for --rewind-files."],
    [["-c", "--rewind", "1", "x"], "--rewind-files takes no prompt: it does not call the model."],
    [["-c", "--rewind-files", "1 confirm"], `--rewind-files takes a message's id or number, not "1 confirm".`],
    [
      ["-c", "--session-id", id],
      "--session-id is for a new session: with --continue or --resume it needs --fork-session too.",
    ],
    [
      ["--system-prompt", "a", "--system-prompt-file", "b"],
      "--system-prompt and --system-prompt-file replace the same thing: use one.",
    ],
    [["--model", "a", "--fallback-model", "a"], "--fallback-model is the same as --model: name another one."],
    [
      ["--dangerously-skip-permissions", "--permission-mode", "plan"],
      "--dangerously-skip-permissions contradicts --permission-mode plan: use one.",
    ],
    [["--output-format", "json"], "--output-format is for headless runs: add -p."],
    [["--no-session-persistence"], "--no-session-persistence is for headless runs: add -p."],
    [["-p", "x", "--include-partial-messages"], "--include-partial-messages needs --output-format stream-json."],
    [["-p", "x", "--session-mirror"], "--session-mirror needs --input-format stream-json."],
    [["-p", "--input-format", "stream-json"], "--input-format stream-json needs --output-format stream-json."],
    [
      ["-p", "x", "--input-format", "stream-json", "--output-format", "stream-json"],
      "With --input-format stream-json the prompts come on standard input: leave the argument out.",
    ],
    [
      ["-p", "--allowed-tools", "Read", "fix the bug"],
      '--allowed-tools: "fix" is not a permission rule such as Read or "Bash(npm test *)"; a prompt after a list needs "--" before it.',
    ],
    [
      ["x", "--allowed-tools", "Bash(a"],
      String.raw`--allowed-tools: the parentheses in "Bash(a" do not match; write \( or \) for a parenthesis that belongs to the command.`,
    ],
    [
      ["x", "--disallowed-tools", "Bash a)"],
      String.raw`--disallowed-tools: the parentheses in "Bash a)" do not match; write \( or \) for a parenthesis that belongs to the command.`,
    ],
    [
      ["x", "--tools", "Read", "make it so"],
      '--tools: "make" is not a tool name such as Read (give names, default alone, or "" for none); a prompt after a list needs "--" before it.',
    ],
    [
      ["-p", "x", "--json-schema", "answer.json"],
      `--json-schema is not a valid JSON Schema: it is not JSON (Unexpected token 'a', "answer.json" is not valid JSON); for a schema in a file, write --json-schema "$(cat schema.json)".`,
    ],
    [["--remote"], "--remote is not built yet; pawl --help lists what is."],
    [["upgrade"], "pawl upgrade is not built yet; to send the word as a prompt: pawl -- upgrade"],
    [["login"], "pawl login is not built yet; to send the word as a prompt: pawl -- login"],
    [["-p", "x", "--plugin-url", "a"], "--plugin-url is not built yet; pawl --help lists what is."],
    [["--bare=api"], "--bare takes no value."],
    [["--advisor", "x"], "--advisor is not built yet; pawl --help lists what is."],
    [
      ["-p", "x", "--autocompact", "50k"],
      '--autocompact needs auto or a number of tokens from 100000 to 1000000, such as 400k, not "50k".',
    ],
    [
      ["-p", "x", "--autocompact", "2m"],
      '--autocompact needs auto or a number of tokens from 100000 to 1000000, such as 400k, not "2m".',
    ],
    [
      ["-p", "x", "--autocompact", "never"],
      '--autocompact needs auto or a number of tokens from 100000 to 1000000, such as 400k, not "never".',
    ],
    [
      ["--agents", "{"],
      "--agents is not valid JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2).",
    ],
    [["--agents", "[]"], "--agents must be an object of definitions by name."],
    [["--agents", '{"a":{"prompt":"x"}}'], "--agents.a needs a description and a prompt, both strings."],
    [["--tmux"], "--tmux is not built yet; pawl --help lists what is."],
    [["mcp", "serve", "-w", "x"], "pawl mcp serve works in the folder it is called in: leave --worktree out."],
    [
      ["plugin", "enable", "x@m", "--user", "--local"],
      "pawl plugin takes one of --user, --project and --local, not --user --local.",
    ],
    [["mcp", "lists"], "pawl mcp has no command lists; pawl mcp --help lists them."],
    [["mcp", "add", "x"], "Wrong use of pawl mcp add; pawl mcp --help shows how it is used."],
    [["mcp", "add", "x", "-s", "all", "npx"], '--scope: "all" is not one of local, user and project.'],
    [["--maxTurns", "3"], "Unknown flag --maxTurns; did you mean --max-turns?"],
    [["--outputformat=json"], "Unknown flag --outputformat; did you mean --output-format?"],
    // Seen: --task-budget was suggested, which limits nothing.
    [["--max-budget", "2"], "Unknown flag --max-budget; did you mean --max-budget-usd?"],
    [["--json"], "Unknown flag --json; pawl --help lists them."],
    [["--modle", "x"], "Unknown flag --modle; did you mean --model?"],
    [["--zzzz"], "Unknown flag --zzzz; pawl --help lists them."],
    [["-p=hello"], 'A one-letter flag takes no "=": write its value as the next word, pawl -p "like this".'],
    [["-cp=hello"], 'A one-letter flag takes no "=": write its value as the next word, pawl -p "like this".'],
    [["--print=1"], "--print takes no value."],
    [
      ["sesions"],
      "There is no command sesions; did you mean pawl sessions? To send the word as a prompt: pawl -- sesions",
    ],
    [
      ["docter", "--json"],
      "There is no command docter; did you mean pawl doctor? To send the word as a prompt: pawl -- docter",
    ],
    [
      ["conifg", "list"],
      "There is no command conifg; did you mean pawl config? To send the word as a prompt: pawl -- conifg",
    ],
    ...[
      ["congif", "config"],
      ["sessoin", "sessions"],
      ["mpc", "mcp"],
    ].map(([typed, meant]): [string[], string] => [
      [typed ?? ""],
      `There is no command ${typed}; did you mean pawl ${meant}? To send the word as a prompt: pawl -- ${typed}`,
    ]),
    [["help"], "There is no command help; did you mean pawl --help? To send the word as a prompt: pawl -- help"],
    [
      ["Version"],
      "There is no command Version; did you mean pawl --version? To send the word as a prompt: pawl -- Version",
    ],
    [["mock"], "pawl mock needs --script <file>, the replies to serve."],
    [["mock", "--script", "a", "--port", "70000"], '--port needs a port up to 65535, not "70000".'],
    [["mock", "--sript", "a"], "Unknown flag --sript; did you mean --script?"],
  ])("%j", (argv, message) => {
    expect(refusal(argv)).toBe(message);
  });
});

describe("other commands and the help", () => {
  test("parses --version and the mock command", () => {
    for (const flag of ["-v", "--version"]) expect(parseArguments(["-p", flag])).toEqual({ kind: "version" });
    expect(parseArguments(["mock", "--script", "s.json", "--port", "4010"])).toEqual({
      kind: "mock",
      script: "s.json",
      port: 4010,
    });
    expect(parseArguments(["mock", "--script=s.ts"])).toEqual({ kind: "mock", script: "s.ts", port: 0 });
  });

  test("prints a help of at most 80 columns that names every flag and whose examples parse", () => {
    const help = parseArguments(["--help"]);
    const text = help.kind === "help" ? help.text : "";
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    for (const option of mainCommand(() => undefined).options) expect(text).toContain(option.long);
    const examples = text.split("\n").filter((line) => line.startsWith("  pawl "));
    expect(examples.length).toBeGreaterThan(3);
    for (const example of examples) {
      const words = (example.replace(/ {3}.*$| < .*$/gu, "").match(/"[^"]*"|\S+/gu) ?? []).map((word) =>
        word.replaceAll('"', ""),
      );
      expect(parseArguments(words.slice(1)).kind).toMatch(
        /^(?:run|mock|completion|explain|auth|trust|hooks|config|doctor|mcp|plugin|replay|sessions)$/u,
      );
    }
    expect(parseArguments(["-p", "x", "-h"]).kind).toBe("help");
    expect(parseArguments(["mock", "-h"]).kind).toBe("help");
  });

  test("yields a command or a UsageError for any words", () => {
    const flags = mainCommand(() => undefined).options.flatMap((option) => [option.long ?? "", option.short ?? ""]);
    const word = fc.oneof(
      fc.constantFrom(
        ...flags,
        "--",
        "-",
        "mock",
        "--script",
        "--port",
        "-h",
        "--bare",
        "__proto__",
        "--constructor",
        "--__proto__",
        "--no-print",
      ),
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(...flags).chain((flag) => fc.string({ maxLength: 6 }).map((value) => `${flag}=${value}`)),
      fc.constantFrom(
        "0",
        "-1",
        "1e999",
        "default",
        "plan",
        "json",
        id,
        "Bash(a b)",
        "Read,Edit",
        "((",
        "help",
        "update",
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
        try {
          expect(["help", "version", "mock", "run"]).toContain(parseArguments(argv).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).not.toBe("");
        }
      }),
      { numRuns: byTestDepth(600, 2000) },
    );
  });
});

test("each flag without an effect is accepted, named in the help, and leaves a line for the debug file", () => {
  const help = parseArguments(["--help"]);
  const flags = ["--debug", "--debug-to-stderr", "--mcp-debug", "--await-initialize", "--ide", "--no-chrome"];
  for (const flag of flags) {
    expect(help).toHaveProperty("text", expect.stringMatching(new RegExp(`without an effect[^]*${flag}[,.]`, "u")));
    expect(parseArguments(["-p", flag, "hi"])).toHaveProperty("run.client.remarks", [
      `${flag} was accepted and has no effect`,
    ]);
  }
  expect(parseArguments(["-p", "hi"])).toHaveProperty("run.client.remarks", []);
});
