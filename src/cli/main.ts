/**
 * The command's entry point: parses arguments, starts the command and sets the exit code. It also handles what ends a run
 * from outside: signals, a defect, a handle that does not close.
 */
import { errorText } from "../lib/error-text.ts";
import { refusalOf } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";
import { settlesWithin } from "../surface/deadline.ts";
import { causeCode, exitCodes } from "../surface/headless/exit-code.ts";
import { farewell } from "../surface/show/farewell.ts";
import { StopDesk, type StopCause } from "../surface/stop.ts";
import { parseArguments, type CliCommand } from "./args.ts";
import type { RunArguments } from "./run-arguments.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { engineOptions } from "./engine-options.ts";
import type { McpArguments } from "./mcp-arguments.ts";
import type { PluginArguments } from "./plugin-arguments.ts";
import type { Opened } from "./opened.ts";
import type { SessionTree } from "../session/worktrees/session-tree.ts";
import type { AuthArguments } from "./auth-arguments.ts";
import type { DoctorArguments } from "./doctor-arguments.ts";
import type { HooksArguments } from "./hooks-command.ts";
import type { ConfigArguments } from "./config-command.ts";
import type { ExplainArguments } from "./permissions-command.ts";
import type { ReplayArguments } from "./replay-arguments.ts";
import type { TrustArguments } from "./trust-arguments.ts";
import { OutputError, print, say } from "./say.ts";
import type { SessionsArguments } from "./sessions-arguments.ts";
import { withSettingsRead } from "./settings-flag.ts";
import { isByNohup, listenForSignals } from "./signals.ts";
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
  const opened: Opened = { stop: new StopDesk(), isPrint: true, leaveNow: (cause) => leaveNow(cause, opened) };
  // A conversation does not ignore SIGHUP: its terminal is gone, so it ends too.
  const passesOver = (signal: NodeJS.Signals): boolean =>
    (signal === "SIGHUP" && opened.isPrint && isByNohup(process.env)) ||
    // While the terminal is lent to another program, it also signals this process, as part of the foreground group.
    ((signal === "SIGINT" || signal === "SIGQUIT") && opened.stop.isLent);
  listenForSignals(process, opened.stop, opened.leaveNow, passesOver);
  allowSlowNetworks();
  // A library's warning would appear in the middle of a conversation, where it tells the user nothing.
  console.warn = (...said: unknown[]) => opened.debug?.write(`console: ${said.map(String).join(" ")}`);
  process.on("uncaughtException", (error) => crash(error, opened));
  process.exitCode = await settle(argv, opened);
  const isClosed = await close(opened, disposeMilliseconds + (opened.engine?.background.endLimitMs ?? 0));
  if (!isClosed) exit(process.exitCode, opened);
  if (opened.tree !== undefined) await leaveTree(opened.tree);
  setTimeout(() => process.exit(), lingerMilliseconds).unref();
}

async function leaveTree(tree: SessionTree): Promise<void> {
  const { tellIfSlow } = await import("../lib/tell-if-slow.ts");
  say(
    await tellIfSlow(tree.leave(), () =>
      say("checking the work tree, which is removed if nothing in it was changed; this takes a while"),
    ),
  );
}

function exit(code: number, { engine }: Opened): never {
  engine?.killNow();
  process.exit(code);
}

async function settle(argv: string[], opened: Opened): Promise<number> {
  try {
    return await dispatch(parseArguments(argv, process.env), opened);
  } catch (error) {
    if (error instanceof OutputError) {
      say(error.message);
      return exitCodes.error;
    }
    if (!(error instanceof UsageError)) return reportDefect(error, opened);
    say(error.message);
    for (const choice of error.choices) say(`  ${choice}`);
    return exitCodes.usage;
  }
}

async function dispatch(command: CliCommand, opened: Opened): Promise<number> {
  switch (command.kind) {
    case "help":
      return await print(command.text);
    case "version":
      return await print(`${version}\n`);
    case "completion":
      return await print((await import("./completion.ts")).completionScript(command.shell));
    case "mock":
      return await mock(command, opened.stop);
    case "explain":
      return await explain(command.explain);
    case "trust":
      return await trust(command.trust);
    case "mcp":
      return await mcp(command.mcp);
    case "plugin":
      return await plugin(command.plugin);
    case "mcp-serve":
      return await serve(command.run, opened.stop);
    case "hooks":
      return await hooks(command.hooks, opened.stop);
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
      return await startRun(command.run, opened);
    default:
      return command satisfies never;
  }
}

function placed() {
  return { cwd: currentFolder(), env: process.env, onNotice: say };
}

async function explain(asked: ExplainArguments): Promise<number> {
  const { runExplain } = await import("./permissions-command.ts");
  const around = placed();
  const code = await runExplain(withSettingsRead(asked, around), around, process.stdin, print);
  process.stdin.destroy();
  return code;
}

async function mcp(asked: McpArguments): Promise<number> {
  const [{ runMcp }, { askSecret }] = await Promise.all([import("./mcp-command.ts"), import("./ask-secret.ts")]);
  const ask = (question: string) =>
    askSecret(question, process.stdin, (text) => process.stderr.write(text)).finally(() => process.stdin.destroy());
  return await runMcp(asked, placed(), print, ask);
}

async function plugin(asked: PluginArguments): Promise<number> {
  const { runPlugin } = await import("./plugin-command.ts");
  return await runPlugin(asked, placed(), print);
}

async function serve(run: RunArguments, stop: StopDesk): Promise<number> {
  const { serveTools } = await import("../session/mcp/serve.ts");
  const { env, stdin: input, stdout: output } = process;
  try {
    const options = engineOptions(run, { env, cwd: currentFolder(), version });
    await stop.during((signal) => serveTools({ ...options, onNotice: say }, { input, output, signal }));
    return exitCodes.success;
  } finally {
    input.destroy();
  }
}

async function trust(asked: TrustArguments): Promise<number> {
  const { runTrust } = await import("./trust-command.ts");
  return await runTrust(asked, { cwd: currentFolder(), env: process.env }, print);
}

async function hooks(asked: HooksArguments, stop: StopDesk): Promise<number> {
  const { runHooks } = await import("./hooks-command.ts");
  const { stdin } = process;
  try {
    const around = placed();
    const given = withSettingsRead(asked, around);
    return await stop.during((signal) => runHooks(given, { around, stdin, signal }, print));
  } finally {
    stdin.destroy();
  }
}

async function config(asked: ConfigArguments): Promise<number> {
  const { runConfig } = await import("./config-command.ts");
  const around = placed();
  return await runConfig(withSettingsRead(asked, around), around, print);
}

async function sessions(asked: SessionsArguments): Promise<number> {
  const { runSessions } = await import("./sessions-command.ts");
  const around = { ...placed(), now: () => Date.now() };
  return await runSessions(asked, around, process.stdout);
}

async function auth(asked: AuthArguments): Promise<number> {
  const { runAuth } = await import("./auth-command.ts");
  return await runAuth(asked, { cwd: currentFolder(), env: process.env }, print);
}

async function doctor(asked: DoctorArguments): Promise<number> {
  const { runDoctor } = await import("./doctor-command.ts");
  return await runDoctor(asked, { cwd: currentFolder(), env: process.env, version }, print);
}

async function replay(asked: ReplayArguments): Promise<number> {
  const { runReplay } = await import("./replay-command.ts");
  return await runReplay(asked, { cwd: currentFolder(), env: process.env }, print);
}

async function mock({ script, port }: { script: string; port: number }, stop: StopDesk): Promise<number> {
  const { runMock } = await import("../testing/mock-command.ts");
  const { stdout, stderr } = process;
  return await stop.during((signal) => runMock({ script, port }, { stdout, stderr, signal }));
}

/** Returns true if the session is closed within the limit or there is none. */
async function close({ engine, isPrint, stop }: Opened, milliseconds: number): Promise<boolean> {
  if (engine === undefined) return true;
  const hasLeft = !isPrint && stop.cause === undefined;
  try {
    return await settlesWithin(engine.dispose(hasLeft ? "prompt_input_exit" : "other"), milliseconds);
  } catch (error) {
    say(`the session could not be closed properly: ${errorText(error)}`);
    return true;
  }
}

function leaveNow(cause: StopCause, opened: Opened): void {
  const code = causeCode(cause);
  if (opened.engine === undefined) return exit(code, opened);
  opened.stop.leave();
  for (const line of farewell(opened.engine, opened.isPrint, { worktree: opened.tree?.name })) say(line);
  // Kill at once: a command that ignores SIGTERM would delay closing the session.
  opened.engine.killNow(true);
  leaveClosed(code, opened);
}

function leaveClosed(code: number, opened: Opened): void {
  const leave = (): never => exit(code, opened);
  close(opened, hurryMilliseconds).then(leave, leave);
}

function reportDefect(error: unknown, { engine, debug, isPrint, tree }: Opened): number {
  debug?.write(`defect ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const where = debug === undefined ? "run with --debug-file FILE to record where" : `${debug.path} records where`;
  say(refusalOf(error) ?? missingPart(error) ?? `something went wrong inside pawl: ${errorText(error)} (${where})`);
  if (engine !== undefined) for (const line of farewell(engine, isPrint, { worktree: tree?.name })) say(line);
  return exitCodes.error;
}

/** Returns the message of bin/ for a missing part of the installation, which is not a defect of pawl and can be repaired. */
function missingPart(error: unknown): string | undefined {
  return error instanceof Error && error.name === "MissingPart" ? error.message : undefined;
}

function crash(error: NodeJS.ErrnoException, opened: Opened): void {
  // The reader of the help or the version has closed the pipe.
  const code = error.code === "EPIPE" ? exitCodes.success : reportDefect(error, opened);
  leaveClosed(code, opened);
}
