/** What UserPromptSubmit hooks say of a question beside the work: what keeps a prompt from the model keeps this from it, too. */
import { noUsage } from "../../protocol/usage.ts";
import { submitInput, type Intake } from "../intake/intake.ts";
import type { Joined } from "../joined.ts";
import type { JudgedAside, SideAnswer } from "./side-question.ts";

interface Judges extends Pick<Joined, "around" | "hooks">, Pick<Intake, "naming"> {}

/** A title that they give is for prompts of the conversation. Those that `signal` ended have let nothing in: who asks then has it, too. */
export async function judgedAside(
  question: string,
  { around, hooks, naming }: Judges,
  signal: AbortSignal,
): Promise<JudgedAside | Extract<SideAnswer, { answered: false }>> {
  if (!hooks.has("UserPromptSubmit")) return { question, contexts: [] };
  const input = submitInput([{ type: "text", text: question }], { naming });
  const { notices, blocking, preventContinuation, additionalContext } = await hooks.run(input, signal);
  for (const { text } of notices) around.notice(text);
  const why = blocking[0] ?? preventContinuation;
  if (why !== undefined) return { answered: false, why: `a hook blocked the question: ${why}`, usage: noUsage };
  return { question, contexts: additionalContext.map((text) => `UserPromptSubmit hook additional context: ${text}`) };
}
