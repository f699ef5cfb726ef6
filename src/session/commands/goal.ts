import { formatDuration, formatTokens as tokenCount } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { isCondition, tooLongReason, type Goals } from "../goal/goals.ts";
import { refusal, type Command, type CommandAnswer } from "./command.ts";

/** With a condition it becomes a prompt: the model is told, and the goal is set (`knowledge/typed-prompt.ts`). */
export const goal: Command = {
  name: "goal",
  argumentHint: "[condition|clear]",
  description: "keep the model working until a condition holds; without one, show the state of the goal",
  mayRunDuringTurn: true,
  isPrompt: (argument) => isCondition(argument) && tooLongReason(argument) === undefined,
  run(argument, desk) {
    const { goals } = desk.session().joined;
    if (argument === "") return goalAnswer(goals);
    const why = tooLongReason(argument);
    if (why !== undefined) return refusal(why);
    const { goal: cleared, failure } = goals.clear();
    if (failure !== null)
      return refusal(`The goal is cleared here, but a resume would bring it back: ${failure.message}`);
    if (cleared === undefined) return { text: "No goal is set." };
    return { text: `The goal is no longer set: ${oneLine(cleared.condition, 200)}` };
  },
};

function goalAnswer(goals: Goals): CommandAnswer {
  const { active, reached } = goals;
  if (active !== undefined) {
    const { durationMs, tokens } = goals.usage();
    const { condition, iterations, lastReason } = active;
    const lines = [
      `Goal: ${oneLine(condition, 400)}`,
      `Set for ${formatDuration(durationMs)}, judged ${times(iterations)}, ${tokenCount(tokens)} tokens.`,
      ...(lastReason === undefined ? [] : [`Last judged: ${oneLine(lastReason, 400)}`]),
      "/goal clear removes it.",
    ];
    return { text: lines.join("\n"), data: { active, durationMs, tokens } };
  }
  if (reached === undefined)
    return { text: "No goal is set. /goal <condition> has the model work until the condition holds." };
  const { condition, iterations, durationMs, tokens } = reached;
  const usageText = `${formatDuration(durationMs)}, judged ${times(iterations)}, ${tokenCount(tokens)} tokens`;
  return { text: `The last goal was reached (${usageText}): ${oneLine(condition, 400)}`, data: { reached } };
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
