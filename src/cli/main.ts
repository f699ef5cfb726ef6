/**
 * The command's entry point: parses arguments, starts the command and sets the exit code. It also handles what ends a run
 * from outside: signals, a defect, a handle that does not close.
 */
import { errorText } from "../lib/error-text.ts";
import { refusalText } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";
import { settlesWithin } from "../surface/deadline.ts";
import { stopExitCode, exitCodes } from "../surface/headless/exit-code.ts";
import { farewellLines } from "../surface/show/farewell.ts";
import { StopDesk, type StopCause } from "../surface/stop-desk.ts";
import { parseArguments, type CliCommand } from "./args.ts";
import type { RunArguments } from "./run-arguments.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { engineOptions } from "./engine-options.ts";
import type { McpArguments } from "./mcp-arguments.ts";
import type { PluginArguments } from "./plugin-arguments.ts";
import type { RunResources } from "./run-resources.ts";
import type { SessionTree } from "../session/session-tree.ts";
import type { AuthArguments } from "./auth-arguments.ts";
import type { DoctorArguments } from "./doctor-arguments.ts";
import type { HooksArguments } from "./hooks-command.ts";
import type { ConfigArguments } from "./config-command.ts";
import type { ExplainArguments } from "./permissions-command.ts";
import type { ReplayArguments } from "./replay-arguments.ts";
import type { TrustArguments } from "./trust-arguments.ts";
import { OutputError, print, say } from "./say.ts";
import type { SessionsArguments } from "./sessions-arguments.ts";
import { withResolvedSettings } from "./settings-flag.ts";
import { isUnderNohup, listenForSignals } from "./signals.ts";
import { allowSlowNetworks } from "./slow-networks.ts";
import { startRun } from "./start-run.ts";
import { version } from "../lib/version.ts";

/** The limit for closing a session. It includes 5 s of grace for background commands, but not the SessionEnd hooks. */
const disposeMilliseconds = 10_000;
/** The same limit after a second Ctrl+C. */
const hurryMilliseconds = 1_000;
/** The wait before exiting when something still holds the process at the end: a pipe nobody reads, a forgotten handle. */
const lingerMilliseconds = 5_000;

/** Runs the command. `argv` starts after node and the script. Sets `process.exitCode`; resolves once the session is closed. */
export async function main(argv: string[]): Promise<void> {
  const opened: RunResources = { stop: new StopDesk(), isPrint: true, leaveNow: (cause) => leaveNow(cause, opened) };
  // A conversation does not ignore SIGHUP: its terminal is gone, so it ends too.
  const ignoresSignal = (signal: NodeJS.Signals): boolean =>
    (signal === "SIGHUP" && opened.isPrint && isUnderNohup(process.env)) ||
    // While the terminal is lent to another program, it also signals this process, as part of the foreground group.
    ((signal === "SIGINT" || signal === "SIGQUIT") && opened.stop.isTerminalLent);
  listenForSignals(process, opened.stop, opened.leaveNow, ignoresSignal);
  allowSlowNetworks();
  // A library's warning would appear in the middle of a conversation, where it tells the user nothing.
  console.warn = (...words: unknown[]) => opened.debug?.write(`console: ${words.map(String).join(" ")}`);
  process.on("uncaughtException", (error) => crash(error, opened));
  process.exitCode = await runCommand(argv, opened);
  const isClosed = await closeSession(opened, disposeMilliseconds + (opened.engine?.background.endLimitMs ?? 0));
  if (!isClosed) killAndExit(process.exitCode, opened);
  if (opened.tree !== undefined) await leaveWorktree(opened.tree);
  setTimeout(() => process.exit(), lingerMilliseconds).unref();
}

async function leaveWorktree(tree: SessionTree): Promise<void> {
  const { notifyIfSlow } = await import("../lib/notify-if-slow.ts");
  say(
    await notifyIfSlow(tree.leave(), () =>
      say("checking the work tree, which is removed if nothing in it was changed; this takes a while"),
    ),
  );
}

function killAndExit(code: number, { engine }: RunResources): never {
  engine?.killNow();
  process.exit(code);
}

async function runCommand(argv: string[], resources: RunResources): Promise<number> {
  try {
    return await dispatch(parseArguments(argv, process.env), resources);
  } catch (error) {
    if (error instanceof OutputError) {
      say(error.message);
      return exitCodes.error;
    }
    if (!(error instanceof UsageError)) return reportDefect(error, resources);
    say(error.message);
    for (const choice of error.choices) say(`  ${choice}`);
    return exitCodes.usage;
  }
}

async function dispatch(command: CliCommand, resources: RunResources): Promise<number> {
  switch (command.kind) {
    case "help":
      return await print(command.text);
    case "version":
      return await print(`${version}\n`);
    case "completion":
      return await print((await import("./completion.ts")).completionScript(command.shell));
    case "mock":
      return await mock(command, resources.stop);
    case "explain":
      return await explain(command.explain);
    case "trust":
      return await trust(command.trust);
    case "mcp":
      return await mcp(command.mcp);
    case "plugin":
      return await plugin(command.plugin);
    case "mcp-serve":
      return await serveMcp(command.run, resources.stop);
    case "hooks":
      return await hooks(command.hooks, resources.stop);
    case "sessions":
      return await sessions(command.sessions);
    case "config":
      return await config(command.config);
    case "auth":
      return await auth(command.auth);
    case "doctor":
      return await doctor(command.doctor);
    case "replay":
      return await replay(command.replay);
    case "run":
      return await startRun(command.run, resources);
    default:
      return command satisfies never;
  }
}

function commandContext() {
  return { cwd: currentFolder(), env: process.env, onNotice: say };
}

async function explain(args: ExplainArguments): Promise<number> {
  const { runExplain } = await import("./permissions-command.ts");
  const context = commandContext();
  const code = await runExplain(withResolvedSettings(args, context), context, process.stdin, print);
  process.stdin.destroy();
  return code;
}

async function mcp(args: McpArguments): Promise<number> {
  const [{ runMcp }, { askSecret }] = await Promise.all([import("./mcp-command.ts"), import("./ask-secret.ts")]);
  const ask = (question: string) =>
    askSecret(question, process.stdin, (text) => process.stderr.write(text)).finally(() => process.stdin.destroy());
  return await runMcp(args, commandContext(), print, ask);
}

async function plugin(args: PluginArguments): Promise<number> {
  const { runPlugin } = await import("./plugin-command.ts");
  return await runPlugin(args, commandContext(), print);
}

async function serveMcp(run: RunArguments, stop: StopDesk): Promise<number> {
  const { serveTools } = await import("../session/desk/mcp-server.ts");
  const { env, stdin: input, stdout: output } = process;
  try {
    const options = engineOptions(run, { env, cwd: currentFolder(), version });
    await stop.runAbortable((signal) => serveTools({ ...options, onNotice: say }, { input, output, signal }));
    return exitCodes.success;
  } finally {
    input.destroy();
  }
}

async function trust(args: TrustArguments): Promise<number> {
  const { runTrust } = await import("./trust-command.ts");
  return await runTrust(args, { cwd: currentFolder(), env: process.env }, print);
}

async function hooks(args: HooksArguments, stop: StopDesk): Promise<number> {
  const { runHooks } = await import("./hooks-command.ts");
  const { stdin } = process;
  try {
    const context = commandContext();
    const resolvedArgs = withResolvedSettings(args, context);
    return await stop.runAbortable((signal) => runHooks(resolvedArgs, { around: context, stdin, signal }, print));
  } finally {
    stdin.destroy();
  }
}

async function config(args: ConfigArguments): Promise<number> {
  const { runConfig } = await import("./config-command.ts");
  const context = commandContext();
  return await runConfig(withResolvedSettings(args, context), context, print);
}

async function sessions(args: SessionsArguments): Promise<number> {
  const { runSessions } = await import("./sessions-command.ts");
  const context = { ...commandContext(), now: () => Date.now() };
  return await runSessions(args, context, process.stdout);
}

async function auth(args: AuthArguments): Promise<number> {
  const { runAuth } = await import("./auth-command.ts");
  return await runAuth(args, { cwd: currentFolder(), env: process.env }, print);
}

async function doctor(args: DoctorArguments): Promise<number> {
  const { runDoctor } = await import("./doctor-command.ts");
  return await runDoctor(args, { cwd: currentFolder(), env: process.env, version }, print);
}

async function replay(args: ReplayArguments): Promise<number> {
  const { runReplay } = await import("./replay-command.ts");
  return await runReplay(args, { cwd: currentFolder(), env: process.env }, print);
}

async function mock({ script, port }: { script: string; port: number }, stop: StopDesk): Promise<number> {
  const { runMock } = await import("../testing/mock-command.ts");
  const { stdout, stderr } = process;
  return await stop.runAbortable((signal) => runMock({ script, port }, { stdout, stderr, signal }));
}

/** Returns true if the session is closed within the limit or there is none. */
async function closeSession({ engine, isPrint, stop }: RunResources, milliseconds: number): Promise<boolean> {
  if (engine === undefined) return true;
  const userLeft = !isPrint && stop.cause === undefined;
  try {
    return await settlesWithin(engine.dispose(userLeft ? "prompt_input_exit" : "other"), milliseconds);
  } catch (error) {
    say(`the session could not be closed properly: ${errorText(error)}`);
    return true;
  }
}

function leaveNow(cause: StopCause, resources: RunResources): void {
  const code = stopExitCode(cause);
  if (resources.engine === undefined) return killAndExit(code, resources);
  resources.stop.markLeaving();
  for (const line of farewellLines(resources.engine, resources.isPrint, { worktree: resources.tree?.name })) say(line);
  // Kill at once: a command that ignores SIGTERM would delay closing the session.
  resources.engine.killNow(true);
  closeThenExit(code, resources);
}

function closeThenExit(code: number, resources: RunResources): void {
  const leave = (): never => killAndExit(code, resources);
  closeSession(resources, hurryMilliseconds).then(leave, leave);
}

function reportDefect(error: unknown, { engine, debug, isPrint, tree }: RunResources): number {
  debug?.write(`defect ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const where = debug === undefined ? "run with --debug-file FILE to record where" : `${debug.path} records where`;
  say(
    refusalText(error) ??
      missingPartMessage(error) ??
      `something went wrong inside pawl: ${errorText(error)} (${where})`,
  );
  if (engine !== undefined) for (const line of farewellLines(engine, isPrint, { worktree: tree?.name })) say(line);
  return exitCodes.error;
}

/** Returns the message of bin/ for a missing part of the installation, which is not a defect of pawl and can be repaired. */
function missingPartMessage(error: unknown): string | undefined {
  return error instanceof Error && error.name === "MissingPart" ? error.message : undefined;
}

function crash(error: NodeJS.ErrnoException, resources: RunResources): void {
  // The reader of the help or the version has closed the pipe.
  const code = error.code === "EPIPE" ? exitCodes.success : reportDefect(error, resources);
  closeThenExit(code, resources);
}
