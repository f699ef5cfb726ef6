// Runs commands in parallel and prints one line for each. The output of a command is shown if it fails.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

export interface Step {
  name: string;
  command: readonly [program: string, ...args: string[]];
  /** Show the output while the command runs. */
  live?: boolean;
}

export interface Outcome {
  name: string;
  passed: boolean;
  /** How a failed step ended. */
  ended?: string;
}

const root = join(import.meta.dirname, "../..");
// The pinned tools and the pinned Node come first, even without npm.
const path = [join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter);

// The compiler and the type-aware linter are short-lived Go programs that spend a quarter of their time on garbage collection.
const GOGC = process.env["GOGC"] ?? "400";

function run({ command: [program, ...args], live }: Step): Promise<{ ended?: string; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, PATH: path, GOGC },
      stdio: live ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    child.on("error", (error) => resolve({ ended: `did not start: ${error.message}`, output }));
    child.on("close", (code, signal) => {
      if (code === 0) resolve({ output });
      else resolve({ ended: signal === null ? `ended with code ${code}` : `was ended by ${signal}`, output });
    });
  });
}

/** Runs every step, even after a failure, so that one run shows all problems. Starts them in order, `lanes` at a time. */
export async function runSteps(steps: readonly Step[], lanes = 1): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...steps.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, step] = next;
      const started = performance.now();
      const { ended, output } = await run(step);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      if (ended !== undefined && output !== "") process.stdout.write(`${output.trimEnd()}\n`);
      console.log(
        ended === undefined ? `ok     ${step.name} (${seconds} s)` : `FAILED ${step.name} (${seconds} s): ${ended}`,
      );
      outcomes[at] =
        ended === undefined ? { name: step.name, passed: true } : { name: step.name, passed: false, ended };
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return outcomes;
}

export const checks: readonly Step[] = [
  { name: "typecheck", command: ["tsc", "--noEmit", "--singleThreaded"] },
  { name: "lint", command: ["oxlint", "--format=unix"] },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "house", command: ["node", "scripts/check-house.ts"] },
  { name: "knip", command: ["knip", "--no-progress"] },
  { name: "publint", command: ["publint", "--strict"] },
  { name: "api", command: ["node", "scripts/api.ts", "--check"] },
];
