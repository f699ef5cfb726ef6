/** Hooks that ask a model. Its answer is `{ok, reason?, impossible?}`. */
import { tryParseRecord } from "../lib/try-parse-json.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import type { ModelHandler } from "./handler.ts";
import { blockedOutput, failedOutput, type HookOutput } from "./output.ts";

/** Asks a model once (`prompt`), or lets it look around with read-only tools (`agent`). Returns the text it ended with. */
export type AskModel = (
  question: { type: "prompt" | "agent"; prompt: string; model?: string },
  signal: AbortSignal,
) => Promise<string>;

const answerInstruction =
  'Answer with one JSON object and nothing else: {"ok": true} where the condition is met, else {"ok": false, "reason": "why not"}. Add "impossible": true where it can never be met.';
/** On these events a refusal is sent to the model, and the turn continues. */
const continuingEvents: ReadonlySet<HookEvent> = new Set([
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
  const prompt = `${fillArguments(handler.prompt, JSON.stringify(input))}\n\n${answerInstruction}`;
  const text = await ask({ type, prompt, ...(model === undefined ? {} : { model }) }, signal);
  const answer = findAnswer(text);
  if (answer === undefined)
    return failedOutput({}, event, type, "did not answer with the JSON it was asked for", handler.blocksOnFailure);
  if (answer.ok) return {};
  const reason = answer.reason ?? "A model was asked and said no.";
  if (answer.impossible && type === "prompt" && (event === "Stop" || event === "SubagentStop")) return {};
  const blocked = blockedOutput({}, event, type, reason);
  return handler.continueOnBlock || continuingEvents.has(event) ? blocked : { ...blocked, preventContinuation: reason };
}

/** Fills in the input: `$ARGUMENTS` is the input, `\$` a dollar sign. Without `$ARGUMENTS` the input is appended. */
function fillArguments(prompt: string, json: string): string {
  let isNamed = false;
  const filled = prompt.replace(/\\\$|\$ARGUMENTS\b/gu, (found) => {
    if (found === "\\$") return "$";
    isNamed = true;
    return json;
  });
  return isNamed ? filled : `${filled}\n\n${json}`;
}

export interface ModelAnswer {
  ok: boolean;
  reason?: string;
  impossible: boolean;
}

/** An answer without nested objects; braces inside its strings are allowed. */
const answerObject = /\{(?=\s*"(?:ok|reason|impossible)")(?:[^{}"]|"(?:\\[^]|[^"\\])*")*\}/gu;

/** Searching more of the text for answers could take long. */
const maxSearchedLength = 20_000;

/** Finds the answer. A refusal counts even among other braces. A consent must be the only object: a quoted one must not count. */
export function findAnswer(text: string): ModelAnswer | undefined {
  const whole = readAnswer(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  return (
    whole ??
    (text.slice(-maxSearchedLength).match(answerObject) ?? []).map(readAnswer).find((answer) => answer?.ok === false)
  );
}

function readAnswer(text: string): ModelAnswer | undefined {
  const { ok, reason, impossible } = tryParseRecord(text) ?? {};
  if (typeof ok !== "boolean") return undefined;
  return { ok, ...(typeof reason === "string" ? { reason } : {}), impossible: impossible === true };
}
