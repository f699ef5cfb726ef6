// Hooks that behave in every way a process can, with what must come of each: run by the sample here and by the thousand of test/long.
import { getEventListeners } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { readHookConfig } from "../../src/hooks/config.ts";
import { createRunners } from "../../src/hooks/configured-hooks.ts";
import { createHooks } from "../../src/hooks/run.ts";
import type { HookRecord } from "../../src/hooks/runner.ts";
import type { HookAnswer, HookEvent } from "../../src/protocol/hook.ts";

const events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "PreCompact"] as const;
const outputs = [
  "none",
  "text",
  "list",
  "broken",
  "half",
  "pass",
  "block",
  "stop",
  "context",
  "wrong",
  "other",
] as const;
const ways = ["plain", "kill", "hang", "stubborn", "yes", "fork", "children"] as const;

export interface Behaviour {
  event: (typeof events)[number];
  /** What it prints on stdout; `flood` puts 3 MB before or inside it. */
  output: (typeof outputs)[number];
  flood: "none" | "stdout" | "stderr";
  says: boolean;
  /** What it does with its pipes before anything else. */
  pipes: "read" | "ignore" | "closeInput" | "closeAll";
  /** A process that it leaves behind and that holds its pipes. */
  leaves: "nothing" | "child" | "daemon";
  /** How it ends. */
  way: (typeof ways)[number];
  code: number;
  signal: "KILL" | "TERM" | "SEGV" | "HUP";
  guards: boolean;
}

export const behaviours: fc.Arbitrary<Behaviour> = fc.record({
  event: fc.constantFrom(...events),
  output: fc.constantFrom(...outputs),
  flood: fc.constantFrom("none", "none", "none", "none", "none", "none", "stdout", "stderr"),
  says: fc.boolean(),
  pipes: fc.constantFrom("read", "ignore", "closeInput", "closeAll"),
  leaves: fc.constantFrom("nothing", "nothing", "child", "daemon"),
  way: fc.constantFrom("plain", "plain", "plain", "plain", ...ways),
  code: fc.oneof(fc.constantFrom(0, 1, 2, 127), fc.integer({ min: 0, max: 255 })),
  signal: fc.constantFrom("KILL", "TERM", "SEGV", "HUP"),
  guards: fc.boolean(),
});

const jsons: Partial<Record<Behaviour["output"], (event: HookEvent) => object>> = {
  pass: () => ({ suppressOutput: true }),
  block: () => ({ decision: "block", reason: "R" }),
  stop: () => ({ continue: false, stopReason: "S" }),
  context: (event) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: "C" } }),
  wrong: () => ({ decision: "perhaps" }),
  other: () => ({ hookSpecificOutput: { hookEventName: "Nothing", permissionDecision: "deny" } }),
};
const plainTexts: Partial<Record<Behaviour["output"], string>> = {
  text: "hello",
  list: "[1]",
  broken: "{ not json",
  half: '{"decision":"block","rea',
};
const isEndless = ({ way }: Behaviour): boolean => way === "hang" || way === "stubborn" || way === "yes";

/** As a script of `sh`. */
function scriptOf({ event, output, flood, says, pipes, leaves, way, code, signal }: Behaviour): string {
  const json = jsons[output]?.(event);
  const text = json === undefined ? (plainTexts[output] ?? "") : JSON.stringify(json);
  const filler = "head -c 3000000 /dev/zero | tr '\\000' x";
  const lines = {
    read: "cat > /dev/null",
    ignore: ":",
    closeInput: "exec 0<&-",
    closeAll: "exec 0<&- 1>&- 2>&-",
  } satisfies Record<Behaviour["pipes"], string>;
  // What lets go of the pipes may stay: a hook may start a service.
  const left = pipes === "closeAll" ? ":" : { nothing: ":", child: "sleep 60 &", daemon: "setsid sleep 60 &" }[leaves];
  const ends: Record<Behaviour["way"], string> = {
    plain: `exit ${code}`,
    kill: `kill -${signal} $$; sleep 60`,
    hang: "sleep 60",
    stubborn: "trap '' TERM INT HUP; while :; do sleep 60; done",
    yes: "while :; do echo more; done",
    fork: `(exit ${code})`,
    children: `p=; for i in 1 2 3 4 5; do (exit 1) & p="$p $!"; done; wait $p; exit ${code}`,
  };
  return [
    lines[pipes],
    left,
    ...(flood === "stdout" ? [filler] : []),
    ...(flood === "stderr" ? [`${filler} >&2`] : []),
    ...(text === "" ? [] : [`printf '%s' '${text}'`]),
    ...(says ? ["echo E >&2"] : []),
    ends[way],
  ].join("\n");
}

interface Expected {
  outcome: HookRecord["outcome"];
  permission?: "deny" | "allow";
  blocks: boolean;
  prevented: boolean;
  context: boolean;
}

const nothing = { blocks: false, prevented: false, context: false };

/** What the documents promise, written down without a look at the code. */
function expectedOf(behaviour: Behaviour): Expected {
  const { event, pipes, flood, output, way, code } = behaviour;
  const isGuard = behaviour.guards && event !== "Stop";
  const canBlock = event !== "SessionStart";
  const refusal = event === "PreToolUse" ? { permission: "deny" as const } : { blocks: canBlock };
  const failure: Expected = { ...nothing, outcome: "error", ...(isGuard ? refusal : {}) };
  if (isEndless(behaviour)) return { ...failure, outcome: "timeout" };
  // What is written to a closed pipe is nowhere; what is flooded is no JSON any more.
  const said = pipes === "closeAll" ? "none" : flood === "stdout" ? (output === "none" ? "text" : "flooded") : output;
  const isSound = ["pass", "block", "stop", "context"].includes(said);
  const isText = ["text", "list", "broken", "half", "flooded"].includes(said);
  const observes = event === "PreCompact";
  const prevented = said === "stop" && !observes;
  const context = said === "context";
  if (way !== "kill" && code === 2)
    return {
      ...nothing,
      outcome: canBlock ? "success" : "error",
      ...refusal,
      ...(prevented ? { blocks: false } : {}),
      prevented,
      context,
    };
  const isClean = way !== "kill" && code === 0;
  if (!isClean && !isSound) return failure;
  if (said === "wrong" || said === "other") return failure;
  if (said === "block") return { ...nothing, outcome: "success", ...refusal };
  const isContext = event === "UserPromptSubmit" || event === "SessionStart";
  if ((said === "broken" || said === "half") && (isGuard || !isContext)) return failure;
  return { ...nothing, outcome: "success", prevented, context: context || (isText && isContext) };
}

const endlessSeconds = 0.25;

export interface FuzzRun {
  /** How long after its limit, or after its end, it was answered for, ms. */
  lateMs: number;
}

/** Runs them side by side, and compares each with what is expected. Throws with the behaviour if one differs. */
export async function runBehaviours(list: readonly Behaviour[]): Promise<FuzzRun[]> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-fuzz-"));
  const tag = `PAWL_FUZZ=${folder}`;
  try {
    const runs = await Promise.all(list.map((behaviour) => runOne(behaviour, folder)));
    expect(processesWith(tag), JSON.stringify(list)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    return runs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOne(behaviour: Behaviour, folder: string): Promise<FuzzRun> {
  const { event, guards } = behaviour;
  const limit = isEndless(behaviour) ? endlessSeconds : 60;
  const hook = {
    type: "command",
    command: scriptOf(behaviour),
    timeout: limit,
    onFailure: guards ? "block" : "continue",
  };
  const { hooks, problems } = readHookConfig({ [event]: [{ hooks: [hook] }] }, "user", "fuzz");
  expect(problems).toEqual([]);
  const records: HookRecord[] = [];
  const environment = { PATH: process.env["PATH"] ?? "", PAWL_FUZZ: folder };
  const port = createHooks(
    createRunners(hooks, {
      command: { environment: () => environment, projectDir: folder, sessionId: "s" },
      http: { env: {} },
      matchesRule: () => true,
      clock,
    }),
    { clock, ids: { uuid: () => "id" }, common: () => ({ cwd: folder }), watch: (record) => void records.push(record) },
  );
  const { signal } = new AbortController();
  const from = performance.now();
  const answer = await port.run({ hook_event_name: event, tool_name: "Bash", tool_input: { command: "x" } }, signal);
  const took = performance.now() - from;
  await port.drain(10_000);
  expect(getEventListeners(signal, "abort"), JSON.stringify(behaviour)).toEqual([]);
  expect(shortOf(answer, records), JSON.stringify(behaviour)).toEqual([expectedOf(behaviour)]);
  return { lateMs: Math.max(0, took - (isEndless(behaviour) ? limit * 1_000 : (records[0]?.durationMs ?? 0))) };
}

function shortOf(answer: HookAnswer, records: readonly HookRecord[]): Expected[] {
  const { permission, blocking, preventContinuation, additionalContext } = answer;
  return records.map(({ outcome }) => ({
    outcome,
    ...(permission === undefined ? {} : { permission: permission.behavior as "deny" }),
    blocks: blocking.length > 0,
    prevented: preventContinuation !== undefined,
    context: additionalContext.length > 0,
  }));
}

const clock = {
  elapsed: () => performance.now(),
  timestamp: () => "2026-01-01T00:00:00.000Z",
  timer(ms: number, fire: () => void) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

/** Those alive whose environment holds it, with what they are. */
function processesWith(text: string): string[] {
  const of = (entry: string, what: string): string => {
    try {
      return readFileSync(`/proc/${entry}/${what}`, "latin1");
    } catch {
      return "";
    }
  };
  const entries = readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry) && of(entry, "environ").includes(text));
  return entries.map((entry) => `${of(entry, "stat").slice(0, 60)} ${of(entry, "cmdline").replaceAll("\0", " ")}`);
}

/** Open handles of this process. */
export function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
