/** Command hooks: started as configured, and read by the convention's contract of exit codes and JSON. */
import { basename, parse } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isEnterable } from "../lib/path-status.ts";
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson, tryParseRecord } from "../lib/try-parse-json.ts";
import { withMachinePathFirst, preferMachineProgram } from "../lib/repository-programs.ts";
import { quoteForShell } from "../lib/shell-quote.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { cutMark, runHookProcess, type HookExit, type HookProcessOptions } from "./command-process.ts";
import { readAsyncDeclaration, withAnswerAtEnd } from "./async-declaration.ts";
import { maySetEnvironment, type CommandHandler } from "./handler.ts";
import { blockedOutput, blockIfInvalid, failedOutput, readHookOutput, type HookOutput } from "./output.ts";
import type { HookWork, ProcessResult } from "./runner.ts";
import { quoteFolderVariables } from "./quote-folders.ts";

export interface CommandContext {
  /** Without credentials; the hook's own variables are added. */
  environment(): Record<string, string>;
  /** The folder in which the session began. Absolute. */
  projectDir: string;
  sessionId: string;
  /** Returns a file of this hook's own to which it writes `export` lines for later commands. Called only if the event allows it. */
  envFile?: (hook: string) => string;
  /** By name. Placeholders of the same names in arguments are filled too. */
  variables?: Readonly<Record<string, string>>;
  /** The hook is configured by the project's folder, so it may mean a program of that folder. */
  isFolders?: boolean;
}

/** On these events, plain text on stdout is context for the model. */
const contextEvents: ReadonlySet<HookEvent> = new Set(["UserPromptSubmit", "UserPromptExpansion", "SessionStart"]);

export async function runCommandHook(
  handler: CommandHandler,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  context: CommandContext,
  clock: { timer(ms: number, onFire: () => void): () => void },
  work: Pick<HookWork, "ending" | "killable" | "follow" | "detach">,
): Promise<{ output: HookOutput; run: ProcessResult }> {
  const onFirstLine = (line: string): void => {
    const declaration = readAsyncDeclaration(line);
    if (declaration !== undefined) work.detach(declaration.limitMs);
  };
  const { envFile, ...others } = context;
  const allowedContext = envFile !== undefined && maySetEnvironment(input.hook_event_name) ? context : others;
  const exit = await runCommand(handler, input, allowedContext, (process) =>
    runHookProcess({ ...process, onFirstLine }, signal, clock, work),
  );
  const { code, stdout, stderr } = exit;
  return {
    output: commandOutput(withAnswerAtEnd(exit), input.hook_event_name, handler),
    run: { exitCode: code, stdout, stderr },
  };
}

type Command = Pick<CommandHandler, "command" | "args" | "shell">;

/** Runs a command as hooks run: in bash, or in sh if there is no bash. `run` starts the process. */
export async function runCommand(
  command: Command,
  input: Readonly<Record<string, unknown>>,
  context: CommandContext,
  run: (process: HookProcessOptions) => Promise<HookExit>,
): Promise<HookExit> {
  const runIn = (shell: string): Promise<HookExit> => run(hookProcess(command, input, context, shell));
  return await runIn(preferMachineProgram(bash, context.environment(), context.projectDir)).catch((error: unknown) => {
    const isWithoutBash = command.args === undefined && command.shell === undefined && isMissingProgram(error, bash);
    if (isWithoutBash) return runIn("/bin/sh");
    throw command.args === undefined ? error : explainStartFailure(error);
  });
}

const bash = "bash";

function hookProcess(
  command: Command,
  input: Readonly<Record<string, unknown>>,
  context: CommandContext,
  shell: string,
): HookProcessOptions {
  const { projectDir, sessionId, envFile, variables = {} } = context;
  const { effort } = input;
  // A guard must run even if a command has made these folders inaccessible or removed them.
  const folders = [input["cwd"], projectDir].filter((folder) => typeof folder === "string");
  const cwd = folders.find(isEnterable) ?? parse(projectDir).root;
  const { CLAUDE_ENV_FILE: _, ...inherited } = context.environment();
  const baseEnvironment = context.isFolders === true ? inherited : withMachinePathFirst(inherited, projectDir);
  const environment: Record<string, string> = {
    ...baseEnvironment,
    ...variables,
    CLAUDECODE: "1",
    AI_AGENT: "pawl",
    CLAUDE_CODE_CHILD_SESSION: "1",
    CLAUDE_PROJECT_DIR: projectDir,
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_PID: String(process.pid),
    ...(isRecord(effort) && typeof effort["level"] === "string" ? { CLAUDE_EFFORT: effort["level"] } : {}),
    ...(envFile === undefined
      ? {}
      : { CLAUDE_ENV_FILE: envFile(JSON.stringify([input["hook_event_name"], command, variables])) }),
  };
  const common = { cwd, environment, input: `${JSON.stringify(input)}\n` };
  const placeholders = { ...variables, CLAUDE_PROJECT_DIR: projectDir };
  if (command.args === undefined) {
    const text = quoteFolderVariables(command.command, placeholders);
    return { ...common, file: shell, args: shellArguments(text, shell, inherited["CLAUDE_CODE_SHELL_PREFIX"]) };
  }
  // Values are passed as arguments, never as shell text.
  const filled = (text: string): string =>
    Object.entries(placeholders).reduce((whole, [name, value]) => whole.replaceAll(`\${${name}}`, () => value), text);
  const commandLine = filled(command.command);
  const file = context.isFolders === true ? commandLine : preferMachineProgram(commandLine, environment, cwd);
  return { ...common, file, args: command.args.map(filled) };
}

/** Returns the shell's arguments. `prefix`: the user's words to put before every shell command; the command line is their last argument. */
function shellArguments(command: string, file: string, prefix = ""): string[] {
  // Otherwise bash may take the socket on its stdin for a remote login and run the user's ~/.bashrc, which may read the input.
  const begin = basename(file) === bash ? ["--noprofile", "--norc", "-c"] : ["-c"];
  if (prefix.trim() === "") return [...begin, command];
  return [...begin, `${prefix} "$1"`, "sh", [file, ...begin, command].map(quoteForShell).join(" ")];
}

/** EACCES: a file of that name is not executable, or a folder of the PATH is not accessible, and no other folder has it. */
const missingProgramCodes: readonly unknown[] = ["ENOENT", "EACCES"];

function isMissingProgram(error: unknown, program: string): boolean {
  return isRecord(error) && missingProgramCodes.includes(error["code"]) && error["path"] === program;
}

/** Explains the failure to start a program without a shell, if the program is missing. */
function explainStartFailure(error: unknown): unknown {
  if (!isRecord(error) || !missingProgramCodes.includes(error["code"])) return error;
  const program = String(error["path"]);
  const which = error["code"] === "EACCES" ? " that may be run" : "";
  const hint = /\s/u.test(program) ? `; with "args", the command must be the program alone` : "";
  return new Error(`there is no program ${JSON.stringify(program)}${which}${hint}`, { cause: error });
}

/** How many characters of a program's output are searched. */
const maxSearchedLength = 20_000;

/** An answer has at least one of these fields; a log may end with other JSON. */
const answerFields = ["decision", "hookSpecificOutput", "continue", "systemMessage", "permissionDecision"];

function isAnswer(value: unknown): boolean {
  return isRecord(value) && answerFields.some((field) => Object.hasOwn(value, field));
}

/** Whether `text` contains an answer that does not count because the text does not begin with it. A model's answer is in a code block. */
function hasLateAnswer(text: string): boolean {
  const at = text.indexOf("\n{");
  return at !== -1 && isAnswer(tryParseRecord(text.slice(at, text.lastIndexOf("}") + 1)));
}

function isListOfAnswers(text: string): boolean {
  const list = text.startsWith("[") ? tryParseJson(text) : undefined;
  return Array.isArray(list) && list.some(isAnswer);
}

function invalidOutputText(stdout: string): string {
  if (isListOfAnswers(stdout.trim())) return "printed a list where an object is expected, so it is ignored";
  if (!stdout.trimStart().startsWith("{")) return "printed other text before its JSON, so the JSON is ignored";
  return stdout.endsWith(cutMark)
    ? "printed more than 1 MiB, so its JSON is cut off"
    : "printed something that begins like JSON but is not valid";
}

/** Reads what a process said, from its exit code and its JSON. */
export function commandOutput(
  { code, signal, stdout, stderr }: HookExit,
  event: HookEvent,
  handler: Pick<CommandHandler, "command" | "blocksOnFailure">,
): HookOutput {
  const name = handler.command;
  const answer = tryParseRecord(stdout.trim());
  const output = answer === undefined ? {} : readHookOutput(answer, event, name);
  if (code === 2) return blockedOutput(output, event, name, stderr.trim(), printedReason(stdout, answer));
  const isWorktreeCreate = event === "WorktreeCreate";
  const isUsable = code === 0 || (!isWorktreeCreate && answer !== undefined && output.problem === undefined);
  if (!isUsable) {
    const status = code === null ? `signal ${signal ?? "unknown"}` : `status code ${code}`;
    const line = firstErrorLine(stderr);
    return failedOutput(
      output,
      event,
      name,
      `failed with non-blocking ${status}${line === "" ? "" : `: ${line}`}`,
      handler.blocksOnFailure || isWorktreeCreate,
    );
  }
  if (output.problem !== undefined) return blockIfInvalid(output, event, name, handler.blocksOnFailure);
  const text = stdout.trim();
  const isBroken =
    answer === undefined && !isWorktreeCreate && (text.startsWith("{") || hasLateAnswer(text) || isListOfAnswers(text));
  if (isBroken && (handler.blocksOnFailure || !contextEvents.has(event)))
    return failedOutput(output, event, name, invalidOutputText(stdout), handler.blocksOnFailure);
  if (event === "WorktreeCreate") output.worktreePath ??= lastLine(text);
  const plain = answer === undefined && contextEvents.has(event) ? stripVTControlCharacters(text).trim() : "";
  if (plain !== "") output.additionalContext = plain;
  return output;
}

/** By convention a reason is on stderr. If there is none, it is taken from stdout, where linters and many scripts print everything. */
function printedReason(stdout: string, answer: Record<string, unknown> | undefined): string {
  if (answer !== undefined) return typeof answer["reason"] === "string" ? answer["reason"].trim() : "";
  const text = stripVTControlCharacters(stdout).trim();
  return text.startsWith("{") ? "" : text;
}

/** Returns the last line without colours; a program may print other text before the path. */
function lastLine(text: string): string | undefined {
  return stripVTControlCharacters(text).trim().split("\n").at(-1)?.trim() || undefined;
}

/** The last line that interpreters print for an uncaught exception. */
const errorLine = /^[\w.]*(?:Error|Exception)\b.*$/gmu;

/** Returns the line to show: by convention the first. An interpreter's first line only says where the error was, so the error is added. */
function firstErrorLine(stderr: string): string {
  const [first = ""] = stderr.trim().split("\n", 1);
  const error = stderr.slice(-maxSearchedLength).match(errorLine)?.at(-1)?.trim();
  const lines = error === undefined || first.startsWith(error) ? [first] : [first, error];
  return lines.map((line) => line.slice(0, 500)).join(" … ");
}
