/** A question beside the work: answered from the conversation without becoming part of it. */
import type { LoopPorts } from "../../loop/ports.ts";
import type { HookPort } from "../../protocol/hook.ts";
import { reminder } from "../../protocol/system-reminder.ts";
import { noUsage, type Usage } from "../../protocol/usage.ts";
import { promptSubmitHookInput, type Intake } from "../intake/intake.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { ForkSource } from "./cache-safe.ts";
import { runFork } from "./fork.ts";

/** A question that hooks have let in. */
export interface JudgedQuestion {
  question: string;
  /** What the hooks add to the question. */
  contexts: readonly string[];
}

/** `usage`: tokens of its calls. `why`: a clause for people. */
export type SideAnswer =
  | { answered: true; text: string; usage: Usage }
  | { answered: false; why: string; usage: Usage };

const instruction = reminder(
  "The user asks something beside the work above, while it goes on. Answer this one question, directly and shortly, from what the conversation holds. Tools do not run for it, nothing of it is kept, and the work itself is not to be gone on with here.",
);
const limitMs = 5 * 60_000;
/** The answer, and two more responses if it asks for tools first. */
const maxTurns = 3;
const answerTokens = 8_000;

export async function askSideQuestion(
  ports: LoopPorts,
  source: ForkSource,
  { question, contexts }: JudgedQuestion,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const prompt = [instruction, ...contexts.map(reminder), question].join("\n\n");
  const task = { name: "side_question", source, prompt, maxTurns, answerTokens, limitMs, spare: false };
  const { text, usage, failure } = await runFork(ports, task, signal);
  if (failure !== undefined) return { answered: false, why: failure, usage };
  if (text.trim() === "") return { answered: false, why: "the model said nothing", usage };
  return { answered: true, text: text.trim(), usage };
}

interface JudgeParts extends Pick<Intake, "naming"> {
  around: Pick<Surroundings, "notice">;
  hooks: HookPort;
}

/**
 * Asks UserPromptSubmit hooks: what keeps a prompt from the model keeps this question from it, too. Ignores a title, which is
 * for prompts of the conversation. If `signal` ended the hooks, they let nothing in: the same signal ends the question.
 */
export async function judgeQuestion(
  question: string,
  { around, hooks, naming }: JudgeParts,
  signal: AbortSignal,
): Promise<JudgedQuestion | Extract<SideAnswer, { answered: false }>> {
  if (!hooks.has("UserPromptSubmit")) return { question, contexts: [] };
  const input = promptSubmitHookInput([{ type: "text", text: question }], { naming });
  const { notices, blocking, preventContinuation, additionalContext } = await hooks.run(input, signal);
  for (const { text } of notices) around.notice(text);
  const why = blocking[0] ?? preventContinuation;
  if (why !== undefined) return { answered: false, why: `a hook blocked the question: ${why}`, usage: noUsage };
  return { question, contexts: additionalContext.map((text) => `UserPromptSubmit hook additional context: ${text}`) };
}
