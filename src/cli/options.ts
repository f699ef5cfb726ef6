/**
 * The command line as data: each flag with its group and description in `--help`. `values.ts` checks the values, and
 * `check-flag-combinations.ts` checks combinations of flags.
 */
import { type Command, Option } from "commander";
import { addClientFlags, clientFlagsHelp, type RawClientOptions } from "./client-flags.ts";
import { quietCommand } from "./tokenise.ts";

type Flag = readonly [flags: string, description: string];

const flagGroups: readonly (readonly [heading: string, flags: readonly Flag[]])[] = [
  [
    "Without a conversation:",
    [
      ["-p, --print", "answer the prompt and exit; piped input is added to it"],
      [
        "--output-format <format>",
        "text (the answer alone), json (one result) or stream-json (every message as it arrives)",
      ],
      ["--input-format <format>", "text, or stream-json: one user message per line, each its own turn"],
      ["--include-partial-messages", "stream-json: also write the model's deltas"],
      ["--prompt-suggestions", "stream-json: after a result, suggest the next prompt"],
      ["--include-hook-events", "stream-json: also write when hooks start, what they print and how they end"],
      ["--verbose", "text: progress on stderr even if that is not a terminal; json: an array of all messages"],
    ],
  ],
  [
    "Model:",
    [
      ["--model <name>", "an alias (opus, sonnet, haiku, fable) or a full model id"],
      ["--fallback-model <name>", "used while the main model is overloaded"],
      ["--effort <level>", "low, medium, high, xhigh or max"],
      ["--thinking <how>", "adaptive or disabled"],
      ["--max-thinking-tokens <n>", "thinking budget, for models that take one; 0 turns thinking off"],
      ["--speed <speed>", "standard, or fast (at a higher price, on models that offer it)"],
    ],
  ],
  [
    "How long it works:",
    [
      ["--max-turns <n>", "at most n turns of the model (exit code 3)"],
      ["--max-budget-usd <amount>", "never spend more than this (exit code 4)"],
      ["--token-budget <n>", "keep working until this many tokens are used: 500000, 500k, 2m"],
      ["--task-budget <n>", "the token budget the model is told for each prompt, at least 20k"],
      ["--autocompact <n>", "compact as if the context window had this size: 100k to 1m tokens; auto: the model's own"],
    ],
  ],
  [
    "Tools and permissions:",
    [
      ["--permission-mode <mode>", "default, acceptEdits, plan, auto, dontAsk or bypassPermissions"],
      ["--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions"],
      ["--allowedTools, --allowed-tools <rules...>", 'allow without asking: "Bash(npm run test *),Edit"'],
      ["--disallowedTools, --disallowed-tools <rules...>", "deny these calls; a bare tool name removes the tool"],
      ["--tools <names...>", 'the built-in tools to offer: names, default, or "" for none'],
      ["--add-dir <folders...>", "working folders in addition to the current one"],
      ["--plugin-dir <folder>", "load this plugin; repeat the flag for more plugins"],
      ["--plugin-dir-no-mcp <folder>", "the same, without the plugin's MCP servers"],
      ["--mcp-config <files...>", "MCP servers from these files, or from JSON text"],
      ["--strict-mcp-config", "use no MCP servers but those of --mcp-config"],
    ],
  ],
  [
    "Instructions:",
    [
      ["--system-prompt <text>", "replace the system prompt"],
      ["--system-prompt-file <file>", "replace it with the text of a file"],
      ["--append-system-prompt <text>", "add to the system prompt"],
      ["--append-system-prompt-file <file>", "add the text of a file to it"],
      ["--disable-slash-commands", "send prompts that begin with / to the model as they are, and offer it no skills"],
    ],
  ],
  [
    "Sessions:",
    [
      ["-c, --continue", "continue the newest session of this folder"],
      [
        "-r, --resume [session]",
        "continue a session, named by its id, the start of its id, or its title; alone: ask which",
      ],
      ["--fork-session", "with -c or -r: continue in a copy, under a new id"],
      ["--resume-session-at <uuid>", "with -c or -r: continue after this message and drop later ones"],
      [
        "--resume-drops-turn <uuid>",
        "with --resume-session-at: refuse if more than this prompt's turn would be dropped",
      ],
      ["-n, --name <title>", "the session's title"],
      [
        "-w, --worktree [tree]",
        "work in the git work tree of this name, or of a pull request (#12); alone: in a new one",
      ],
      ["--session-id <uuid>", "the id of a new session"],
      ["--no-session-persistence", "do not save a transcript"],
      [
        "--rewind, --rewind-files <message>",
        "with -c or -r: restore files to their state before this message (id or number)",
      ],
      ["--dry-run", "with --rewind-files: only show what would change"],
    ],
  ],
  [
    "Other:",
    [
      ["--settings <file-or-json>", "settings for this run"],
      ["--bare", "ignore hooks, skills, instruction files and MCP servers found here"],
      ["--safe-mode", "like --bare but with all tools, to find out what is broken"],
      ["--init-only", "only run the Setup hooks, then exit"],
      ["--init", "with -p: run the Setup hooks first, as after a checkout"],
      ["--maintenance", "with -p: run the Setup hooks first, as for regular maintenance"],
      ["--trust", "trust this folder's own settings in this run"],
      ["--ax-screen-reader", "make the conversation fit for a screen reader: labelled lines, nothing redrawn"],
      ["--debug-file <file>", "append request ids, loop transitions and crash stacks to this file"],
      ["-v, --version", "print the version"],
    ],
  ],
];

const helpTail = `
A list takes every word up to the next flag: put the prompt first, or after
"--". Rules and names may be separated by commas or blanks, folders and files
by blanks only. --allowedTools and --disallowedTools work as well.

  pawl -p "why does the build fail?" < build.log
  pawl -p --allowed-tools "Bash(npm test *)" Edit -- "make the tests pass"
  pawl -p --output-format json --max-turns 20 --max-budget-usd 0.50 "tidy up"
  pawl -p --continue "now write the changelog"
  pawl -p --continue "/context"      what uses its tokens; "/help" lists more
  pawl permissions explain "Bash(npm test)"     would it be allowed, and why
  pawl sessions --search "retry"     search past sessions; "--help" has more
  pawl config list                   settings in force, and their files
  pawl mcp list                      the MCP servers; "pawl mcp --help" has more
  pawl plugin list                   plugins; "pawl plugin --help" has more
  pawl trust                         what this folder's own settings would do
  pawl hooks                         which hooks would run at which event
  pawl replay 0f2a                   where this version would decide otherwise
  pawl doctor                        everything a session here would find
  pawl auth status                   whether there is a key, for programs
  pawl completion bash               a script for your shell: completes flags
  pawl mock --script replies.json --port 4010   a scripted model, for tests

Exit codes: 0 success, 1 error, 2 usage, 3 turn limit, 4 budget,
130 interrupted (Ctrl+C once stops and saves, twice exits at once), 131 quit
(with -p, Ctrl+\\), 141 the reader of the output is gone, 143 terminated.

Environment: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL,
ANTHROPIC_MODEL, PAWL_HOME (~/.pawl), PAWL_MAX_TURNS, NO_COLOR.`;

/** The flags' values before they are checked: strings, lists of strings, booleans. */
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
  const command = quietCommand("pawl", write, "Other:")
    .usage('[flags] ["prompt"]')
    .description("A coding agent. Alone on a terminal it opens a conversation; with -p it answers and exits.")
    .argument("[prompt]")
    .allowExcessArguments();
  command.configureHelp({
    visibleArguments: () => [],
    // The help names the camelCase spelling once, below: here it would push every description off a narrow terminal.
    // The help shows these values as required. They are declared in square brackets, because at a terminal `--resume` alone asks
    // which session, and elsewhere pawl words the error for the missing value itself.
    optionTerm: (option) => option.flags.replace(/^--[a-z]+[A-Z]\w*, /u, "").replace(/\[(session|tree)\]/u, "<$1>"),
  });
  for (const [heading, flags] of flagGroups) {
    if (heading === "Other:") addClientFlags(command);
    for (const [names, description] of flags) {
      const option = new Option(names, description).helpGroup(heading);
      command.addOption(names.startsWith("--plugin-dir") ? option.argParser(appendFolder) : option);
    }
  }
  return command.addHelpText("after", clientFlagsHelp + helpTail);
}

/** By convention each of these flags takes one folder, and the word after it is the prompt. */
function appendFolder(folder: string, before: readonly string[] = []): string[] {
  return [...before, folder];
}

export function mockCommand(write: (text: string) => void): Command {
  return quietCommand("pawl mock", write)
    .usage("--script <file> [--port <n>]")
    .description("Serves a scripted model on 127.0.0.1 over the Messages API, for tests of agents.")
    .option("--script <file>", "the replies: a JSON file, or a TypeScript or JavaScript module")
    .option("--port <n>", "the port; with 0, or without this flag, a free port is chosen and printed");
}
