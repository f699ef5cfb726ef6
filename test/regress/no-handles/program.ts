/** Opens files until no more can be opened, then starts each kind of program pawl starts, and prints what became of each. */
import { openSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { runHookProcess } from "../../../src/hooks/command-process.ts";
import { runGit } from "../../../src/knowledge/run-git.ts";
import { createKeyHelper } from "../../../src/settings/key-source.ts";
import { runProgram } from "../../../src/tools/run-program.ts";

const { signal } = new AbortController();
const clock = { timer: () => () => undefined };
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `gave ${String(value)}`,
    (error: NodeJS.ErrnoException) => error.message.replaceAll(/[^ ]*\/(bin|sh)/g, "…"),
  );

// Whatever is written below must be loaded before there is no handle left to load it with.
const log: string[] = [];
process.stdout.write("");
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  log.push("full");
}
const program = { file: "/bin/true", args: [], signal, maxBytes: 10, limit: () => () => undefined };
const hook = { file: "/bin/true", args: [], cwd: "/", environment: {}, input: "" };
const place = { program: "/bin/true", cwd: "/", top: "/", env: {}, limitMs: 5_000 };
log.push(await outcome(runProgram(program)));
log.push(await outcome(runHookProcess(hook, signal, clock, { ending: () => undefined, follow: () => undefined })));
log.push(await outcome(runGit(["status"], place)));
log.push(await outcome(createKeyHelper("echo key", {}).get()));
await wait(50);
process.stdout.write(`${JSON.stringify(log)}\n`);
