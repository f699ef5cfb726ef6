/** Starts a run: creates the session while the prompt is read, and hands both to the matching surface. */
import { randomUUID } from "node:crypto";
import { isatty } from "node:tty";
import { afterMs } from "../lib/after-ms.ts";
import { isNullDevice } from "../lib/null-device.ts";
import { UsageError } from "../lib/usage-error.ts";
import { openDebugLog } from "../session/debug-log.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { Engine } from "../surface/engine-port.ts";
import { stopExitCode, exitCodes } from "../surface/headless/exit-code.ts";
import { readPrompt } from "../surface/headless/prompt.ts";
import { runHeadless } from "../surface/headless/run.ts";
import { unreadMentionText } from "../surface/show/mention-text.ts";
import type { MentionNews } from "../protocol/mention.ts";
import { promptAfterList } from "./lists.ts";
import type { RunArguments } from "./run-arguments.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { engineOptions } from "./engine-options.ts";
import type { RunResources } from "./run-resources.ts";
import { say } from "./say.ts";
import { createJobControl } from "./signals.ts";
import { version } from "../lib/version.ts";

/** Returns the exit code. `resources` receives the session and the debug file as soon as they exist. */
export async function startRun(args: RunArguments, resources: RunResources): Promise<number> {
  const { env } = process;
  // Without a terminal on both stdin and stdout there can be no conversation: the run answers as with -p.
  const run = { ...args, print: args.print || !(isatty(0) && isatty(1)) };
  resources.isPrint = run.print;
  if (run.initOnly) return await runSetupHooks(run, resources);
  if (run.print && run.resume === true) {
    throw new UsageError("There is no terminal to ask which session to resume: name it with --resume <session>.");
  }
  if (run.debugFile !== undefined) resources.debug = openDebugLog(run.debugFile, env);
  const baseOptions: EngineOptions = {
    ...engineOptions(run, { env, cwd: currentFolder(), version }),
    debug: resources.debug === undefined ? undefined : (line) => resources.debug?.write(line),
  };
  for (const remark of run.client.remarks) baseOptions.debug?.(remark);
  const options =
    run.worktree === undefined
      ? baseOptions
      : await optionsInWorktree(run.worktree, { run, options: baseOptions, resources });
  if (run.inputFormat === "stream-json") return await startStdio(run, options, resources);
  if (!run.print) return await startConversation(run, options, resources);
  return await startHeadless({ ...run, isImplicitlyHeadless: !args.print }, options, resources);
}

/** Runs the Setup hooks that a session here would run, without a session. Nothing they report makes the command fail. */
async function runSetupHooks(run: RunArguments, { stop }: RunResources): Promise<number> {
  const { openHookDesk } = await import("../session/desk/hook-desk.ts");
  const options = engineOptions(run, { env: process.env, cwd: currentFolder(), version });
  return await stop.runAbortable(async (signal) => {
    const desk = openHookDesk({ ...options, onNotice: say });
    const { answer } = await desk.try({ hook_event_name: "Setup", trigger: "init" }, signal);
    for (const { text } of answer.notices) say(text);
    for (const text of answer.blocking) say(text);
    return exitCodes.success;
  });
}

async function optionsInWorktree(
  requestedName: string | true,
  { run, options, resources }: { run: RunArguments; options: EngineOptions; resources: RunResources },
): Promise<EngineOptions> {
  const { enterWorktree } = await import("./enter-worktree.ts");
  return await enterWorktree(requestedName, options, resources, say).catch((error: unknown) =>
    reportFailedStart(run, error),
  );
}

/** Writes the reason for a program that reads JSON, then throws the error. */
async function reportFailedStart(run: RunArguments, error: unknown): Promise<never> {
  await writeFailedStart(run, error);
  throw error;
}

async function writeFailedStart({ outputFormat, verbose }: RunArguments, error: unknown): Promise<void> {
  const { writeStartFailure } = await import("../surface/headless/write-start-failure.ts").catch(() => {
    // Whatever broke this import may also have kept the session from starting: report the first error.
    throw error;
  });
  const { stdout, env } = process;
  await writeStartFailure(error, { outputFormat, verbose, stdout, env, newId: randomUUID });
}

/** Whether a flag may have taken the prompt into its list. */
function hasList({ allowedTools, disallowedTools, tools = [], addDirs, mcpConfig, client }: RunArguments): boolean {
  return [allowedTools, disallowedTools, tools, addDirs, mcpConfig, client.betas].some((list) => list.length > 0);
}

type HeadlessArguments = RunArguments & { isImplicitlyHeadless: boolean };

async function startHeadless(run: HeadlessArguments, options: EngineOptions, resources: RunResources): Promise<number> {
  // To open it as a stream, as process.stdin does, takes a start a millisecond or two.
  const hasNoInput = run.rewind !== undefined || isatty(0) || isNullDevice(0);
  const stdin = hasNoInput ? undefined : process.stdin;
  try {
    const reading = readPrompt({
      stdin,
      argument: run.prompt,
      isImplicitlyHeadless: run.isImplicitlyHeadless,
      hint: hasList(run) ? `; ${promptAfterList}` : "",
      notice: say,
    });
    // This error is reported below, unless creating the session fails first.
    reading.catch(() => undefined);
    const { engine, prompt } = await createHeadlessSession(run, { reading, options, resources });
    return await runHeadless({
      engine,
      prompt,
      outputFormat: run.outputFormat,
      verbose: run.verbose,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      cwd: options.cwd ?? "",
      worktree: resources.tree?.name,
      stop: resources.stop,
      debug: options.debug,
    });
  } finally {
    stdin?.destroy();
  }
}

interface HeadlessStart {
  reading: Promise<string>;
  options: EngineOptions;
  resources: RunResources;
}

async function createHeadlessSession(
  run: HeadlessArguments,
  { reading, options, resources }: HeadlessStart,
): Promise<{ engine: Engine; prompt: string }> {
  try {
    const onMention = (news: MentionNews): void => {
      const text = unreadMentionText(news, run.prompt);
      if (text !== undefined) say(text);
    };
    const sessionOptions = { ...options, onNotice: say, onMention };
    const { createEngine, createEngineIn } = await import("../session/compose.ts");
    const { surroundingsWithoutKey } = await import("../session/surroundings/read-surroundings.ts");
    const withoutKey = async (baseOptions: EngineOptions) => surroundingsWithoutKey(baseOptions);
    const engine = await (run.rewind === undefined
      ? createEngine(sessionOptions)
      : createEngineIn(sessionOptions, withoutKey));
    resources.engine = engine;
    const prompt = await promptOrDefault(reading, engine);
    await checkPromptTool(run, engine, resources);
    return { engine, prompt };
  } catch (error) {
    return await reportFailedStart(run, error);
  }
}

/** Nobody can add a server to this run later, so a tool that is missing now stays missing. Throws `UsageError`. */
async function checkPromptTool(run: RunArguments, { desk }: Engine, { stop }: RunResources): Promise<void> {
  const { permissionPromptTool: tool } = run.client;
  if (tool === undefined || run.rewind !== undefined) return;
  const problem = await stop.runAbortable((signal) => desk.promptToolProblem(signal));
  // This may have waited long for servers. Whoever reads JSON gets a result however the run ends, and no turn will give one now.
  if (stop.cause !== undefined) return await writeFailedStart(run, new UsageError("Stopped before the first turn."));
  if (problem !== undefined) throw new UsageError(`--permission-prompt-tool ${tool} has nothing to ask: ${problem}.`);
}

/** Returns the prompt. Without one, a tool call that a hook deferred is resumed with a default prompt. */
async function promptOrDefault(reading: Promise<string>, engine: Pick<Engine, "getMessages">): Promise<string> {
  try {
    return await reading;
  } catch (error) {
    const { findDeferredCall } = await import("../session/permissions/orphan.ts");
    if (error instanceof UsageError && findDeferredCall(engine.getMessages()) !== null)
      return "Continue from where you left off.";
    throw error;
  }
}

async function startStdio(run: RunArguments, options: EngineOptions, resources: RunResources): Promise<number> {
  const { startDrivenRun } = await import("./driven-run.ts");
  const { stdin, stdout, stderr } = process;
  return await startDrivenRun(
    run,
    { ...options, onNotice: say },
    { stdin, stdout, stderr, resources, version, newId: randomUUID },
  );
}

/** Returns undefined if the user chose none. */
async function pickSessionToResume({ cwd = "" }: EngineOptions, { stop }: RunResources): Promise<string | undefined> {
  const { pickSession } = await import("./pick-session.ts");
  const { stdin: input, stdout: output, env } = process;
  return await pickSession({ cwd, env, now: () => Date.now(), input, output, stop });
}

async function startConversation(
  run: RunArguments,
  baseOptions: EngineOptions,
  resources: RunResources,
): Promise<number> {
  const resume = run.resume === true ? await pickSessionToResume(baseOptions, resources) : baseOptions.resume;
  if (run.resume === true && resume === undefined) {
    process.stdin.destroy();
    return resources.stop.cause === undefined ? exitCodes.success : stopExitCode(resources.stop.cause);
  }
  const options: EngineOptions = { ...baseOptions, resume };
  const { Conversation } = await import("../surface/line/conversation.ts");
  const { openEngine } = await import("../session/compose.ts");
  const { typedPrompts } = await import("../session/sessions/typed-prompts.ts");
  const { terminalWishes } = await import("../session/desk/terminal-wishes.ts");
  const { stdin: input, stdout: output, stderr, env } = process;
  const { stop, leaveNow } = resources;
  // Node asks for the size of a terminal even when it is gone, and reports the failure as an `error` event.
  stderr.on("error", () => undefined);
  const job = createJobControl(process);
  const now = (): number => performance.now();
  const { screenReader, vimEscapes, theme } = terminalWishes(options);
  const conversation = new Conversation({
    input,
    output,
    env,
    cwd: options.cwd ?? "",
    screenReader: run.screenReader ? "flag" : screenReader,
    theme,
    vim: vimEscapes && {
      escapes: vimEscapes,
      isHidden: () => resources.engine?.desk.statusLine?.hideVimModeIndicator === true,
    },
    worktree: resources.tree?.name,
    version,
    stop,
    leaveNow,
    job,
    now,
    after: afterMs,
    earlier: () => typedPrompts(options.cwd ?? currentFolder(), env),
  });
  process.once("exit", () => conversation.close());
  try {
    resources.engine = await openEngine({
      ...options,
      ask: conversation.ask,
      toolConfig: { askUserQuestion: { previewFormat: "markdown" } },
      onElicitation: conversation.elicit,
      onElicitationComplete: ({ serverName }) =>
        conversation.notice(`${serverName} has received what it asked you for.`),
      onNotice: (text) => conversation.notice(text),
      onMention: (news) => conversation.showMention(news),
      onTerminalSequence: (sequence) => void (output.isTTY && output.write(sequence)),
    });
    return await conversation.run(resources.engine, run.prompt);
  } finally {
    await conversation.answers.over();
    conversation.close();
  }
}
