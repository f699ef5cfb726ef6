/** Hooks that ask a model: its answer is `{ok, reason?, impossible?}`. */
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

function answerIn(text: string): { ok: boolean; reason?: string; impossible: boolean } | undefined {
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  if (from < 0 || to < from) return undefined;
  try {
    const answer: unknown = JSON.parse(text.slice(from, to + 1));
    if (typeof answer !== "object" || answer === null || !("ok" in answer) || typeof answer.ok !== "boolean")
      return undefined;
    const reason = "reason" in answer && typeof answer.reason === "string" ? { reason: answer.reason } : {};
    return { ok: answer.ok, ...reason, impossible: "impossible" in answer && answer.impossible === true };
  } catch {
    return undefined;
  }
}
