/** Hooks that ask a model: its answer is `{ok, reason?, impossible?}`. */
import { recordIn } from "../lib/json-in.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { failed } from "./command-hook.ts";
import type { ModelHandler } from "./handler.ts";
import { blockedOutput, type HookOutput } from "./output.ts";

/** Asks a model once (`prompt`), or lets one look around with reading tools (`agent`). The text it ended with. */
export type AskModel = (
  question: { type: "prompt" | "agent"; prompt: string; model?: string },
  signal: AbortSignal,
) => Promise<string>;

const answerForm =
  'Answer with one JSON object and nothing else: {"ok": true} where the condition is met, else {"ok": false, "reason": "why not"}. Add "impossible": true where it can never be met.';
/** Where a refusal goes back to the model, and the turn goes on. */
const goesOn: ReadonlySet<HookEvent> = new Set([
  "Stop",
  "SubagentStop",
  "PostToolUseFailure",
  "TaskCreated",
  "TaskCompleted",
]);

export async function runModelHook(
  handler: ModelHandler,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  ask: AskModel,
): Promise<HookOutput> {
  const event = input.hook_event_name;
  const { type, model } = handler;
  const prompt = `${withArguments(handler.prompt, JSON.stringify(input))}\n\n${answerForm}`;
  const text = await ask({ type, prompt, ...(model === undefined ? {} : { model }) }, signal);
  const answer = answerIn(text);
  if (answer === undefined)
    return failed({}, event, type, "did not answer with the JSON it was asked for", handler.blocksOnFailure);
  if (answer.ok) return {};
  const reason = answer.reason ?? "A model was asked and said no.";
  if (answer.impossible && type === "prompt" && (event === "Stop" || event === "SubagentStop")) return {};
  const blocked = blockedOutput({}, event, type, reason);
  return handler.continueOnBlock || goesOn.has(event) ? blocked : { ...blocked, preventContinuation: reason };
}

/** `$ARGUMENTS` is the input; `\$` is a dollar sign. Without it the input comes after the text. */
function withArguments(prompt: string, json: string): string {
  let isNamed = false;
  const filled = prompt.replace(/\\\$|\$ARGUMENTS\b/gu, (found) => {
    if (found === "\\$") return "$";
    isNamed = true;
    return json;
  });
  return isNamed ? filled : `${filled}\n\n${json}`;
}

export interface Answer {
  ok: boolean;
  reason?: string;
  impossible: boolean;
}

/** An answer, which has no objects in it; braces in its texts are none. */
const piece = /\{(?=\s*"(?:ok|reason|impossible)")(?:[^{}"]|"(?:\\[^]|[^"\\])*")*\}/gu;

/** What is looked for in more of them could take long. */
const lookedThrough = 20_000;

/** A refusal counts also where the words around it have braces of their own. What is quoted there must not pass for a consent. */
export function answerIn(text: string): Answer | undefined {
  const whole = readAnswer(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  return (
    whole ?? (text.slice(-lookedThrough).match(piece) ?? []).map(readAnswer).find((answer) => answer?.ok === false)
  );
}

function readAnswer(text: string): Answer | undefined {
  const { ok, reason, impossible } = recordIn(text) ?? {};
  if (typeof ok !== "boolean") return undefined;
  return { ok, ...(typeof reason === "string" ? { reason } : {}), impossible: impossible === true };
}
