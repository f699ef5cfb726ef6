/**
 * The offline demo: a copy of the sample repository, the real command with its real tools, and a scripted model over real
 * HTTP on this machine. `npm run demo` calls `runDemo`, and so do the tests, on changed samples.
 */
import { spawn } from "node:child_process";
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createPatch } from "diff";
import type { SDKMessage, SDKResultMessage } from "../src/protocol/sdk.ts";
import { startScriptedServer, type ScriptedServer } from "../src/testing/index.ts";
import { demoPrompt, demoScript, testCommand } from "./script.ts";
import { createNarrator } from "./narrate.ts";

export interface DemoOptions {
  /** Folder to copy; default: the sample that comes with pawl. */
  sample?: string;
  write?: (text: string) => void;
  env?: NodeJS.ProcessEnv;
  /** Called with the run's folders before they are removed. */
  inspect?: (folders: { work: string; home: string }) => Promise<void>;
}

export interface DemoOutcome {
  exitCode: number | null;
  result: SDKResultMessage | undefined;
  transitions: string[];
  /** The content of the changed file after the run. */
  code: string;
  diff: string;
}

const root = join(import.meta.dirname, "..");
const changedFile = "src/paginate.js";

export async function runDemo(options: DemoOptions = {}): Promise<DemoOutcome> {
  const write = options.write ?? ((text: string) => void process.stdout.write(text));
  const folder = await mkdtemp(join(tmpdir(), "pawl-demo-"));
  try {
    const work = join(folder, "pages");
    await cp(options.sample ?? join(import.meta.dirname, "sample"), work, { recursive: true });
    await makeWritable(work);
    return await runOn({ work, home: join(folder, "home") }, options, write);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runOn(
  folders: { work: string; home: string },
  { env, inspect }: DemoOptions,
  write: (text: string) => void,
): Promise<DemoOutcome> {
  const { work, home } = folders;
  const server = await startScriptedServer(demoScript);
  try {
    const before = await textOf(join(work, changedFile));
    write(
      `pawl demo: a real run on a copy of a small repository. The model is a script on this machine; everything else is real.\n\n`,
    );
    write(`folder  ${work}\nprompt  ${demoPrompt}\n\n`);
    const run = await runCommand(
      work,
      { ...withoutSteeringVariables(env ?? process.env), ...demoEnvironment(home, server.url) },
      write,
    );
    const code = await textOf(join(work, changedFile));
    const diff = before === code ? "" : createPatch(changedFile, before, code).split("\n").slice(2).join("\n");
    write(summary(run, diff, server));
    await inspect?.(folders);
    return { ...run, code, diff };
  } finally {
    await server.close();
  }
}

/** Returns an empty text for a file that is missing from the sample. */
async function textOf(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

/** Makes the copies writable. Copies from a read-only clone are read-only, so they could be neither fixed nor removed. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeWritable(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode | 0o200);
  }
}

type Run = Pick<DemoOutcome, "exitCode" | "result" | "transitions">;

/** Removes the variables by which a user steers pawl: a proxy would bypass the script, a limit or mode would change the run. */
function withoutSteeringVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const steers = /^(?:ANTHROPIC|API|BASH|CLAUDE|DISABLE|MAX|OTEL|PAWL)_|_PROXY$|^NODE_TEST_CONTEXT$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !steers.test(name)));
}

function demoEnvironment(home: string, url: string): NodeJS.ProcessEnv {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "scripted",
    PAWL_HOME: home,
    CLAUDE_CONFIG_DIR: home,
    NODE_NO_WARNINGS: "1",
  };
}

async function runCommand(cwd: string, env: NodeJS.ProcessEnv, write: (text: string) => void): Promise<Run> {
  const args = [
    "-p",
    demoPrompt,
    "--output-format",
    "stream-json",
    "--model",
    "claude-sonnet-5-5",
    // If the tests cannot be run, the script requests them again and again.
    "--max-turns",
    "20",
    "--allowed-tools",
    `Edit,Bash(${testCommand})`,
  ];
  const child = spawn(process.execPath, [join(root, "bin/pawl.js"), ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const transitions: string[] = [];
  const narrate = createNarrator(write);
  let result: SDKResultMessage | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as SDKMessage;
    if (message.type === "result") result = message;
    if (message.type === "system" && message.subtype === "transition") transitions.push(message.transition.reason);
    narrate(message);
  }
  const exitCode = await ended;
  if (exitCode !== 0) write(`\nThe command ended with code ${exitCode}:\n${errors}\n`);
  return { exitCode, result, transitions };
}

function summary(run: Run, diff: string, server: ScriptedServer): string {
  const { result } = run;
  const usage = result?.usage;
  const input =
    usage === undefined ? 0 : usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  const read = usage?.cache_read_input_tokens ?? 0;
  const share = input === 0 ? 0 : Math.round((read / input) * 100);
  const lines = [
    "",
    diff === "" ? "No file was changed." : `What changed:\n\n${diff}`,
    `Why the loop went on: ${[...run.transitions, result?.terminal_reason ?? "no result"].join(" → ")}`,
    `Tokens: ${input} in (${read} read from cache, ${share} %), ${usage?.output_tokens ?? 0} out.  Cost at list prices: $${(result?.total_cost_usd ?? 0).toFixed(4)}; the scripted server billed $${server.bill.totalUsd.toFixed(4)}.`,
    "",
    'The model was a script. With a real one:  ANTHROPIC_API_KEY=… node_modules/.bin/node bin/pawl.js -p "what does this folder do?"',
    "",
  ];
  return lines.join("\n");
}

if (import.meta.main) {
  // If the reader of the output is gone (`| head`), the run continues.
  process.stdout.on("error", () => undefined);
  try {
    const outcome = await runDemo();
    process.exitCode = outcome.exitCode === 0 && outcome.result?.is_error === false ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The demo could not run: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
