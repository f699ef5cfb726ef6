/**
 * The command line as data: each flag, its group in `--help`, and its one line. What a value may be is checked in
 * `values.ts`; what the flags mean together in `args.ts`.
 */
import { type Command, Option } from "commander";
import { addClientFlags, clientFlagsHelp, type RawClientOptions } from "./client-flags.ts";
import { quiet } from "./tokenise.ts";

type Flag = readonly [flags: string, description: string];

const flagGroups: readonly (readonly [heading: string, flags: readonly Flag[]])[] = [
  [
    "Without a conversation:",
    [
      ["-p, --print", "answer the prompt and exit; what is piped in is added to it"],
      [
        "--output-format <format>",
        "text (the answer alone), json (one result) or stream-json (every message as it comes)",
      ],
      ["--input-format <format>", "text, or stream-json: one user message a line, each a turn"],
      ["--include-partial-messages", "stream-json: also the model's deltas"],
      ["--prompt-suggestions", "stream-json: after a result, what you might say next"],
      ["--include-hook-events", "stream-json: also when hooks begin, what they print and how they end"],
      ["--verbose", "progress on stderr even where it is no terminal; with json: an array of all messages"],
    ],
  ],
  [
    "Model:",
    [
      ["--model <name>", "an alias (opus, sonnet, haiku, fable) or a full model id"],
      ["--fallback-model <name>", "used while the first one is overloaded"],
      ["--effort <level>", "low, medium, high, xhigh or max"],
      ["--thinking <how>", "adaptive or disabled"],
      ["--max-thinking-tokens <n>", "for models that think within a token budget; 0 turns thinking off"],
      ["--speed <speed>", "standard, or fast at a higher price, on models that have it"],
    ],
  ],
  [
    "How long it works:",
    [
      ["--max-turns <n>", "at most n turns of the model (exit code 3)"],
      ["--max-budget-usd <amount>", "never spend more than this (exit code 4)"],
      ["--token-budget <n>", "go on until so many tokens of work are done: 500000, 500k, 2m"],
      ["--task-budget <n>", "tokens the model is told it has for each prompt, from 20k on"],
      ["--autocompact <n>", "compact as if the window were this small: 100k to 1m tokens; auto: the model's own"],
    ],
  ],
  [
    "Tools and permissions:",
    [
      ["--permission-mode <mode>", "default, acceptEdits, plan, auto, dontAsk or bypassPermissions"],
      ["--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions"],
      ["--allowedTools, --allowed-tools <rules...>", 'allow without asking: "Bash(npm run test *),Edit"'],
      ["--disallowedTools, --disallowed-tools <rules...>", "refuse; a bare name takes the tool away"],
      ["--tools <names...>", 'the built-in tools on offer: names, default, or "" for none'],
      ["--add-dir <folders...>", "folders to work in besides the current one"],
      ["--plugin-dir <folder>", "a plugin to take, with all it brings; again for more"],
      ["--plugin-dir-no-mcp <folder>", "the same, without the servers it brings"],
      ["--mcp-config <files...>", "MCP servers of these files, or of JSON text"],
      ["--strict-mcp-config", "only the servers of --mcp-config"],
    ],
  ],
  [
    "Instructions:",
    [
      ["--system-prompt <text>", "replace the system prompt"],
      ["--system-prompt-file <file>", "replace it with a file's text"],
      ["--append-system-prompt <text>", "add to the system prompt"],
      ["--append-system-prompt-file <file>", "add a file's text"],
      ["--disable-slash-commands", "a prompt that begins with / is one for the model too, which is offered no skills"],
    ],
  ],
  [
    "Sessions:",
    [
      ["-c, --continue", "go on with the newest session of this folder"],
      ["-r, --resume [session]", "go on with a session: its id, the beginning of it, or its title; alone: asks which"],
      ["--fork-session", "with -c or -r: go on in a copy, under a new id"],
      ["--resume-session-at <uuid>", "with -c or -r: go on after this message, without what came later"],
      ["--resume-drops-turn <uuid>", "with that: refuse where more than this prompt's turn would go"],
      ["-n, --name <title>", "what the session is called"],
      ["-w, --worktree [tree]", "work in a git work tree of this name, or of a pull request (#12); alone: a new one"],
      ["--session-id <uuid>", "the id of a new session"],
      ["--no-session-persistence", "keep no transcript"],
      ["--rewind, --rewind-files <message>", "with -c or -r: put files back to before that message (id or number)"],
      ["--dry-run", "with --rewind-files: say what would change"],
    ],
  ],
  [
    "Other:",
    [
      ["--settings <file-or-json>", "settings for this run"],
      ["--bare", "take nothing from around: hooks, skills, instructions, servers"],
      ["--safe-mode", "the same with all tools, to find out what is broken"],
      ["--init-only", "run the Setup hooks, and nothing else"],
      ["--init", "with -p: run the Setup hooks first, as after a checkout"],
      ["--maintenance", "with -p: run the Setup hooks first, as from time to time"],
      ["--trust", "take this folder's own settings for trusted in this run"],
      ["--ax-screen-reader", "a conversation for a screen reader: lines with labels, nothing drawn or redrawn"],
      ["--debug-file <file>", "append request ids, transitions and the stack of a crash"],
      ["-v, --version", "the version"],
    ],
  ],
];

const helpTail = `
A list takes everything up to the next flag: put the prompt first, or after
"--". Rules and names may have commas between them, folders and files blanks
only. --allowedTools and --disallowedTools work as well.

  pawl -p "why does the build fail?" < build.log
  pawl -p --allowed-tools "Bash(npm test *)" Edit -- "make the tests pass"
  pawl -p --output-format json --max-turns 20 --max-budget-usd 0.50 "tidy up"
  pawl -p --continue "now write the changelog"
  pawl -p --continue "/context"      where its tokens are; "/help" lists more
  pawl permissions explain "Bash(npm test)"     would it be allowed, and why
  pawl sessions --search "retry"     what was said before; "--help" has more
  pawl config list                   which settings count, and where from
  pawl mcp list                      the MCP servers; "pawl mcp --help" has more
  pawl plugin list                   plugins; "pawl plugin --help" has more
  pawl trust                         what this folder's own settings would do
  pawl hooks                         what would run at which event
  pawl replay 0f2a                   where this version would decide otherwise
  pawl doctor                        all that a session here would find
  pawl auth status                   whether there is a key, as programs ask it
  pawl completion bash               for your shell's start: completes flags
  pawl mock --script replies.json --port 4010   a scripted model, for tests

Exit codes: 0 success, 1 error, 2 usage, 3 turn limit, 4 budget,
130 interrupted (Ctrl+C once stops and records, twice is now), 131 quit
(with -p, Ctrl+\\), 141 the reader of the output left, 143 terminated.

Environment: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL,
ANTHROPIC_MODEL, PAWL_HOME (~/.pawl), PAWL_MAX_TURNS, NO_COLOR.`;

/** The flags' values as they came: strings, lists of strings, booleans. */
export interface RawOptions extends RawClientOptions {
  version?: true;
  print?: true;
  outputFormat?: string;
  inputFormat?: string;
  includePartialMessages?: true;
  includeHookEvents?: true;
  promptSuggestions?: true;
  verbose?: true;
  model?: string;
  fallbackModel?: string;
  effort?: string;
  thinking?: string;
  maxThinkingTokens?: string;
  speed?: string;
  maxTurns?: string;
  maxBudgetUsd?: string;
  tokenBudget?: string;
  taskBudget?: string;
  autocompact?: string;
  permissionMode?: string;
  dangerouslySkipPermissions?: true;
  allowedTools?: string[];
  disallowedTools?: string[];
  tools?: string[];
  addDir?: string[];
  pluginDir?: string[];
  pluginDirNoMcp?: string[];
  mcpConfig?: string[];
  strictMcpConfig?: true;
  systemPrompt?: string;
  systemPromptFile?: string;
  appendSystemPrompt?: string;
  appendSystemPromptFile?: string;
  disableSlashCommands?: true;
  continue?: true;
  resume?: string | true;
  forkSession?: true;
  resumeSessionAt?: string;
  resumeDropsTurn?: string;
  name?: string;
  worktree?: string | true;
  sessionId?: string;
  sessionPersistence: boolean;
  rewindFiles?: string;
  dryRun?: true;
  settings?: string;
  bare?: true;
  safeMode?: true;
  axScreenReader?: true;
  initOnly?: true;
  init?: true;
  maintenance?: true;
  trust?: true;
  debugFile?: string;
}

export function mainCommand(write: (text: string) => void): Command {
  const command = quiet("pawl", write, "Other:")
    .usage('[flags] ["prompt"]')
    .description("A coding agent. Alone on a terminal it opens a conversation; with -p it answers and exits.")
    .argument("[prompt]")
    .allowExcessArguments();
  command.configureHelp({
    visibleArguments: () => [],
    // The other spelling is said once, below: here it would push every description off a narrow terminal.
    // A session is needed all the same: the brackets let its absence be told in a sentence of our own.
    optionTerm: (option) => option.flags.replace(/^--[a-z]+[A-Z]\w*, /u, "").replace(/\[(session|tree)\]/u, "<$1>"),
  });
  for (const [heading, flags] of flagGroups) {
    if (heading === "Other:") addClientFlags(command);
    for (const [names, description] of flags) {
      const option = new Option(names, description).helpGroup(heading);
      command.addOption(names.startsWith("--plugin-dir") ? option.argParser(oneMore) : option);
    }
  }
  return command.addHelpText("after", clientFlagsHelp + helpTail);
}

/** By convention these take one folder each, and what comes behind it is the prompt. */
function oneMore(folder: string, before: readonly string[] = []): string[] {
  return [...before, folder];
}

export function mockCommand(write: (text: string) => void): Command {
  return quiet("pawl mock", write)
    .usage("--script <file> [--port <n>]")
    .description("Serves a scripted model on 127.0.0.1 that speaks the Messages API, for tests of agents.")
    .option("--script <file>", "the replies: a JSON file, or a TypeScript or JavaScript module")
    .option("--port <n>", "the port; 0 or none takes a free one and prints it");
}
