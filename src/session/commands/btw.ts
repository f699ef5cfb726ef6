import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";

export const btw: Command = {
  name: "btw",
  argumentHint: "<question>",
  description: "ask a side question: answered from the conversation and not kept in it, also during an answer",
  mayRunDuringTurn: true,
  run: answerSideQuestion,
};

async function answerSideQuestion(argument: string, desk: CommandDesk): Promise<CommandAnswer> {
  if (argument === "") return refusal("What is the question? /btw <question> asks it beside the work.");
  const answer = await desk.session().sideWork.ask(argument, desk.cancel.signal);
  if (!answer.answered) return refusal(`There is no answer: ${answer.why.replace(/\.$/u, "")}.`);
  return { text: answer.text };
}
