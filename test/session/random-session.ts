// Random sessions: what the model says, what breaks, what the user does meanwhile. Real files, no socket, no wait.
import fc from "fast-check";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { FaultKind, Part, Reply, Script, ScriptedModel } from "../../src/testing/index.ts";
import { impatientClock, scripted, type Ground } from "./support.ts";

const callKinds = ["glob", "read", "missing", "todo", "write", "unknown", "badInput", "denied"] as const;

export interface StepPlan {
  text: number;
  thinks: boolean;
  calls: (typeof callKinds)[number][];
  fault: FaultKind | null;
}

export interface TurnPlan {
  steps: StepPlan[];
  /** What the user does once this many messages of the turn have come. */
  act: { at: number; how: "user" | "interrupt" | "break" | "enqueue" } | null;
}

export interface SessionPlan {
  turns: TurnPlan[];
  fallback: boolean;
  maxTurns: number;
}

const faults: readonly FaultKind[] = [
  "overloaded",
  "server_error",
  "reset",
  "truncate",
  "error_event",
  "max_tokens_in_tool",
  "invalid_tool_json",
  "duplicate_tool_ids",
  "refusal",
  "pause_turn",
  "empty",
  "garbage",
  "split_utf8",
];

const step = (among: readonly FaultKind[]): fc.Arbitrary<StepPlan> =>
  fc.record({
    text: fc.constantFrom(0, 1, 30, 400),
    thinks: fc.boolean(),
    calls: fc.array(fc.constantFrom(...callKinds), { maxLength: 4 }),
    fault: fc.option(fc.constantFrom(...among), { freq: 2 }),
  });

export const sessions = (among: readonly FaultKind[] = faults): fc.Arbitrary<SessionPlan> =>
  fc.record({
    turns: fc.array(
      fc.record({
        steps: fc.array(step(among), { minLength: 1, maxLength: 5 }),
        act: fc.option(
          fc.record({
            at: fc.integer({ min: 1, max: 14 }),
            how: fc.constantFrom("user", "interrupt", "break", "enqueue" as const),
          }),
          { freq: 3 },
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    fallback: fc.boolean(),
    maxTurns: fc.constantFrom(3, 50),
  });

export interface Stage {
  model: ScriptedModel;
  options: EngineOptions;
  /** What the model says from here on; then it is done. */
  play(steps: readonly StepPlan[]): void;
  /** Bytes of every request for an answer, as they left. */
  bodies: string[];
  /** Called before a request is answered. */
  onRequest: () => void;
}

export function stage(
  ground: Ground,
  plan: Pick<SessionPlan, "fallback" | "maxTurns">,
  more: Partial<Script> = {},
): Stage {
  let waiting: StepPlan[] = [];
  let made = 0;
  const model = scripted({
    fallback() {
      const next = waiting.shift();
      return next === undefined ? { content: ["Done."] } : replyOf(next, ++made, ground);
    },
    ...more,
  });
  const set: Stage = {
    model,
    bodies: [],
    onRequest: () => undefined,
    play(steps) {
      waiting = [...steps];
    },
    options: {
      clock: impatientClock,
      permissionMode: "acceptEdits",
      maxTurns: plan.maxTurns,
      env: { CLAUDE_CODE_MAX_RETRIES: "3" },
      ...(plan.fallback ? { fallbackModel: "claude-haiku-5-5" } : {}),
      transport(exchange) {
        if (exchange.path.endsWith("/messages")) {
          set.bodies.push(Buffer.from(exchange.body).toString());
          set.onRequest();
        }
        return model.handle(exchange);
      },
    },
  };
  return set;
}

function replyOf({ text, thinks, calls, fault }: StepPlan, callCount: number, { work }: Ground): Reply {
  const content: Part[] = [];
  if (thinks) content.push({ thinking: `I think of ${callCount}.` });
  if (text > 0) content.push({ text: `${callCount} é ${"word ".repeat(text)}` });
  for (const [at, kind] of calls.entries()) content.push(callOf(kind, `${callCount}-${at}`, work));
  return fault === null ? { content } : { content, fault };
}

function callOf(kind: StepPlan["calls"][number], name: string, work: string): Part {
  switch (kind) {
    case "glob":
      return { tool: "Glob", input: { pattern: "*.txt" } };
    case "read":
      return { tool: "Read", input: { file_path: `${work}/known.txt` } };
    case "missing":
      return { tool: "Read", input: { file_path: `${work}/none-${name}.txt` } };
    case "todo":
      return {
        tool: "TodoWrite",
        input: { todos: [{ content: `Do ${name}`, status: "pending", activeForm: `Doing ${name}` }] },
      };
    case "write":
      return { tool: "Write", input: { file_path: `${work}/${name}.txt`, content: name } };
    case "unknown":
      return { tool: "Nothing", input: { name } };
    case "badInput":
      return { tool: "Read", input: { path: name } };
    case "denied":
      return { tool: "Bash", input: { command: `touch ${name}` } };
    default:
      return kind satisfies never;
  }
}

/** One user turn of a plan; answers how it ended, null where the consumer left. */
export async function play(engine: QueryEngine, set: Stage, plan: TurnPlan, prompt: string): Promise<string | null> {
  set.play(plan.steps);
  let seen = 0;
  let ended: string | null = null;
  for await (const message of engine.submitMessage(prompt)) {
    seen++;
    if (message.type === "result") ended = message.terminal_reason;
    if (plan.act?.at !== seen) continue;
    if (plan.act.how === "break") break;
    if (plan.act.how === "enqueue") engine.enqueue(`Also, for ${prompt}.`);
    else engine.interrupt(plan.act.how);
  }
  return ended;
}
